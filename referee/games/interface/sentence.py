"""Sentences about a match and effects of cards, divided into parts.

The terminal just joins the words of the parts. A page can draw a card, or show a name in the colour
of its player.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace


class Card(Struct, frozen=True, omit_defaults=True):
    """Equal cards: their key in the facts of the game, and the displayed name if it differs."""

    card: str
    count: int = 1
    name: str = ""


class Seat(Struct, frozen=True):
    """A player."""

    seat: int


class Amount(Struct, frozen=True):
    """An amount with a symbol in drawings, e.g. "+2 cards"."""

    text: str
    symbol: str
    number: int


Part: TypeAlias = str | Card | Seat
"""A part of a sentence. Parts are joined without separators."""


Effect: TypeAlias = list[str | Amount]
"""The effect of a card. Parts are joined without separators."""


def effect_of(between: str, parts: Iterable[Sequence[str | Amount]]) -> Effect:
    """Join the parts of an effect, skipping empty ones."""
    effect: Effect = []
    for part in filter(None, parts):
        effect += [between, *part] if effect else part
    return effect


def effect_text(effect: Iterable[str | Amount]) -> str:
    """Format an effect as text."""
    return "".join(part.text if isinstance(part, Amount) else part for part in effect)


def drawn(effect: Iterable[str | Amount]) -> list[str | list[str | int]]:
    """Encode an effect for a drawing: text or [symbol, number].

    No comma follows a symbol. If two parts have a comma between them, it becomes a space.
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
    """Join items with commas. Repeated items are counted."""
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
    """Join clauses with semicolons."""
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
    """Format a sentence as text, with the names of the players in seat order."""
    words = []
    for part in parts:
        if isinstance(part, Card):
            name = part.name or part.card
            words.append(f"{part.count} {name}" if part.count > 1 else name)
        else:
            words.append(names[part.seat] if isinstance(part, Seat) else part)
    return "".join(words)
