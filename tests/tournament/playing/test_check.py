"""Test how the matches of a store are played again and compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from referee.tournament.playing.check import check, sampled, without_record
from referee.tournament.rows import MatchRow, Plan
from referee.tournament.store import Store
from tests.support.made_up import Left, left, made_setup, row

PLAN = Plan(4, 2, 1, (0, 1))
SAME = row(PLAN, digest="a")
LATE = left("timeout")
OUT = row(PLAN, digest="b", left=[None, LATE])


class Again:
    """Plays matches again with these results, one after the other."""

    def __init__(self, *rows: MatchRow) -> None:
        self.rows = [*rows]
        self.played: list[int] = []

    def play(self, setup: object, plans: Iterator[Plan]) -> Iterator[list[MatchRow]]:
        for plan in plans:
            self.played.append(plan.match)
            yield []
            yield [self.rows.pop(0)]


def checked(stored: MatchRow, *again: MatchRow) -> tuple[str, int]:
    """Return the problem of a match, and how often it was played."""
    dispatcher: Any = Again(*again)
    found = [*check(made_setup(2, deals=9), [stored], [stored], dispatcher, None)]
    (result,) = [each for each in found if each is not None]
    assert None in found
    assert (result.match, result.how) == (4, "played")
    return result.problem, len(dispatcher.played)


def test_a_match_that_is_the_same() -> None:
    assert checked(SAME, SAME) == ("", 1)
    assert checked(OUT, OUT) == ("", 1)


def test_a_bot_that_is_out_of_time_gets_another_try() -> None:
    assert checked(SAME, OUT, SAME) == ("", 2)
    problem, times = checked(SAME, OUT, OUT)
    assert problem.startswith("played again, bot1 was out of time (it took too long), so")
    assert times == 2


@pytest.mark.parametrize("code", ["startup-timeout", "time-bank"])
def test_all_limits_of_time_are_meant(code: str) -> None:
    late: Left = left(code)
    assert checked(SAME, row(PLAN, digest="b", left=[late, None]), SAME) == ("", 2)


def test_a_match_that_the_referee_was_late_for() -> None:
    void = replace(OUT, void=True, late=4)
    assert checked(SAME, row(PLAN, digest="b", late=1), SAME) == ("", 2)
    problem, times = checked(SAME, void, void)
    assert problem.startswith("not checked, because the referee was late")
    assert times == 2


def test_a_bot_that_was_out_of_time_only_in_the_tournament() -> None:
    problem, times = checked(OUT, SAME)
    assert problem.startswith("bot1 was out of time (it took too long) in the tournament")
    assert times == 1


def test_other_differences_are_no_matter_of_time() -> None:
    problem, times = checked(SAME, row(PLAN, digest="b"))
    assert "(digest b, not a): a bot is not deterministic or has changed" in problem
    assert times == 1
    crashed = row(PLAN, digest="b", left=[left("exited"), None])
    assert "is not deterministic" in checked(SAME, crashed)[0]
    assert checked(SAME, replace(SAME, digest="", problem="its code fails")) == (
        "its code fails",
        1,
    )


def test_a_sample_is_of_the_matches_that_count() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(2, deals=9))
    store.add([row(Plan(n, n // 2, 1, (0, 1)), void=n == 1) for n in range(4)])
    for sample in (None, 3, 9):
        assert [match.match for match in sampled(store, sample)] == [0, 2, 3]
    (one, two) = sampled(store, 2)
    assert one.match < two.match
    assert {one.match, two.match} < {0, 2, 3}


def test_without_a_folder_no_match_has_a_record(tmp_path: Path) -> None:
    matches = [row(Plan(n, 0, 1, (0, 1))) for n in (0, 1)]
    (tmp_path / "000001.record.jsonl.zst").touch()
    assert without_record(matches, None) == matches
    assert without_record(matches, tmp_path) == matches[:1]
