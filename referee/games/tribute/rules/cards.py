"""The cards as data (protocol, 7): what cards.json beside this file says of each.

An effect is written as it is sent: "TOSS 1", "DRAW 1 AND GAIN_COIN 2", "GAIN_POWER 1 OR TOSS 1".
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from referee.games.tribute.rules.messages import CardRef, CardRow

CONTRACT_AGENT, CONTRACT_ACTION = "CONTRACT_AGENT", "CONTRACT_ACTION"
TREASURY = "TREASURY"
PATRONS = (
    *("ANSEI", "DUKE_OF_CROWS", "RAJHIN", "PSIJIC", "ORGNUM"),
    *("HLAALU", "PELIN", "RED_EAGLE", "SAINT_ALESSIA"),
)
"""Those that can be picked, in the order in which they are offered."""
MORIHAUS = ("MORIHAUS_SACRED_BULL", "MORIHAUS_THE_ARCHER")


class Effect(NamedTuple):
    """A verb and its amount."""

    verb: str
    amount: int

    def __str__(self) -> str:
        return f"{self.verb} {self.amount}"


class Either(NamedTuple):
    """Two effects of which one is chosen."""

    left: Effect
    right: Effect

    def __str__(self) -> str:
        return f"{self.left} OR {self.right}"


Entry: TypeAlias = tuple[Effect | Either, ...]
"""What one level of a card brings, in order: one thing, or both halves of an AND."""


class Kind:
    """The properties that all copies of a card share."""

    def __init__(self, row: CardRow, number: int, copies: int) -> None:
        self.row = row  # its facts, as they are sent
        self.card, self.name, self.deck, self.type = row.card, row.name, row.deck, row.type
        self.cost, self.hp, self.taunt = row.cost, row.hp or 0, row.taunt
        self.is_agent = row.hp is not None
        self.number = number  # what everything sorted by card is sorted by
        self.copies = copies  # in the tavern, if it has the deck; none of starters and curses
        entries = [(level, entry(text)) for level, text in enumerate(row.effects) if text]
        self.entries = tuple(entries)  # levels, counted from 0, and what they bring


class Card:
    """One card of a game; `order` sorts sets by kind and uid. Agents in play have `hp` left."""

    __slots__ = ("activated", "hp", "kind", "order", "ref", "uid")

    def __init__(self, uid: int, kind: Kind) -> None:
        self.uid = uid
        self.kind = kind
        self.ref = CardRef(uid, kind.card)
        self.order = (kind.number << 23) + uid  # 30 bits: Python sorts larger integers slower
        self.hp = kind.hp
        self.activated = False


class CardSet(NamedTuple):
    """The cards of one version of the game."""

    name: str
    kinds: dict[str, Kind]  # card -> its facts, ascending by number
    starters: dict[str, tuple[str, ...]]  # patron -> the cards with which each player begins
    creates: str  # the verb of Orgnum's cards that makes a card


class _Row(CardRow, frozen=True, kw_only=True):
    number: int
    copies: int


class _Deck(Struct, frozen=True):
    id: str
    starter: str
    starters: int


class _Set(Struct, frozen=True):
    decks: list[str]
    changes: dict[str, dict[str, object]]


class _File(Struct, frozen=True):
    decks: list[_Deck]
    cards: list[_Row]
    sets: dict[str, _Set]


@cache
def _file() -> _File:
    data = Path(__file__).with_name("cards.json").read_bytes()
    return msgspec.json.decode(data, type=_File)


@cache
def card_set(name: str) -> CardSet:
    """The cards of a set (`CARD_SETS`)."""
    file = _file()
    chosen = file.sets[name]
    kinds = {}
    for row in file.cards:
        if row.deck in chosen.decks:
            facts = msgspec.structs.asdict(row) | chosen.changes.get(row.card, {})
            number, copies = facts.pop("number"), facts.pop("copies")
            kinds[row.card] = Kind(msgspec.convert(facts, CardRow), number, copies)
    decks = [deck for deck in file.decks if deck.id in chosen.decks]
    starters = {deck.id: (deck.starter,) * deck.starters for deck in decks}
    creates = "CREATE_MAORMER_BOARDING_PARTY"
    if not any(creates in effect for kind in kinds.values() for effect in kind.row.effects):
        creates = "CREATE_SUMMERSET_SACKING"
    return CardSet(name, kinds, starters, creates)


def entry(text: str) -> Entry:
    """An entry's text: "DRAW 1 AND GAIN_COIN 2" -> its effects."""
    if " OR " in text:
        left, right = text.split(" OR ")
        return (Either(_effect(left), _effect(right)),)
    return tuple([_effect(part) for part in text.split(" AND ")])


def _effect(text: str) -> Effect:
    verb, amount = text.split()
    return Effect(verb, int(amount))


def title_of(name: str) -> str:
    """An id as people say it: "DUKE_OF_CROWS" -> "Duke of Crows"."""
    return name.replace("_", " ").title().replace(" Of ", " of ")
