"""Statistics about cards: how often and how early bots get them, and how well these bots score.

Note that a card isn't good just because "points with the card" is high. Bots that are winning
anyway may be buying more of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from referee.games.dominion.rules.cards import CARDS
from referee.games.dominion.rules.game import Dominion
from referee.games.dominion.rules.player import Gains
from referee.games.interface.capabilities import SeatFacts, StatisticsTable
from referee.games.interface.card_sums import CardSums, Count, by_bot, card_table


class SeatCards(Struct, frozen=True, omit_defaults=True):
    """The cards that a seat bought, and the cards that it gained in another way.

    Each card has a pair: the number of copies, and the number of the seat's turn when it got the
    first copy.
    """

    bought: dict[str, tuple[Count, Count]] = {}
    gained: dict[str, tuple[Count, Count]] = {}


class _Bot:
    def __init__(self) -> None:
        self.bought, self.gained = CardSums(), CardSums()

    def add(self, points: float, cards: SeatCards) -> None:
        self.bought.add(points, cards.bought)
        self.gained.add(points, cards.gained)


class CardStatistics:
    """Implements `referee.games.interface.capabilities.Statistics` for Dominion."""

    def of_match(self, game: Dominion) -> list[bytes]:
        return [msgspec.json.encode(_seat_cards(player.gains)) for player in game.table.players]

    def tables(self, seats: Iterable[SeatFacts]) -> list[StatisticsTable]:
        bots = by_bot(seats, SeatCards, _Bot)
        bought = card_table("Cards bought", [(name, bot.bought) for name, bot in bots], CARDS)
        gained = [(name, bot.gained) for name, bot in bots]
        others = card_table("Cards gained without buying them", gained, CARDS)
        return [bought, others] if others.rows else [bought]


def _seat_cards(turns: Sequence[Gains]) -> SeatCards:
    bought: dict[str, tuple[int, int]] = {}
    gained: dict[str, tuple[int, int]] = {}
    for number, turn in enumerate(turns, 1):
        # Bought cards come last in a turn, since a buy ends it.
        without_buys = len(turn.gained) - len(turn.bought)
        for sums, cards in ((bought, turn.bought), (gained, turn.gained[:without_buys])):
            for card in cards:
                count, first_turn = sums.get(card, (0, number))
                sums[card] = (count + 1, first_turn)
    return SeatCards(bought, gained)
