"""Where a person clicks for a move: what `Game.cells` returns, in the parts of a view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from referee.games.interface.blaming import as_game_errors
from referee.games.small.author import Game, MistakeError, Move
from referee.games.small.parts import Board, Cards, Hands, Part

Cell: TypeAlias = tuple[int | None, int]
"""A row and a column, counted from 0. A row of None stands for the whole column."""


class Target(Struct, frozen=True):
    """A place in a view that people can click on to choose a move.

    Attributes:
        part: the label of a board, cards or hands. The row of a hand is its seat.
        path: the cells. There are several if the move goes from one cell to another.
    """

    part: str
    path: Sequence[Cell]


def targets(
    kind: type[Game], shown: Sequence[Part], moves: Sequence[Move], seat: int
) -> list[Target | None]:
    """Return where to click for each move, or None for a button.

    Args:
        shown: the parts of the view of the seat that decides.

    Raises:
        MistakeError: `cells` doesn't return a list of places.
    """
    with as_game_errors():
        return [_target(kind, shown, kind.cells(move), seat) for move in moves]


def _target(kind: type[Game], shown: Sequence[Part], named: Any, seat: int) -> Target | None:
    if not isinstance(named, list | tuple) or not all(map(_is_place, named)):
        problem = f"it returned {named!r:.100}: give a list of places, such as [(row, column)]"
        raise MistakeError(kind, problem, "cells")
    for part in shown:
        path = [_cell(part, place, seat) for place in named]
        if path and None not in path:
            return Target(part.label, [cell for cell in path if cell is not None])
    return None


def _is_place(place: Any) -> bool:
    if not isinstance(place, list | tuple) or len(place) not in (2, 3):
        return False
    label, *rest = place if len(place) == 3 else ("", *place)
    if isinstance(rest[0], str) and not label:
        return True
    row, column = rest
    return isinstance(label, str) and isinstance(row, int | None) and isinstance(column, int)


def _cell(part: Part, place: Sequence[Any], seat: int) -> Cell | None:
    """Return the cell of a place, or None if the place is in another part."""
    if isinstance(place[0], str) and place[0] != part.label:
        return None
    *label, row, column = place
    match part:
        case Board():
            rows, columns = part.shape
            is_inside = row in (None, *range(rows)) and column in range(columns)
            return (row, column) if is_inside else None
        case Hands(_, hands):
            items, at = hands[seat] or [], seat
        case Cards(_, cards):
            items, at = cards, 0
        case _:
            return None
    if label:
        return (at, column) if row is None and column in range(len(items)) else None
    return (at, [*items].index(column)) if row == part.label and column in items else None
