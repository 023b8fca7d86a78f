"""What bots gain, when, and how they fare with it; what their turns bring; over many matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from referee.games.interface.capabilities import SeatFacts, Table
from referee.games.starrealms.rules.cards import CARDS
from referee.games.starrealms.rules.game import StarRealms
from referee.games.starrealms.rules.player import Made

_ORDER = {card: place for place, card in enumerate(CARDS)}
_Count = Annotated[int, Meta(ge=0, lt=2**53)]
_CARD_COLUMNS = (
    *("bot", "card", "matches", "share", "points with", "points without"),
    *("count", "first turn"),
)
_TURN_COLUMNS = (
    *("bot", "matches", "turns", "trade", "combat", "authority", "cards", "bases destroyed"),
)


class SeatMatch(Struct, frozen=True):
    """What one seat did in one match.

    Attributes:
        turns: begun.
        made: trade, combat and authority that its cards gave.
        destroyed: bases of the opponent.
        gained: card -> how many, and the number of the player's own turn with the first of them.
    """

    turns: _Count
    made: tuple[_Count, _Count, _Count]
    destroyed: _Count
    gained: dict[str, tuple[_Count, _Count]]


class FleetStatistics:
    """Implements `referee.games.interface.capabilities.Statistics` for Star Realms."""

    def of_match(self, game: StarRealms) -> list[bytes]:
        """A `SeatMatch` for each seat, as JSON."""
        return [
            msgspec.json.encode(_seat(standing.turns, made))
            for standing, made in zip(game.standings(), game.made(), strict=True)
        ]

    def tables(self, seats: Iterable[SeatFacts]) -> list[Table]:
        """What a turn brings, and the cards gained."""
        bots: dict[str, list[tuple[float, SeatMatch]]] = {}
        decode = msgspec.json.Decoder(SeatMatch).decode
        for seat in seats:
            bots.setdefault(seat.bot, []).append((seat.points, decode(seat.facts)))
        turns = [_turn_row(bot, bots[bot]) for bot in sorted(bots)]
        cards = [row for bot in sorted(bots) for row in _card_rows(bot, bots[bot])]
        means = "Cards gained; count and first turn are means over the matches with the card"
        shares = ("share", "points with", "points without")
        return [
            Table("Means of a turn; cards and bases destroyed of a match", _TURN_COLUMNS, turns),
            Table(means, _CARD_COLUMNS, cards, percent=shares),
        ]


def _seat(turns: int, made: Made) -> SeatMatch:
    gained: dict[str, tuple[int, int]] = {}
    for card, turn in made.gains:
        count, first = gained.get(card, (0, turn))
        gained[card] = (count + 1, first)
    return SeatMatch(turns, (made.trade, made.combat, made.authority), made.destroyed, gained)


def _turn_row(bot: str, matches: Sequence[tuple[float, SeatMatch]]) -> Sequence[str | float | None]:
    number = len(matches)
    turns = sum(match.turns for _, match in matches)
    made = [sum(match.made[what] for _, match in matches) for what in range(3)]
    cards = sum(count for _, match in matches for count, _ in match.gained.values())
    destroyed = sum(match.destroyed for _, match in matches)
    means = [amount / turns if turns else None for amount in made]
    return (bot, number, turns / number, *means, cards / number, destroyed / number)


def _card_rows(
    bot: str, matches: Sequence[tuple[float, SeatMatch]]
) -> list[Sequence[str | float | None]]:
    """A row a card, the one with the greatest share first."""
    having: dict[str, list[tuple[float, int, int]]] = {}
    for points, match in matches:
        for card, (count, first) in match.gained.items():
            having.setdefault(card, []).append((points, count, first))
    everything = sum(points for points, _ in matches)
    rows: list[Sequence[str | float | None]] = []
    for card in sorted(having, key=lambda card: (-len(having[card]), _ORDER.get(card, 99))):
        number = len(having[card])
        points, count, first = (sum(column) for column in zip(*having[card], strict=True))
        without = len(matches) - number
        points_without = (everything - points) / without if without else None
        share = number / len(matches)
        means = (count / number, first / number)
        rows.append((bot, card, number, share, points / number, points_without, *means))
    return rows
