"""In Bot Wars nothing is hidden, and a view can be computed from the messages alone."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from referee.games.botwars import BotWars
from referee.games.botwars.page import PAGE
from referee.games.botwars.rules.board import Board
from referee.games.botwars.rules.game import begin_at
from referee.games.botwars.rules.messages import Move, MoveReply, Moves, Side, TurnPlayed
from referee.games.botwars.rules.view import BotWarsTracker, View, after
from referee.games.interface.game import ALL, PUBLIC
from referee.match.machine import Sent
from tests.games.botwars.botwars_matches import new_match, new_setup, wandering
from tests.support.helpers import from_struct, name_line


@pytest.mark.parametrize("seed", range(3))
def test_everybody_sees_what_follows_from_the_public_lines(seed: int) -> None:
    match = new_match(seed, rows=6, cols=7, max_turns=25)
    decide = wandering(Random(seed))
    own = [BotWarsTracker(), BotWarsTracker()]
    died, spawned = [0, 0], [0, 0]
    match.start()
    for seat in match.due:
        match.receive(seat, name_line(seat))
    while True:
        asked = {}
        for entry in match.take_entries():
            if isinstance(entry, Sent):
                for tracker in own if entry.to is None else (own[entry.to],):
                    tracker.observe(entry.message)
                if entry.to is not None:
                    asked[entry.to] = from_struct(entry.message)
        for viewer, tracker in ((0, own[0]), (1, own[1]), (PUBLIC, own[0]), (ALL, own[1])):
            assert match.view(viewer) == tracker.view()
        view: Any = match.view(PUBLIC)
        standings = match.standings()
        botlets, energy = (series.of(view) for series in PAGE.series)
        assert botlets == [standing.score for standing in standings]
        assert energy == [standing.facts.energy for standing in standings]
        for side, standing in enumerate(standings):
            died[side] += len(view.died[side])
            spawned[side] += view.spawned[side]
            assert died[side] == standing.facts.lost
            assert spawned[side] == standing.facts.spawned
        if not match.due:
            break
        for seat in match.due:
            match.receive(seat, decide(asked[seat]["player"], asked[seat]["state"]))


def view_after(grid: str, moves: list[list[tuple[int, int]]], **situation: Any) -> View:
    game: BotWars = begin_at(
        new_setup(rows=4, cols=4, energy_every=0),
        {"grid": grid, **situation},
    )
    game.advance(
        {
            seat: MoveReply([{"from": start, "to": end} for start, end in steps])
            for seat, steps in enumerate(moves)
        }
    )
    return game.view(PUBLIC)


def test_it_says_what_the_last_turn_did() -> None:
    # Two red botlets meet a blue one that stays; a red one appears where one has just left.
    view = view_after(".....r..r.b.....", [[(5, 6), (8, 9)], [(10, 9)]], energy=[1, 0])
    assert view.moves == Moves([Move(5, 6), Move(8, 9)], [Move(10, 9)])
    assert view.died == ([9], [9])
    assert view.spawned == (True, False)
    # Three red botlets die in one cell. The spawn point is occupied by a botlet that moved there,
    # so it doesn't count as spawned.
    view = view_after("..r.rrr........b", [[(2, 6), (5, 6), (4, 5)], []], energy=[1, 0])
    assert view.died == ([6, 6, 6], [])
    assert view.spawned == (False, False)


def test_one_that_appears_where_one_died_is_new() -> None:
    view = view_after(".r..r..........b", [[(1, 5), (4, 5)], []], energy=[1, 0])
    assert view.died == ([5, 5], [])
    assert view.spawned == (True, False)
    assert view.grid[5] == "r"


def test_a_new_game_has_no_last_turn() -> None:
    view: Any = BotWars(new_setup()).view(PUBLIC)
    assert (view.moves, view.died, view.spawned) == (Moves([], []), ([], []), (False, False))


def test_a_log_that_names_cells_that_are_not_there() -> None:
    state = Board.empty(4, 4).state(9, 1)
    odd = msgspec.structs.replace(state, p1=Side(0, 10**9, False), grid="")
    played = TurnPlayed(1, Moves([Move(10**9, 10**9)], []), [10**9, 10**9, 10**10], odd)
    assert after(state, played).died == ([10**9], [])
    tracker = BotWarsTracker()
    tracker.observe(played)
    assert tracker.view().grid == ""
