"""The seventeen cards: their costs, points and simple effects (protocol-v1, 2, 4.3 and 6)."""

from __future__ import annotations

from collections.abc import Mapping


class Card:
    """One card (4.3, 6). Numbers that don't apply to a card are 0.

    Attributes:
        cost: the price.
        worth: money that a treasure gives when it is played.
        points: points for each copy at the end of the game.
        action: True if it is an action card.
        cards, actions, buys, money: bonus for the player of the card, such as "+1 card".
        gains: a workshop can gain cards that cost up to this much.
        raises: a mine or a remodel can gain cards that cost up to this much more than the trashed
            card.
        leaves: a militia leaves the other players with this many cards in hand.
        section: the section of the protocol that describes an action card.
        option: the option that adds the card to a match, or "" if every match has it.
    """

    action = False
    worth = points = cards = actions = buys = money = gains = raises = leaves = 0
    section = option = ""

    def __init__(self, cost: int, **others: object) -> None:
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
    "cellar": Card(2, action=True, section="6.1", actions=1),
    "market": Card(5, action=True, section="6.2", cards=1, actions=1, buys=1, money=1),
    "militia": Card(4, action=True, section="6.3", money=2, leaves=3),
    "mine": Card(5, action=True, section="6.4", raises=3),
    "moat": Card(2, action=True, section="6.5", cards=2),
    "remodel": Card(4, action=True, section="6.6", raises=2),
    "smithy": Card(4, action=True, section="6.7", cards=3),
    "village": Card(3, action=True, section="6.8", cards=1, actions=2),
    "woodcutter": Card(3, action=True, section="6.9", buys=1, money=2),
    "workshop": Card(3, action=True, section="6.10", gains=4),
}
"""All seventeen cards, in the order of `supply-info`."""

STARTING_DECK = ("copper",) * 7 + ("estate",) * 3

KINGDOM = tuple(card for card, data in CARDS.items() if data.action)
"""All kingdom cards that exist, alphabetical. A match has those of `kingdom_of`."""


def kingdom_of(options: object) -> tuple[str, ...]:
    """Return the kingdom cards of a match with these options."""
    return tuple(
        c for c in KINGDOM if not (option := CARDS[c].option) or getattr(options, option, False)
    )


COST = {card: data.cost for card, data in CARDS.items()}
WORTH = {card: data.worth for card, data in CARDS.items() if data.worth}
"""The money that each treasure gives."""
POINTS = {card: data.points for card, data in CARDS.items() if data.points}

HAND_SIZE = 5
MILITIA_HAND_SIZE = CARDS["militia"].leaves


def points_of(owned: Mapping[str, int]) -> int:
    """Return the score of a player who owns these cards (4.5)."""
    return sum([worth * owned[card] for card, worth in POINTS.items() if card in owned])
