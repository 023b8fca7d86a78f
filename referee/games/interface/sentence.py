"""Sentences about a match in parts, so that a page shows a card and a player in its own way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace


class Card(Struct, frozen=True, omit_defaults=True):
    """Equal cards: their key in the facts of the game, and their name if that is another."""

    card: str
    count: int = 1
    name: str = ""


class Seat(Struct, frozen=True):
    """A player."""

    seat: int


Part: TypeAlias = str | Card | Seat
"""A part of a sentence. The parts follow each other without anything between them."""


def listed(things: Iterable[Part]) -> list[Part]:
    """List things with commas between them; equal ones in a row are counted."""
    parts: list[Part] = []
    for thing, same in groupby(things):
        count = len([*same])
        parts += [", "] if parts else []
        if isinstance(thing, Card):
            parts.append(replace(thing, count=count * thing.count))
        else:
            parts += [f"{count} ", thing] if count > 1 else [thing]
    return parts


def joined(clauses: Iterable[Sequence[Part]]) -> list[Part]:
    """Put clauses into one sentence, with semicolons between them."""
    parts: list[Part] = []
    for clause in clauses:
        for part in [*(["; "] if parts and clause else []), *clause]:
            if parts and isinstance(part, str) and isinstance(parts[-1], str):
                parts[-1] += part
            elif part:
                parts.append(part)
    return parts


def in_words(parts: Iterable[Part], names: Sequence[str]) -> str:
    """A sentence as text, with the names of the players in seat order."""
    words = []
    for part in parts:
        if isinstance(part, Card):
            name = part.name or part.card
            words.append(f"{part.count} {name}" if part.count > 1 else name)
        else:
            words.append(names[part.seat] if isinstance(part, Seat) else part)
    return "".join(words)
