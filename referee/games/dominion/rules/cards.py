"""The cards as data (protocol-v1, 2 and 4.3)."""

from __future__ import annotations

from msgspec import Struct


class Card(Struct, frozen=True, gc=False):
    """One card.

    Attributes:
        cost: in money.
        worth: the money that it gives when played; 0 for a card that is no treasure.
        points: at the end of the game, for each copy owned.
        action: whether it can be played as an action.
    """

    cost: int
    worth: int = 0
    points: int = 0
    action: bool = False


CARDS: dict[str, Card] = {
    "curse": Card(0, points=-1),
    "copper": Card(0, worth=1),
    "silver": Card(3, worth=2),
    "gold": Card(6, worth=3),
    "estate": Card(2, points=1),
    "duchy": Card(5, points=3),
    "province": Card(8, points=6),
    "cellar": Card(2, action=True),
    "market": Card(5, action=True),
    "militia": Card(4, action=True),
    "mine": Card(5, action=True),
    "moat": Card(2, action=True),
    "remodel": Card(4, action=True),
    "smithy": Card(4, action=True),
    "village": Card(3, action=True),
    "woodcutter": Card(3, action=True),
    "workshop": Card(3, action=True),
}
"""All seventeen, in the order of `supply-info`."""

KINGDOM = tuple(card for card, data in CARDS.items() if data.action)
"""The ten kingdom cards, alphabetical."""

COST = {card: data.cost for card, data in CARDS.items()}
WORTH = {card: data.worth for card, data in CARDS.items() if data.worth}
"""The treasures and what each gives."""
POINTS = {card: data.points for card, data in CARDS.items() if data.points}

STARTING_DECK = ("copper",) * 7 + ("estate",) * 3
HAND_SIZE = 5
MILITIA_HAND_SIZE = 3
