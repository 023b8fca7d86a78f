"""Test statistics of a store with a few made-up rows."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from referee.tournament.report.statistics import LATE, BotStatistics, statistics
from referee.tournament.rows import (
    FORFEIT,
    GAME_ERROR,
    LEFT_OUT,
    REACHED,
    WORKER_KILLED,
    MatchRow,
    Plan,
)
from referee.tournament.store import Store
from tests.support.made_up import Left, made_setup, row


def store_of(*rows: MatchRow, bots: int = 2) -> Store:
    store = Store.in_memory()
    store.add_stage(made_setup(bots))
    store.add(rows)
    return store


def match(number: int, **values: Any) -> MatchRow:
    return row(Plan(number, number // 2, 1, (0, 1)), [1, 2], **values)


def of_seat(row: MatchRow, **values: Any) -> MatchRow:
    """Change the columns of the first seat."""
    first, second = row.seats
    return replace(row, seats=(replace(first, **values), second))


def test_matches_and_the_reasons_of_their_ends() -> None:
    empty = statistics(store_of())
    assert (empty.matches, empty.mean_turns, empty.late, empty.restarts) == (0, None, 0, 0)
    reasons = "c", "b", "a", "c", "b"
    void = FORFEIT, LEFT_OUT, GAME_ERROR, "c", "d", WORKER_KILLED, WORKER_KILLED
    rows = [match(n, turns=2 * n, reason=each, late=1) for n, each in enumerate(reasons)]
    rows += [
        match(9 + n, turns=99, reason=each, void=True, restarts=n) for n, each in enumerate(void)
    ]
    found = statistics(store_of(*rows))
    assert (found.matches, found.mean_turns, found.late, found.restarts) == (5, 4, 5, 21)
    assert [*found.reasons.items()] == [("b", 2), ("c", 2), ("a", 1)]
    ends = sorted([(LATE, 2), (WORKER_KILLED, 2)]) + sorted([(GAME_ERROR, 1), (LEFT_OUT, 1)])
    assert [*found.void_reasons.items()] == ends


def first_of(*rows: MatchRow, **options: Any) -> BotStatistics:
    return statistics(store_of(*rows), **options).bots["bot0"]


def test_a_bot_without_matches_has_no_numbers() -> None:
    found = statistics(store_of(match(0), bots=3)).bots["bot2"]
    numbers = found.mean_score, found.replies, found.mean_reply, found.longest_reply
    assert numbers == (None, 0, None, None)
    silent = first_of(of_seat(match(0), replies=0, reply_seconds=0.0, longest_reply=0.0))
    assert (silent.mean_reply, silent.longest_reply) == (None, None)


def test_the_replies_of_several_matches() -> None:
    one = of_seat(match(0), score=1, replies=3, reply_seconds=0.5, longest_reply=0.25)
    two = of_seat(match(1), score=2, replies=5, reply_seconds=1.5, longest_reply=0.125)
    found = first_of(one, two)
    numbers = found.mean_score, found.replies, found.mean_reply, found.longest_reply
    assert numbers == (1.5, 8, 0.25, 0.25)


def test_the_first_match_with_each_disqualification() -> None:
    def left(number: int, code: str, word: str, cause: str | None = None) -> MatchRow:
        gone = Left(code, f"detail {word}", [word, "last"])
        return of_seat(match(number, left=[gone, None]), cause=cause)

    found = first_of(
        left(3, "timeout", "later"),
        left(2, "timeout", "first", "the cause"),
        left(4, "exited", "x"),
    )
    assert found.disqualified == {"timeout": 2, "exited": 1}
    firsts = {each.code: each for each in found.first_disqualifications}
    timeout = firsts["timeout"]
    assert (timeout.match, timeout.detail) == (2, "detail first; the cause")
    assert (timeout.stderr, timeout.hint) == (["first", "last"], "")
    assert firsts["exited"].detail == "detail x"


def test_limits_that_were_reached_and_faults() -> None:
    reached = REACHED + "memory_limit process_limit"
    rows = [of_seat(match(n, faults=[{"late": 2}, {}]), detail=reached) for n in range(2)]
    rows.append(of_seat(match(2, left=[Left("exited", reached, []), None])))
    found = first_of(*rows)
    assert (found.reached, found.faults) == (
        {"memory_limit": 2, "process_limit": 2},
        {"late": 4},
    )


def test_the_slowest_replies_of_several_matches() -> None:
    rows = [match(n, reply_histogram={bucket: 99}) for n, bucket in enumerate((8, 8))]
    slow = match(2, reply_histogram={40: 2})
    assert first_of(*rows, slow, details=True).reply_99 == (2 ** (9 / 4)) / 1e6
    more = match(3, reply_histogram={40: 1})
    assert first_of(*rows, slow, more, details=True).reply_99 == 2 ** (41 / 4) / 1e6
