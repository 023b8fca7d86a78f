"""The cards as data (protocol-v1, 2, 4.3 and 6)."""

from __future__ import annotations

from collections.abc import Mapping


class Card:
    """One card (4.3, 6).

    Attributes:
        cost: price in money.
        worth: money of a treasure. 0 for other cards.
        points: points at the end of the game, per copy.
        action: True if it is an action card.
        cards, actions, buys, money: given to the player of an action: "+1 card" and so on.
        gains: maximum cost of a card gained by it.
        raises: maximum difference in cost between the gained and the trashed card.
        leaves: number of cards that other players keep after discarding.
    """

    action = False
    worth = points = cards = actions = buys = money = gains = raises = leaves = 0

    def __init__(self, cost: int, **others: int) -> None:
        self.cost = cost
        self.__dict__ |= others


CARDS: dict[str, Card] = {
    "curse": Card(0, points=-1),
    "copper": Card(0, worth=1),
    "silver": Card(3, worth=2),
    "gold": Card(6, worth=3),
    "estate": Card(2, points=1),
    "duchy": Card(5, points=3),
    "province": Card(8, points=6),
    "cellar": Card(2, action=True, actions=1),
    "market": Card(5, action=True, cards=1, actions=1, buys=1, money=1),
    "militia": Card(4, action=True, money=2, leaves=3),
    "mine": Card(5, action=True, raises=3),
    "moat": Card(2, action=True, cards=2),
    "remodel": Card(4, action=True, raises=2),
    "smithy": Card(4, action=True, cards=3),
    "village": Card(3, action=True, cards=1, actions=2),
    "woodcutter": Card(3, action=True, buys=1, money=2),
    "workshop": Card(3, action=True, gains=4),
}
"""All seventeen cards, in the order of `supply-info`."""

STARTING_DECK = ("copper",) * 7 + ("estate",) * 3

KINGDOM = tuple(card for card, data in CARDS.items() if data.action)
"""The ten kingdom cards, alphabetical."""

COST = {card: data.cost for card, data in CARDS.items()}
WORTH = {card: data.worth for card, data in CARDS.items() if data.worth}
"""Treasure -> its money."""
POINTS = {card: data.points for card, data in CARDS.items() if data.points}

HAND_SIZE = 5
MILITIA_HAND_SIZE = CARDS["militia"].leaves


def points_of(owned: Mapping[str, int]) -> int:
    """Return the score of a player who owns these cards (4.5)."""
    return sum([worth * owned[card] for card, worth in POINTS.items() if card in owned])
