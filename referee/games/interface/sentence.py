"""Represents sentences about a match, and effects of cards, as lists of parts.

The terminal joins the parts to plain text. A page can do more with them, e.g. draw a card, or show
a name in the colour of its player.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace


class Card(Struct, frozen=True, omit_defaults=True):
    """One or more copies of a card.

    Attributes:
        card: its key in the facts of the game.
        name: the name to show, if that isn't the key.
    """

    card: str
    count: int = 1
    name: str = ""


class Seat(Struct, frozen=True):
    """A player, whose name is only filled in when the sentence is shown."""

    seat: int


class Amount(Struct, frozen=True):
    """An amount such as "+2 cards". A drawing shows a symbol and the number instead of the text."""

    text: str
    symbol: str
    number: int


Part: TypeAlias = str | Card | Seat
"""A part of a sentence. Texts contain the spaces between the parts."""


Effect: TypeAlias = list[str | Amount]
"""The effect of a card, in words and amounts. Texts contain the spaces between the parts."""


def effect_of(between: str, parts: Iterable[Sequence[str | Amount]]) -> Effect:
    """Join the parts of an effect with `between`. Empty parts are skipped."""
    effect: Effect = []
    for part in filter(None, parts):
        effect += [between, *part] if effect else part
    return effect


def effect_text(effect: Iterable[str | Amount]) -> str:
    """Format an effect as text."""
    return "".join(part.text if isinstance(part, Amount) else part for part in effect)


def drawn(effect: Iterable[str | Amount]) -> list[str | list[str | int]]:
    """Return an effect as JSON for a drawing, in which an amount is [symbol, number].

    The drawing doesn't need commas after symbols, so we replace them by spaces.
    """
    parts: list[str | list[str | int]] = []
    for part in effect:
        if isinstance(part, Amount):
            parts.append([part.symbol, part.number])
        elif parts and isinstance(parts[-1], str):
            parts[-1] += part
        else:
            parts.append(" " if part == ", " else part)
    return parts


def listed(things: Iterable[Part]) -> list[Part]:
    """Join things with commas. If the same thing occurs several times in a row, we count it."""
    parts: list[Part] = []
    for thing, same in groupby(things):
        count = len([*same])
        # `parts` is empty only before the first item.
        parts += [", "] if parts else []
        if isinstance(thing, Card):
            parts.append(replace(thing, count=count * thing.count))
        else:
            parts += [f"{count} ", thing] if count > 1 else [thing]
    return parts


def joined(clauses: Iterable[Sequence[Part]]) -> list[Part]:
    """Join clauses with semicolons. Empty clauses are skipped."""
    parts: list[Part] = []
    for clause in clauses:
        for part in [*(["; "] if parts and clause else []), *clause]:
            # Merge neighbouring texts, so that a sentence without cards is a single part.
            if parts and isinstance(part, str) and isinstance(parts[-1], str):
                parts[-1] += part
            elif part:
                parts.append(part)
    return parts


def in_words(parts: Iterable[Part], names: Sequence[str]) -> str:
    """Return a sentence as plain text. `names` are the players' names, in seat order."""
    words = []
    for part in parts:
        if isinstance(part, Card):
            name = part.name or part.card
            words.append(f"{part.count} {name}" if part.count > 1 else name)
        else:
            words.append(names[part.seat] if isinstance(part, Seat) else part)
    return "".join(words)
