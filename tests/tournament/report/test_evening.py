"""Recent form, rivalries and the matches of the evening."""

from __future__ import annotations

import pytest

from referee.tournament.report.evening import MOST_FORM, evening, played_of
from referee.tournament.report.standings import standings
from referee.tournament.rows import MatchRow, Plan
from tests.support.made_up import Left, made_setup, played, row

# Number of a match -> scores of the winner and the loser, and the number of turns.
SPECIAL = {
    3: (20, 20, 40),  # the closest, because turns break the tie
    8: (31, 30, 9),  # the shortest
    10: (90, 1, 80),  # the one with most points
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
    assert [*chosen] == ["biggest upset", "closest", "shortest", "most points"]
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
