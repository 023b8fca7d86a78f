"""Recent form, rivalries and the matches of the evening."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from referee.tournament.rating.deals import Deals
from referee.tournament.report import evening as module
from referee.tournament.report.evening import (
    MOST_FORM,
    Rivalry,
    _rivalry,
    _select_highlights,
    evening,
)
from referee.tournament.report.played import Played, played_of
from referee.tournament.report.standings import Meeting, standings
from referee.tournament.rows import MatchRow, Plan
from tests.support.made_up import Left, made_setup, played, row, void

# Number of a match -> scores of the winner and the loser, and the number of turns.
SPECIAL = {
    3: (20, 20, 40),  # the closest, because turns break the tie
    8: (31, 30, 9),  # the shortest
    10: (90, 1, 80),  # the one with the highest score
}


def result(plan: Plan) -> MatchRow:
    """The bot with the lower number wins, except in match 20. Match 6 is a draw."""
    if plan.match == 6:
        return row(plan, [1, 1], scores=[30, 30], turns=40)
    first = (plan.players[0] < plan.players[1]) != (plan.match == 20)
    won, lost, turns = SPECIAL.get(plan.match, (40, 35 - plan.match % 3, 50))
    scores = [won, lost] if first else [lost, won]
    left = [Left("exited", "it ended", []), None] if plan.match == 4 else None
    turns = 1 if plan.match == 4 else turns
    return row(plan, [1, 2] if first else [2, 1], scores=scores, turns=turns, left=left)


def test_the_matches_of_the_evening() -> None:
    store = played(made_setup(4, deals=4), result)
    found = evening(store, standings(store), played_of(store))
    rows = {match.match: match for match in store.matches()}
    chosen = {best.kind: best for best in found.matches}
    assert [*chosen] == ["biggest upset", "closest", "shortest", "highest score"]
    assert [best.match for best in chosen.values()] == [20, 3, 8, 10]
    assert chosen["closest"].why == "level, won with fewer turns taken"
    assert chosen["biggest upset"].why.startswith("1 chance in ")
    winner = rows[20].players[rows[20].ranks.index(1)]
    assert chosen["biggest upset"].bots[0] == f"bot{winner}"
    assert chosen["biggest upset"].scores == [40, 33]
    assert chosen["shortest"].turns == 9


def test_the_form_has_the_last_results() -> None:
    store = played(made_setup(3, deals=4), result)
    found = evening(store, standings(store), played_of(store))
    for number, name in enumerate(store.names):
        own = [match for match in store.matches() if number in match.players]
        marks = [
            "l" if match.ranks[match.players.index(number)] > 1 else "wd"[match.ranks.count(1) - 1]
            for match in own
        ]
        assert found.form[name] == "".join(marks[-MOST_FORM:])
        assert len(found.form[name]) == MOST_FORM


def test_a_rivalry_is_of_two_bots_that_met_often_and_are_level() -> None:
    def level(plan: Plan) -> MatchRow:
        is_level = {*plan.players} == {0, 1}
        # These two only win in the first seat.
        first = is_level or plan.players[0] < plan.players[1]
        return row(plan, [1, 2] if first else [2, 1])

    store = played(made_setup(5, deals=4), level)
    found = evening(store, standings(store), played_of(store)).rivalry
    assert found is not None
    assert ({*found.bots}, found.matches) == ({"bot0", "bot1"}, 8)
    assert found.wins + found.draws + found.losses == 8


@pytest.mark.parametrize("matches", [0, 1])
def test_with_few_matches_there_is_little_to_see(matches: int) -> None:
    store = played(made_setup(3, deals=2), result, until=matches)
    found = evening(store, standings(store), played_of(store))
    assert found.rivalry is None
    assert len(found.matches) <= 2
    assert sum(map(len, found.form.values())) == 2 * len([*store.matches()])


def test_four_players_and_bots_that_are_left_out() -> None:
    store = played(made_setup(4, players=4, deals=3))
    found = evening(store, standings(store), played_of(store))
    assert all(len(best.bots) == 4 for best in found.matches)
    assert [best for best in found.matches if best.kind == "shortest"]
    two = played(made_setup(3, deals=2), result)
    without = evening(two, standings(two, without=[2]), played_of(two, [2]))
    assert without.form["bot2"] == ""
    assert all("bot2" not in best.bots for best in without.matches)


# --- the choice at its boundaries -----------------------------------------------------------------


def made(ratings: Sequence[float | None], *matches: tuple[int, int, float, float, int]) -> Any:
    """Return the highlights of matches: the winner, the loser, their scores and the turns."""
    columns = np.array(matches, float).reshape(-1, 5).T
    bots, scores = columns[:2].T.astype(int), columns[2:4].T
    numbers = np.arange(len(matches))
    played = Played(
        deals=Deals(len(ratings), 2),
        match=100 + numbers,
        turns=columns[4].astype(int),
        bots=bots,
        ranks=np.array([[1, 2]] * len(matches)),
        scores=scores,
        is_won=np.ones(len(matches), bool),
    )
    names = [f"bot{number}" for number in range(len(ratings))]
    found: Any = SimpleNamespace(
        bots=[SimpleNamespace(name=n, rating=r) for n, r in zip(names, ratings, strict=True)],
        game="dominion",
    )
    return {
        kind: (match - 100, why) for kind, match, why in _select_highlights(played, found, names)
    }


def test_an_upset_is_a_win_that_was_not_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    wins = (0, 1, 1, 0, 0), (1, 0, 1, 0, 0)
    assert made([1500, 1500], *wins) == {}
    assert made([1500, None], *wins) == {}
    assert made([1600, 1500], *wins) == {"biggest upset": (1, "1 chance in 3")}
    assert made([1300, 1500, 1700], *wins, (1, 2, 1, 0, 0), (0, 2, 1, 0, 0)) == {
        "biggest upset": (3, "1 chance in 11")
    }
    monkeypatch.setattr(module, "_UPSET", 1 / (1 + 10**0.25))
    assert made([1600, 1500], *wins) == {"biggest upset": (1, "1 chance in 3")}
    monkeypatch.setattr(module, "_UPSET", 0.359)
    assert made([1600, 1500], *wins) == {}


def test_points_are_compared_if_margins_differ() -> None:
    two = (0, 1, 5, 3, 0), (0, 1, 9, 3, 0)
    assert made([1500] * 3, *two) == {}
    found = made([1500] * 3, *two, (1, 0, 4, 3, 0))
    assert found == {"closest": (2, ""), "highest score": (1, "")}
    # Who won with fewer points, e.g. because the other was caught, wasn't close to anybody.
    found = made([1500] * 3, *two, (1, 0, 2, 3, 0), (0, 1, 3, 0, 0))
    assert found["closest"] == (0, "")
    found = made([1500] * 3, *two, (1, 0, 3, 3, 0), (0, 1, 3, 0, 0))
    assert found["closest"] == (2, "level, won with fewer turns taken")
    found = made([1500] * 3, (0, 1, 5, -3, 0), (0, 1, 6, 0, 0), (1, 0, 9, -2, 0))
    assert found["closest"] == (1, "")  # by 6, and not the first, which was won by 8
    found = made([1500, 1500, 1550], *two, (0, 1, 3, 2, 0), (2, 1, 4, 3, 0), (0, 2, 5, 4, 0))
    assert found["closest"] == (3, "")  # the strongest, and the first of them


def test_the_shortest_match_has_turns() -> None:
    assert made([1500] * 2, (0, 1, 1, 0, 0), (0, 1, 1, 0, 7), (0, 1, 1, 0, 6)) == {
        "shortest": (2, "")
    }


@pytest.mark.parametrize(
    ("bots", "met", "rivals"),  # how often two bots met, and the points of the first
    [
        (2, {(0, 1): (3, 1.5)}, None),
        (2, {(0, 1): (4, 2)}, (0, 1)),
        (2, {(0, 1): (10, 7)}, (0, 1)),
        (2, {(0, 1): (10, 3)}, (0, 1)),
        (2, {(0, 1): (10, 7.5)}, None),
        (2, {(0, 1): (10, 2.5)}, None),
        (3, {(0, 1): (10, 5), (1, 2): (11, 5.5)}, (1, 2)),  # met more often
        (3, {(0, 1): (10, 5), (1, 2): (10, 5)}, (0, 1)),  # ranks are better
        (3, {(0, 1): (10, 6), (1, 2): (10, 5.5)}, (1, 2)),
        (3, {(0, 1): (100, 52), (1, 2): (10, 5.5)}, (0, 1)),  # luck grows with the root
        (3, {(0, 1): (100, 51), (1, 2): (10, 5)}, (1, 2)),
        (4, {(1, 2): (10, 5)}, (1, 2)),
        (4, {(2, 3): (10, 5)}, None),  # not in the better half
        (5, {(2, 3): (10, 5)}, (2, 3)),
        (5, {(3, 4): (10, 5)}, None),
        (90, {(38, 39): (10, 5)}, (38, 39)),
        (90, {(39, 40): (10, 5)}, None),
    ],
)
def test_rivals_are_the_most_level_of_the_better_half(
    bots: int, met: dict[tuple[int, int], tuple[int, float]], rivals: tuple[int, int] | None
) -> None:
    names = [f"bot{number}" for number in range(bots)]
    meetings: dict[str, dict[str, Meeting]] = {name: {} for name in names}
    for (one, other), (matches, points) in met.items():
        meetings[names[one]][names[other]] = Meeting(matches, 1, 2, 3, points)
    found: Any = SimpleNamespace(
        bots=[SimpleNamespace(name=name) for name in names], head_to_head=meetings
    )
    expected = None
    if rivals is not None:
        expected = Rivalry((names[rivals[0]], names[rivals[1]]), met[rivals][0], 1, 2, 3)
    assert _rivalry(found) == expected


def test_what_counts_for_the_form_and_as_won() -> None:
    """A draw is neither won nor lost. A win isn't worth seeing if somebody was disqualified."""

    def some(plan: Plan) -> MatchRow:
        left = [Left("exited", "it ended", []), None, None] if plan.match == 1 else None
        ranks = [[1, 1, 3], [3, 2, 1], [1, 2, 2]][plan.match % 3]
        return void(plan) if plan.match >= 3 else row(plan, ranks, left=left)

    store = played(made_setup(3, players=3, deals=2), some)
    found = played_of(store)
    assert found.is_won.tolist() == [False, False, True]
    seated = [match.players for match in store.matches(0, 3)]
    marks = ["ddl", "llw", "wll"]
    for bot, name in enumerate(store.names):
        expected = "".join(mark[bots.index(bot)] for bots, mark in zip(seated, marks, strict=True))
        assert evening(store, standings(store), found).form[name] == expected
