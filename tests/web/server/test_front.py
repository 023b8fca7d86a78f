"""The page of a tournament, for an audience: made-up matches, rendered without a server."""

from __future__ import annotations

import re

from referee.tournament.rows import MatchRow, Plan
from referee.tournament.store import Store
from referee.web.server.pages import standings_file
from referee.web.server.tournaments import read_shown
from tests.support.made_up import Result, made_setup, played, row, void


def page_of(store: Store) -> str:
    with store:
        return standings_file(store, read_shown(store, 0.0))


def winner_of(*draws: int, voids: tuple[int, ...] = ()) -> Result:
    """The lower number wins, except in drawn and void matches."""

    def result(plan: Plan) -> MatchRow:
        if plan.match in voids:
            return void(plan)
        ranks = [1 + sorted(plan.players).index(bot) for bot in plan.players]
        return row(plan, [1] * len(ranks) if plan.match in draws else ranks)

    return result


def test_a_draw_has_no_winner_in_a_list() -> None:
    page = page_of(played(made_setup(2, deals=2), winner_of(1)))
    assert page.count('<span class="player first">') == 3
    assert page.count('<span class="player shared">') == 2
    assert page.count('<span class="note">drawn</span>') == 1


def test_an_unknown_interval_has_no_bar() -> None:
    page = page_of(played(made_setup(3, deals=9), winner_of()))
    assert page.count('<td class="n more less">unknown') == 1  # the second of three
    assert page.count('class="dot hollow"') == 1
    few = page_of(played(made_setup(4, deals=1)))
    assert few.count('class="dot hollow"') == few.count('less">too few to say') == 4
    assert 'class="bar"' not in few


def test_a_head_counts_void_matches() -> None:
    page = page_of(played(made_setup(3, deals=2), winner_of(voids=(0, 5))))
    assert re.search("<span>10 of 12 matches, 2 void</span>", page)
