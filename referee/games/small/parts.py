"""Divides a view into boards, hands, cards and texts, so that we can show it to people.

The terminal and the page of a match both show these parts. The author of a game returns plain JSON
data, so we have to guess from the shape of a value if it's a board. A place that the viewer can't
see is `None`, or "?" in the row of a board.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

MOST_CARDS, LONGEST_CARD = 40, 16
"""A list with more items, or with a longer item, is shown as text instead of cards."""
LONGEST_CELL = 6
"""A list of lists is only a board if no item has more characters than this."""


class Board(Struct, frozen=True, tag_field="kind", tag="board"):
    """A board, whose rows all have the same length.

    Attributes:
        rows: a row can be a list, or a text with one character per cell.
        across, down: labels of the columns and the rows, if moves use any.
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
        seats: the number of seats. A list with this many lists is taken for the players' hands.
        hands: labels of values that are always hands. We need this to recognise them if the viewer
            can't see any of the hands.
        lists: labels of values that are never boards or hands, although they may look like it. For
            example, ["bet", "bet"] looks like a board, and two bids in a game of two players look
            like hands.
        nothing: labels of values in which `None` means that there's nothing. In other values it
            means that the viewer can't see a place.
    """
    made: list[Part] = []
    for label, value in flat(state):
        if label in nothing:
            value = _with_words(value)
        # This one looks like a board or like hands now, but we know that it isn't.
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
    """Yield (label, value) for each value. If a dict contains lists or dicts, yield its values."""
    for name, value in state.items():
        label = f"{before} {name}" if before else name
        # Other dicts, e.g. {"white": 3, "black": 2}, are easier to read in one line.
        if isinstance(value, dict) and any(isinstance(v, list | dict) for v in value.values()):
            yield from flat(value, label)
        else:
            yield label, value


def has_none(value: Any) -> bool:
    """Return True if a value is `None`, or a list with `None` anywhere inside."""
    return value is None or (isinstance(value, list) and any(map(has_none, value)))


def _with_words(value: Any) -> Any:
    # Here `None` means that there's nothing, so don't show it as something hidden.
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
    """Return the rows if the value looks like a board, and otherwise an empty list.

    A board has at least two rows and two columns.
    """
    if isinstance(value, str):
        value = value.rstrip("\n").split("\n")
    elif not isinstance(value, list) or len(value) < 2:
        return []
    elif all(isinstance(row, str) for row in value):
        # A board repeats a few symbols again and again. ["KH", "7S"] doesn't, so these are cards.
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
