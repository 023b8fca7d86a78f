"""Cards, random generator (section 11) and options (1) of Scripts of Tribute."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, TypeVar

Json = dict[str, Any]
T = TypeVar("T")

FOLDER = Path(__file__).parent.parent
TREASURY = "TREASURY"
OFFERED = (
    "ANSEI",
    "DUKE_OF_CROWS",
    "RAJHIN",
    "PSIJIC",
    "ORGNUM",
    "HLAALU",
    "PELIN",
    "RED_EAGLE",
    "SAINT_ALESSIA",
)
CARD_SETS = ("2025-04", "2024-02", "2023-06", "2023-02")
BOARDING_PARTY_SET = "2023-02"
"""In this card set, Orgnum's cards create Boarding Parties instead of Sackings (5, CREATE)."""


@dataclass(frozen=True)
class Effect:
    """A verb and its amount."""

    verb: str
    amount: int

    def __str__(self) -> str:
        return f"{self.verb} {self.amount}"


@dataclass(frozen=True)
class Entry:
    """The effects of a card at one level. There's either one, or two joined by AND or OR (4.1)."""

    op: str
    parts: tuple[Effect, ...]

    def __str__(self) -> str:
        return f" {self.op.upper()} ".join(str(part) for part in self.parts)


@dataclass(frozen=True)
class Definition:
    """The facts printed on a card."""

    id: str
    number: int
    name: str
    deck: str
    type: str
    cost: int
    hp: int | None
    taunt: bool
    tavern_copies: int
    entries: tuple[Entry | None, ...]

    def row(self) -> Json:
        """The card's entry in `card_table` (14.1)."""
        return {
            "card": self.id,
            "name": self.name,
            "deck": self.deck,
            "type": self.type,
            "cost": self.cost,
            "hp": self.hp,
            "taunt": self.taunt,
            "effects": ["" if entry is None else str(entry) for entry in self.entries],
        }


@dataclass(frozen=True, eq=False)
class Card:
    """One copy of a card."""

    uid: int
    of: Definition

    def json(self) -> Json:
        return {"uid": self.uid, "card": self.of.id}


@dataclass(frozen=True)
class CardSet:
    """The cards of one engine version sorted by number, and each deck's starter with its copies."""

    name: str
    decks: frozenset[str]
    cards: dict[str, Definition]
    starters: dict[str, tuple[str, int]]


@cache
def card_set(name: str) -> CardSet:
    facts = json.loads((FOLDER / "cards.json").read_bytes())
    chosen = facts["card_sets"][name]
    cards = {}
    for row in sorted(facts["cards"], key=lambda row: int(row["number"])):
        if row["deck"] in chosen["decks"] and row["id"] not in chosen["missing_from_these_decks"]:
            cards[row["id"]] = _definition({**row, **chosen["overrides"].get(row["id"], {})})
    starters = {
        deck["id"]: (deck["starter"], deck["starter_copies"])
        for deck in facts["decks"]
        if deck["id"] in chosen["decks"]
    }
    return CardSet(name, frozenset(chosen["decks"]), cards, starters)


def _definition(row: Json) -> Definition:
    entries = tuple(
        entry
        and Entry(
            entry["op"], tuple(Effect(part["verb"], part["amount"]) for part in entry["parts"])
        )
        for entry in row["effects"]
    )
    return Definition(
        row["id"],
        row["number"],
        row["name"],
        row["deck"],
        row["type"],
        row["cost"],
        row["hp"],
        row["taunt"],
        row["tavern_copies"],
        entries,
    )


@dataclass(frozen=True)
class Options:
    """The game's options (1). If `patrons` is empty, all patrons of the card set are offered."""

    cards: str = "2025-04"
    patrons: tuple[str, ...] = ()
    max_turns: int = 500
    max_actions: int = 1000
    chance: str = "streams"
    offered: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        decks = card_set(self.cards).decks
        offered = self.patrons or tuple(patron for patron in OFFERED if patron in decks)
        object.__setattr__(self, "offered", tuple(offered))


class Generator:
    """The engine's generator (11.1)."""

    def __init__(self, first: int) -> None:
        self.state = first % 2**48

    def next(self) -> int:
        self.state = (0x5DEECE66D * self.state + 0xB) % 2**48
        return ((self.state >> 16) * 2147483646) >> 32

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Draw a key for each element in order, then sort by key with a stable sort (11.2)."""
        keyed = [(self.next(), item) for item in items]
        return [item for _, item in sorted(keyed, key=_key)]


def _key(pair: tuple[int, object]) -> int:
    return pair[0]


def generators(seed: int, chance: str) -> list[Generator]:
    """Return generators for the tavern, player 1 and player 2.

    If `chance` is "engine", all three are the same object (11.4).
    """
    if chance == "engine":
        return [Generator(seed)] * 3
    names = ("tavern", "player1", "player2")
    return [Generator(int(Random(f"{seed}/{name}").random() * 2**48)) for name in names]
