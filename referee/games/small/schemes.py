"""The ways in which a move may name cells of a board, e.g. by a column, or as in chess.

cells.py tries them in the order of `SCHEMES`, and uses the first one that fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from string import ascii_uppercase
from typing import Any, NamedTuple, TypeAlias

_CELL = re.compile(r"([A-Za-z])([0-9]{1,2})")
_CELLS = re.compile(rf"(?:{_CELL.pattern}[-x ]?)+")
Cell: TypeAlias = tuple[int | None, int]
"""A row and a column, counted from 0. A row of None stands for the whole column."""
Labels: TypeAlias = tuple[Sequence[str], Sequence[str]]


class Scheme(NamedTuple):
    """One way in which a move may name cells.

    Attributes:
        atoms: splits a move into parts that name one cell each. Returns nothing if the move doesn't
            have the right form.
        cell: takes such a part and the numbers of rows and columns, and returns the cell, which may
            be outside the board.
        labels: takes the numbers of rows and columns, and returns the names of all columns and of
            all rows.
    """

    name: str
    atoms: Callable[[Any], Sequence[Any]]
    cell: Callable[[Any, int, int], Cell]
    labels: Callable[[int, int], Labels]

    def path(self, move: Any, shape: tuple[int, int]) -> list[Cell] | None:
        """Return the cells that a move names, or None if some of them are outside the board."""
        atoms = self.atoms([*move.values()] if isinstance(move, dict) else move)
        cells = [self.cell(atom, *shape) for atom in atoms]
        inside = all(
            (row is None or 0 <= row < shape[0]) and 0 <= column < shape[1] for row, column in cells
        )
        return cells if inside else None


def _numbers(move: Any) -> Sequence[Any]:
    move = move if isinstance(move, list) else [move]
    return move if all(type(item) is int for item in move) else []


def _number(move: Any) -> Sequence[Any]:
    return numbers if len(numbers := _numbers(move)) == 1 else []


def _pairs(move: Any) -> Sequence[Any]:
    if not isinstance(move, list):
        return []
    # [2, 3] is one cell, [[2, 3], [4, 5]] are two.
    pairs = [move] if len(move) == 2 and len(_numbers(move)) == 2 else move
    return (
        pairs if all(isinstance(p, list) and len(p) == len(_numbers(p)) == 2 for p in pairs) else []
    )


def _letters(move: Any) -> Sequence[Any]:
    texts = move if isinstance(move, list) else [move]
    if not all(isinstance(text, str) and _CELLS.fullmatch(text) for text in texts):
        return []
    found = [pair for text in texts for pair in _CELL.findall(text)]
    return [(ascii_uppercase.index(letter.upper()), int(number)) for letter, number in found]


def _none(rows: int, columns: int) -> Labels:
    return (), ()


def _counted(first: int, *, rows: bool = True) -> Callable[[int, int], Labels]:
    def labels(down: int, across: int) -> Labels:
        numbers = [*map(str, range(first, first + max(down, across)))]
        return numbers[:across], numbers[:down] if rows else ()

    return labels


SCHEMES = (
    Scheme("column-0", _number, lambda n, r, c: (None, n), _counted(0, rows=False)),
    Scheme("column-1", _number, lambda n, r, c: (None, n - 1), _counted(1, rows=False)),
    Scheme("cell-0", _numbers, lambda n, r, c: divmod(n, c), _none),
    Scheme("cell-1", _numbers, lambda n, r, c: divmod(n - 1, c), _none),
    Scheme("row-column-0", _pairs, lambda p, r, c: (p[0], p[1]), _counted(0)),
    Scheme("row-column-1", _pairs, lambda p, r, c: (p[0] - 1, p[1] - 1), _counted(1)),
    Scheme("column-row-0", _pairs, lambda p, r, c: (p[1], p[0]), _counted(0)),
    Scheme("column-row-1", _pairs, lambda p, r, c: (p[1] - 1, p[0] - 1), _counted(1)),
    Scheme(
        "letter-row",
        _letters,
        lambda p, r, c: (p[0], p[1] - 1),
        lambda r, c: (_counted(1)(r, c)[0], ascii_uppercase[:r]),
    ),
    Scheme(
        "letter-column-up",  # as in chess
        _letters,
        lambda p, r, c: (r - p[1], p[0]),
        lambda r, c: (ascii_uppercase[:c], _counted(1)(r, c)[1][::-1]),
    ),
    Scheme(
        "letter-column-down",
        _letters,
        lambda p, r, c: (p[1] - 1, p[0]),
        lambda r, c: (ascii_uppercase[:c], _counted(1)(r, c)[1]),
    ),
)
