"""The progress display of a tournament on a terminal."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest

from referee.cli.commands.tournament_progress import Progress, match_line, start_again
from referee.cli.console import rich_console
from referee.tournament.rows import Plan
from referee.tournament.store import Store
from tests.support.made_up import made_setup, play, row


def updated(bots: int, deals: int, test: object = None) -> tuple[Progress, str]:
    """Play a tournament, and show it once. Returns the progress and the text that it showed."""
    setup = made_setup(bots, deals=deals)
    run: Any = SimpleNamespace(setup=setup, test=test, done=24, total=48, played=24, seconds=8.0)
    with Store.in_memory() as store:
        store.add_stage(setup)
        play(store)
        progress = Progress(run, store, None, quiet=False)
        shown: list[Any] = []
        progress._show = shown.append
        progress.update()
    text = io.StringIO()
    rich_console(text, 40).print(shown[0])
    return progress, text.getvalue()


def test_the_columns_of_the_leading_bots_have_heads() -> None:
    _, text = updated(3, deals=4)
    bar, heads, *bots = text.splitlines()
    assert "24 of 48" in bar
    assert heads.split() == ["bot", "rating", "95%", "interval"]
    assert sorted(bot.split()[0] for bot in bots) == ["bot0", "bot1", "bot2"]
    ends = {len(line.rstrip()) for line in (heads, *bots)}
    assert len(ends) == 1  # numbers are right-aligned with their headings


@pytest.mark.parametrize(("deals", "is_rated"), [(4, False), (5, True)])
def test_ratings_are_shown_from_ten_matches_on(deals: int, is_rated: bool) -> None:
    _, text = updated(2, deals=deals)
    assert ("rating" in text) == is_rated


def test_the_intervals_of_a_sequential_test_are_wider() -> None:
    reaches = []
    for test in (None, SimpleNamespace(test=SimpleNamespace(bounds=(-3.0, 3.0)), llr=0.0)):
        ratings = updated(2, deals=5, test=test)[0]._ratings
        assert ratings is not None
        reaches.append(ratings.high[0] - ratings.rating[0])
    assert reaches[1] > reaches[0]


@pytest.mark.parametrize(
    ("late", "names"),
    [
        ([1], "bot1"),
        ([0, 1, 2, 3, 4], "bot0, bot1, bot2, bot3, bot4"),
        ([0, 1, 2, 3, 4, 5], "bot0, bot1, bot2, bot3, bot4 and 1 other bot"),
    ],
)
def test_bots_that_are_started_again_are_named(
    late: list[int], names: str, capsys: pytest.CaptureFixture[str]
) -> None:
    setup = made_setup(6)
    with Store.in_memory() as store:
        store.add_stage(setup)
        run: Any = SimpleNamespace(setup=setup, done=0, total=60)
        progress = Progress(run, store, None, quiet=True)
        start_again([f"bot{bot}" for bot in range(6)], late)
        progress.play_again(late)
    first, second = capsys.readouterr().err.splitlines()
    assert first == (
        f"referee: not ready in time: {names}; started again now, since no match is running"
    )
    assert second.endswith(f"without a common bot: {names}; played again, alone")


def test_a_table_comes_after_so_many_matches_with_the_time_that_is_left() -> None:
    setup = made_setup(2)
    run: Any = SimpleNamespace(setup=setup, test=None, done=4, total=600, played=800, seconds=80.0)
    shown: list[str] = []
    with Store.in_memory() as store:
        store.add_stage(setup)
        progress = Progress(run, store, None, quiet=True, every=2)
        progress._show_table = lambda: shown.append(progress._line())  # type: ignore[method-assign]
        with progress:
            for _ in range(4):
                run.done += 1
                progress.add([row(Plan(run.done, 1, 1, (0, 1)))])
    assert shown == [
        "6 of 600 matches, 10 matches/s, 0:59 left",
        "8 of 600 matches, 10 matches/s, 0:59 left",
    ]


@pytest.mark.parametrize(("turns", "words"), [(0, "0 turns"), (1, "1 turn"), (2, "2 turns")])
def test_a_match_has_its_turns(turns: int, words: str) -> None:
    line = match_line(row(Plan(3, 1, 9, (0, 1)), [2, 1], turns=turns), ["a", "b"])
    assert line == f"match 3: 1. b 37, 2. a 34; {words}, provinces-empty"
