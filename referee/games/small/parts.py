"""Divides a view into boards, hands, cards and texts, so that we can show it to people.

The terminal and the page of a match both show these parts. The shape of a value decides which part
it is. A place that the viewer can't see is `None`, or "?" in the row of a board.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.games.small.author import Game

MOST_CARDS, LONGEST_CARD = 40, 16
"""A list with more items, or with a longer item, is shown as text instead of cards."""
LONGEST_CELL = 6
"""A list of lists is only a board if no item has more characters than this."""


class Board(Struct, frozen=True, tag_field="kind", tag="board"):
    """A board, whose rows all have the same length.

    Attributes:
        rows: a row can be a list, or a text with one character per cell.
        across, down: names of the columns and the rows, if the game has any (`Game.edges`).
    """

    label: str
    rows: Sequence[Any]
    across: Sequence[str] = ()
    down: Sequence[str] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and columns."""
        return len(self.rows), len(self.rows[0])


class Hands(Struct, frozen=True, tag_field="kind", tag="hands"):
    """The cards of each seat, in seat order, or None for cards that the viewer can't see."""

    label: str
    hands: Sequence[Sequence[Any] | None]


class Cards(Struct, frozen=True, tag_field="kind", tag="cards"):
    """A list of cards, or of other items that are about as short."""

    label: str
    cards: Sequence[Any]


class Text(Struct, frozen=True, tag_field="kind", tag="text"):
    """Any other value, as text, or None if the viewer can't see it."""

    label: str
    text: str | None


Part: TypeAlias = Board | Hands | Cards | Text


def parts(kind: type[Game], state: Mapping[str, Any], seats: int) -> list[Part]:
    """Divide a view into its parts, in the order of the view.

    Args:
        kind: the author's class, which has the names of rows and columns, and the marks.
        state: the result of `Game.view`.
        seats: the number of seats. A list with this many lists is taken for the players' hands.
    """
    made: list[Part] = []
    for label, value in flat(state):
        if _is_hands(value, seats):
            made.append(Hands(label, value))
        elif rows := _rows(value, kind.marks):
            made.append(_named(Board(label, rows), *kind.edges))
        elif _is_row(value) and len(value) <= MOST_CARDS and _longest(value) <= LONGEST_CARD:
            made.append(Cards(label, value))
        else:
            made.append(Text(label, None if value is None else words(value)))
    return made


def _named(board: Board, across: Sequence[str], down: Sequence[str]) -> Board:
    rows, columns = board.shape
    names = tuple(across[:columns]), tuple(down[:rows])
    fits = len(names[0]) in (0, columns) and len(names[1]) in (0, rows)
    return replace(board, across=names[0], down=names[1]) if fits else board


def flat(state: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (label, value) for each value. If a dict contains lists or dicts, yield its values."""
    for name, value in state.items():
        label = f"{before} {name}" if before else name
        # Other dicts, e.g. {"white": 3, "black": 2}, are easier to read in one line.
        if isinstance(value, dict) and any(isinstance(v, list | dict) for v in value.values()):
            yield from flat(value, label)
        else:
            yield label, value


def _is_hands(value: Any, seats: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == seats
        and all(hand is None or _is_row(hand) for hand in value)
    )


def _rows(value: Any, marks: Collection[str]) -> list[Any]:
    """Return the rows if the value looks like a board, and otherwise an empty list.

    A board has at least two rows and two columns.
    """
    if isinstance(value, str):
        value = value.rstrip("\n").split("\n")
    elif not isinstance(value, list) or len(value) < 2:
        return []
    elif all(isinstance(row, str) for row in value):
        # ["bet", "bet"] and ["KH", "7S"] are cards. A board has declared marks, or it repeats a few
        # letters and has something else for its empty cells.
        letters = "".join(value)
        is_repeated = 2 * len({*letters}) <= len(letters)
        if not any(map(letters.count, marks)) and (letters.isalnum() or not is_repeated):
            return []
    elif not all(_is_row(row) and _longest(row) <= LONGEST_CELL for row in value):
        return []
    lengths = {len(row) for row in value}
    return value if len(value) > 1 and len(lengths) == 1 and lengths.pop() > 1 else []


def _is_row(value: Any) -> bool:
    scalar = str | int | float | None
    return isinstance(value, list) and all(isinstance(item, scalar) for item in value)


def _longest(row: Sequence[Any]) -> int:
    return max((len(word(item)) for item in row), default=0)


def word(item: Any) -> str:
    """Format a single item of a list. A hidden item is shown as "?"."""
    if item is None or isinstance(item, bool):
        return {None: "?", True: "yes", False: "no"}[item]
    return item if isinstance(item, str) else msgspec.json.encode(item).decode()


def words(value: Any) -> str:
    """Format a value as one line, with commas between items and semicolons between lists."""
    if isinstance(value, list):
        between = "; " if any(isinstance(item, list) for item in value) else ", "
        return between.join(map(words, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {words(item)}" for key, item in value.items()) or "none"
    return word(value)
