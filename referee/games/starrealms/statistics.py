"""Statistics over many matches: which cards bots gain, and how much trade and combat they make."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from referee.games.interface.capabilities import SeatFacts, StatisticsTable
from referee.games.interface.card_sums import CardSums, Count, Row, by_bot, card_table
from referee.games.starrealms.rules.cards import CARDS
from referee.games.starrealms.rules.game import StarRealms

_TURN_COLUMNS = (
    *("bot", "matches", "own turns", "trade", "combat", "authority", "cards", "bases destroyed"),
)


class SeatMatch(Struct, frozen=True):
    """The facts that we store about a seat in a match."""

    turns: Count
    made: tuple[Count, Count, Count]  # trade, combat and authority that cards gave
    destroyed: Count  # number of bases that the opponent lost
    # For each card, the number of copies, and the number of the player's own turn with the first.
    gained: dict[str, tuple[Count, Count]]


class _Bot:
    def __init__(self) -> None:
        self.gained = CardSums()
        self._sums = [0] * 7

    def add(self, points: float, match: SeatMatch) -> None:
        self.gained.add(points, match.gained)
        cards = sum(count for count, _ in match.gained.values())
        numbers = (1, match.turns, *match.made, cards, match.destroyed)
        self._sums = [one + other for one, other in zip(self._sums, numbers, strict=True)]

    def row(self, name: str) -> Row:
        matches, turns, *made, cards, destroyed = self._sums
        means = [amount / turns if turns else None for amount in made]
        return (name, matches, turns / matches, *means, cards / matches, destroyed / matches)


class FleetStatistics:
    """Implements `referee.games.interface.capabilities.Statistics` for Star Realms."""

    def of_match(self, game: StarRealms) -> list[bytes]:
        return [
            msgspec.json.encode(
                SeatMatch(
                    each.turns,
                    (made.trade, made.combat, made.authority),
                    made.destroyed,
                    made.gained,
                )
            )
            for each in game.table.players
            for made in (each.made,)
        ]

    def tables(self, seats: Iterable[SeatFacts]) -> list[StatisticsTable]:
        bots = by_bot(seats, SeatMatch, _Bot)
        title = "Mean per turn; cards, and bases destroyed, per match"
        return [
            StatisticsTable(title, _TURN_COLUMNS, [bot.row(name) for name, bot in bots]),
            card_table("Cards gained", [(name, bot.gained) for name, bot in bots], CARDS),
        ]
