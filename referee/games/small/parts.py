"""Divides a view into parts for people, which are boards, hands, cards and texts.

The terminal and the page of a match show the same parts. The author of a game returns plain JSON
data, so we guess from the shapes of the values which of them are boards. `None`, and "?" in a row
of a board, mark places that the viewer doesn't see.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

MOST_CARDS, LONGEST_CARD = 40, 16
"""Maximum number of items in a list that is shown as cards, and of characters per item."""
LONGEST_CELL = 6
"""Maximum number of characters per item if a list of lists is shown as a board."""


class Board(Struct, frozen=True, tag_field="kind", tag="board"):
    """Rows of equal length. A row is a text with one character per cell, or a list.

    Attributes:
        across, down: the names of columns and rows in moves. Empty if moves don't use names.
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
    """A list of cards for each seat, in seat order. None means that the list is hidden."""

    label: str
    hands: Sequence[Sequence[Any] | None]


class Cards(Struct, frozen=True, tag_field="kind", tag="cards"):
    """A short list of short texts or numbers."""

    label: str
    cards: Sequence[Any]


class Text(Struct, frozen=True, tag_field="kind", tag="text"):
    """Any other value, as text. None means that it is hidden."""

    label: str
    text: str | None


Part: TypeAlias = Board | Hands | Cards | Text


def parts(
    state: Mapping[str, Any],
    seats: int,
    hands: Collection[str] = (),
    lists: Collection[str] = (),
    nothing: Collection[str] = (),
) -> list[Part]:
    """Divide a view into its parts, in the order of the view.

    Args:
        state: the result of `Game.view`.
        seats: number of seats. A list with one list per seat contains hands.
        hands: labels of hands that may all be hidden.
        lists: labels of lists that are never boards or hands, although they may look like it. For
            example, ["bet", "bet"] looks like a board, and two bids in a game of two players look
            like hands.
        nothing: labels of values in which `None` means nothing rather than a hidden place.
    """
    made: list[Part] = []
    for label, value in flat(state):
        if label in nothing:
            value = _with_words(value)
        # This list looks like a board or like hands at the moment, but it doesn't always.
        if label in lists and isinstance(value, list) and any(isinstance(v, list) for v in value):
            made.append(Text(label, words(value)))
        elif _is_hands(value, seats) or (label in hands and value == [None] * seats):
            made.append(Hands(label, value))
        elif (rows := _rows(value)) and label not in lists:
            made.append(Board(label, rows))
        elif _is_row(value) and len(value) <= MOST_CARDS and _longest(value) <= LONGEST_CARD:
            made.append(Cards(label, value))
        else:
            made.append(Text(label, None if value is None else words(value)))
    return made


def flat(state: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values with their labels, including the values of dicts that contain lists."""
    for name, value in state.items():
        label = f"{before} {name}" if before else name
        # A flat dict, e.g. {"white": 3, "black": 2}, reads better in one line.
        if isinstance(value, dict) and any(isinstance(v, list | dict) for v in value.values()):
            yield from flat(value, label)
        else:
            yield label, value


def has_none(value: Any) -> bool:
    """True if a value is `None` or a list that contains `None`."""
    return value is None or (isinstance(value, list) and any(map(has_none, value)))


def _with_words(value: Any) -> Any:
    """Replace `None`, which means nothing here, by a word or a sign."""
    if not isinstance(value, list):
        return "none" if value is None else value
    lists = any(isinstance(item, list) for item in value)
    empty: Any = [] if lists else "-"
    return [empty if item is None else _with_words(item) if lists else item for item in value]


def _is_hands(value: Any, seats: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == seats
        and any(isinstance(hand, list) for hand in value)
        and all(hand is None or _is_row(hand) for hand in value)
    )


def _rows(value: Any) -> list[Any]:
    """Return the rows of a board, which are at least two and have equal lengths above 1.

    Empty if the value isn't a board.
    """
    if isinstance(value, str):
        value = value.rstrip("\n").split("\n")
    elif not isinstance(value, list) or len(value) < 2:
        return []
    elif all(isinstance(row, str) for row in value):
        # The rows of a board repeat a few symbols. Cards don't, so ["KH", "7S"] is a list of two
        # words.
        symbols = "".join(value)
        if 2 * len({*symbols}) > len(symbols):
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
    """Format one item of a list; a hidden item is "?"."""
    if item is None or isinstance(item, bool):
        return {None: "?", True: "yes", False: "no"}[item]
    return item if isinstance(item, str) else msgspec.json.encode(item).decode()


def words(value: Any) -> str:
    """Format a value, with ", " between the items of a list, and "; " between lists."""
    if isinstance(value, list):
        between = "; " if any(isinstance(item, list) for item in value) else ", "
        return between.join(map(words, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {words(item)}" for key, item in value.items()) or "none"
    return word(value)
