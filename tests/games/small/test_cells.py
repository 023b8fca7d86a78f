"""Where a person clicks: what `Game.cells` says, in the parts of a view."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from referee.errors import GameError
from referee.games import GAMES
from referee.games.interface.game import GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.small import Game, definition
from referee.games.small.cells import targets
from referee.games.small.messages import MoveReply
from referee.games.small.parts import Board, Cards, Hands, Text
from tests.support.own_game import small_games


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with small_games():
        yield


def kind_of(cells: Any) -> type[Game]:
    return type("Own", (Game,), {"cells": classmethod(lambda cls, move: cells)})


SHOWN = [
    Text("turn", "3"),
    Board("small", ["XO", "OX"]),
    Board("board", ["..."] * 3),
    Hands("hands", [None, ["K", "Q", "K"]]),
    Cards("table", ["A", 7]),
]


@pytest.mark.parametrize(
    ("cells", "part", "path"),
    [
        ([(1, 0)], "small", [(1, 0)]),
        ([(2, 1)], "board", [(2, 1)]),
        ([(1, 0), (2, 2)], "board", [(1, 0), (2, 2)]),
        ([[1, 0]], "small", [(1, 0)]),
        ([(None, 1)], "small", [(None, 1)]),
        ([(None, 2)], "board", [(None, 2)]),
        ([("board", 1, 0)], "board", [(1, 0)]),
        ([("board", None, 0)], "board", [(None, 0)]),
        ([("hands", "Q")], "hands", [(1, 1)]),
        ([("hands", None, 2)], "hands", [(1, 2)]),
        ([("table", 7)], "table", [(0, 1)]),
        ([("table", None, 1)], "table", [(0, 1)]),
    ],
)
def test_a_place_is_found_in_its_part(cells: Any, part: str, path: Any) -> None:
    (target,) = targets(kind_of(cells), SHOWN, ["move"], 1)
    assert target is not None
    assert (target.part, [*target.path]) == (part, path)


@pytest.mark.parametrize(
    "cells",
    [
        (),
        [(3, 0)],
        [(0, 3)],
        [(-1, 0)],
        [("small", 2, 0)],
        [("none", 0, 0)],
        [("hands", "J")],
        [("hands", None, 3)],
        [("hands", 0, 0)],
        [("table", "K")],
        [("table", None, 2)],
        [("turn", "3")],
        [(0, 0), ("hands", "Q")],
    ],
)
def test_a_move_without_a_place_in_one_part_is_a_button(cells: Any) -> None:
    assert targets(kind_of(cells), SHOWN, ["move"], 1) == [None]


def test_a_hidden_hand_has_no_places() -> None:
    assert targets(kind_of([("hands", "Q")]), SHOWN, ["move"], 0) == [None]


@pytest.mark.parametrize("cells", [None, 3, "a1", [3], [(1,)], [("board", "x", 0)], [(0, "x")]])
def test_what_is_no_list_of_places_is_the_authors_mistake(cells: Any) -> None:
    with pytest.raises(GameError, match=r"in cells: it returned .*give a list of places"):
        targets(kind_of(cells), SHOWN, ["move"], 1)


def test_a_game_that_says_nothing_has_buttons() -> None:
    assert targets(Game, SHOWN, ["a1", 3], 1) == [None, None]


@pytest.mark.parametrize("marks", [{"X": None}, {"X": True}, {"X": ("a", 1)}, {"X": ("a",)}])
def test_a_mark_is_a_seat_a_word_or_a_word_and_a_colour(marks: Any) -> None:
    connect4: Any = GAMES["connect4"].person
    with pytest.raises(
        GameError, match=r"`marks` is .*give a seat, a word, or a word and a colour"
    ):
        definition(type("Odd", (connect4.kind,), {"marks": marks}), "odd")


@pytest.mark.parametrize("seed", range(3))
def test_of_two_seas_the_right_one_is_clicked(seed: int) -> None:
    """Ships are placed on the player's own sea, and shots are clicked on the opponent's."""
    rules, dice = GAMES["battleship"], Random(seed)
    person: Any = rules.person
    setup = GameSetup(chance=SeededRandomSource(seed), names=("", ""), options=rules.options())
    game: Any = rules.new(setup)
    while game.requests:
        replies = {}
        for seat in (request.seat for request in game.requests):
            message = next(each for each in game.requests if each.seat == seat).message
            question = next(person(["A", "B"], seat).decide(message))
            sea = ("first", "second")[seat if len(game.requests) == 2 else 1 - seat]
            assert {target.part if target else "" for target in question.targets} == {sea}
            replies[seat] = MoveReply(dice.choice(message.moves))
        game.advance(replies)
