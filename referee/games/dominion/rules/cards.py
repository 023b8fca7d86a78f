"""The cards as data (protocol-v1, 2, 4.3 and 6): every number that is printed on one."""

from __future__ import annotations

from collections.abc import Mapping

# Authors of bots copy the kit as one file, so that the table can only stand there.
from referee.games.dominion.kit import CARDS as CARDS
from referee.games.dominion.kit import STARTING_DECK as STARTING_DECK

KINGDOM = tuple(card for card, data in CARDS.items() if data.action)
"""The ten kingdom cards, alphabetical."""

COST = {card: data.cost for card, data in CARDS.items()}
WORTH = {card: data.worth for card, data in CARDS.items() if data.worth}
"""The treasures and their money."""
POINTS = {card: data.points for card, data in CARDS.items() if data.points}

HAND_SIZE = 5
MILITIA_HAND_SIZE = CARDS["militia"].leaves


def points_of(owned: Mapping[str, int]) -> int:
    """The score of a player who owns these cards (4.5)."""
    return sum([worth * owned[card] for card, worth in POINTS.items() if card in owned])
