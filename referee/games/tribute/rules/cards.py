"""Card data (protocol, 7), read from cards.json in this folder.

Effects are written as in messages: "TOSS 1", "DRAW 1 AND GAIN_COIN 2", "GAIN_POWER 1 OR TOSS 1".
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from referee.games.tribute.rules.messages import CardRef, CardRow

CONTRACT_AGENT, CONTRACT_ACTION = "CONTRACT_AGENT", "CONTRACT_ACTION"
TREASURY = "TREASURY"
PATRONS = (
    *("ANSEI", "DUKE_OF_CROWS", "RAJHIN", "PSIJIC", "ORGNUM"),
    *("HLAALU", "PELIN", "RED_EAGLE", "SAINT_ALESSIA"),
)
"""Patrons that can be picked, in the order in which they are offered."""
MORIHAUS = ("MORIHAUS_SACRED_BULL", "MORIHAUS_THE_ARCHER")


class Effect(NamedTuple):
    """A verb and its amount."""

    verb: str
    amount: int

    def __str__(self) -> str:
        return f"{self.verb} {self.amount}"


class Either(NamedTuple):
    """A choice between two effects."""

    left: Effect
    right: Effect

    def __str__(self) -> str:
        return f"{self.left} OR {self.right}"


Entry: TypeAlias = tuple[Effect | Either, ...]
"""The effects that a card has at one level. If the text contains an AND, there are two."""


class Kind:
    """A kind of card, such as Gold, with the properties that all copies share."""

    def __init__(self, row: CardRow, number: int, copies: int) -> None:
        self.row = row  # the row in the `card_table` of `game-info`
        self.card, self.name, self.deck, self.type = row.card, row.name, row.deck, row.type
        self.cost, self.hp, self.taunt = row.cost, row.hp or 0, row.taunt
        self.is_agent = row.hp is not None
        self.number = number  # cards are sorted by this number
        self.copies = copies  # in the tavern deck, so it's 0 for starters and curses
        entries = [(level, entry(text)) for level, text in enumerate(row.effects) if text]
        self.entries = tuple(entries)  # pairs of a level, counted from 0, and its effects


class Card:
    """A card in a game.

    Only agents in play ever change. Copies of a game can therefore share all other cards.

    Attributes:
        order: sort key. Cards are sorted by their kind, then by uid.
        hp: the HP that an agent has left.
    """

    __slots__ = ("activated", "hp", "kind", "order", "ref", "uid")

    def __init__(self, uid: int, kind: Kind) -> None:
        self.uid = uid
        self.kind = kind
        self.ref = CardRef(uid, kind.card)
        self.order = (kind.number << 23) + uid  # up to 30 bits, which Python sorts faster
        self.hp = kind.hp
        self.activated = False


class CardSet(NamedTuple):
    """The cards of one version of the game."""

    name: str
    kinds: dict[str, Kind]  # by card id, in the order of their numbers
    starters: dict[str, tuple[str, ...]]  # patron -> cards that each player starts with
    creates: str  # the verb that creates a card, which differs between versions


_FILE = msgspec.json.decode(Path(__file__).with_name("cards.json").read_bytes())


@cache
def card_set(name: str) -> CardSet:
    """Load a card set. Raises KeyError if there's no set with this name."""
    chosen = _FILE["sets"][name]
    kinds = {}
    for row in _FILE["cards"]:
        if row["deck"] in chosen["decks"]:
            facts = row | chosen["changes"].get(row["card"], {})
            kind = Kind(msgspec.convert(facts, CardRow), facts["number"], facts["copies"])
            kinds[row["card"]] = kind
    decks = [deck for deck in _FILE["decks"] if deck["id"] in chosen["decks"]]
    starters = {deck["id"]: (deck["starter"],) * deck["starters"] for deck in decks}
    # In older sets, Orgnum creates a different card. We can tell from the effects of the set's
    # cards, so cards.json doesn't have a field for it.
    creates = "CREATE_MAORMER_BOARDING_PARTY"
    if not any(creates in effect for kind in kinds.values() for effect in kind.row.effects):
        creates = "CREATE_SUMMERSET_SACKING"
    return CardSet(name, kinds, starters, creates)


def entry(text: str) -> Entry:
    """Parse the text of an entry, e.g. "DRAW 1 AND GAIN_COIN 2"."""
    if " OR " in text:
        left, right = text.split(" OR ")
        return (Either(_effect(left), _effect(right)),)
    return tuple([_effect(part) for part in text.split(" AND ")])


def _effect(text: str) -> Effect:
    verb, amount = text.split()
    return Effect(verb, int(amount))


def title_of(name: str) -> str:
    """Make an id readable for people: "DUKE_OF_CROWS" -> "Duke of Crows"."""
    return name.replace("_", " ").title().replace(" Of ", " of ")
