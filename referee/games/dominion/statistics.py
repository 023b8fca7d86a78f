"""Which cards bots get, when, and how they fare with them, over many matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from referee.games.dominion.rules.cards import CARDS
from referee.games.dominion.rules.game import Dominion
from referee.games.dominion.rules.player import Gains
from referee.games.interface.capabilities import SeatFacts, Table

_COLUMNS = (
    *("bot", "card", "matches", "share"),
    *("points with", "points without", "count", "first turn"),
)
_ORDER = {card: place for place, card in enumerate(CARDS)}
_OTHER = len(_ORDER)  # cards of another version
_Count = Annotated[int, Meta(ge=0, lt=2**53)]
_MEANS = "count and first turn are means over the matches with the card"


class SeatCards(Struct, frozen=True, omit_defaults=True):
    """The cards that one seat has got in one match.

    Attributes:
        bought: card -> how many, and the number of the player's own turn with the first of them.
        gained: likewise, those that were gained without buying them.
    """

    bought: dict[str, tuple[_Count, _Count]] = {}
    gained: dict[str, tuple[_Count, _Count]] = {}


class CardStatistics:
    """Implements `referee.games.interface.capabilities.Statistics` for Dominion."""

    def of_match(self, game: Dominion) -> list[bytes]:
        """A `SeatCards` for each seat, as JSON."""
        return [msgspec.json.encode(_seat_cards(turns)) for turns in game.gains()]

    def tables(self, seats: Iterable[SeatFacts]) -> list[Table]:
        """The cards bought, and the cards gained otherwise if there are any."""
        bots: dict[str, _Bot] = {}
        decode = msgspec.json.Decoder(SeatCards).decode
        for seat in seats:
            bot = bots.get(seat.bot)
            if bot is None:
                bot = bots[seat.bot] = _Bot()
            bot.add(seat.points, decode(seat.facts))
        ordered = [(name, bots[name]) for name in sorted(bots)]
        bought = [row for name, bot in ordered for row in bot.rows(name, bot.bought)]
        gained = [row for name, bot in ordered for row in bot.rows(name, bot.gained)]
        tables = [_table("Cards bought", bought)]
        if gained:
            tables.append(_table("Cards gained without buying them", gained))
        return tables


class _With:
    """A bot's matches with a card: sums over them."""

    __slots__ = ("count", "first_turn", "matches", "points")

    def __init__(self) -> None:
        self.matches = self.count = self.first_turn = 0
        self.points = 0.0


class _Bot:
    """The matches of a bot; one against itself counts for each of its seats."""

    def __init__(self) -> None:
        self.bought: dict[str, _With] = {}
        self.gained: dict[str, _With] = {}
        self._matches = 0
        self._points = 0.0

    def add(self, points: float, cards: SeatCards) -> None:
        """Add a match."""
        self._matches += 1
        self._points += points
        for sums, got in ((self.bought, cards.bought), (self.gained, cards.gained)):
            for card, (count, first_turn) in got.items():
                having = sums.get(card)
                if having is None:
                    having = sums[card] = _With()
                having.matches += 1
                having.points += points
                having.count += count
                having.first_turn += first_turn

    def rows(self, name: str, sums: dict[str, _With]) -> list[Sequence[str | float | None]]:
        """The rows of a table, the card with the greatest share first."""

        def row(card: str, having: _With) -> Sequence[str | float | None]:
            matches = having.matches
            without = self._matches - matches
            return (
                name,
                card,
                matches,
                matches / self._matches,
                having.points / matches,
                (self._points - having.points) / without if without else None,
                having.count / matches,
                having.first_turn / matches,
            )

        cards = sorted(sums, key=lambda card: (-sums[card].matches, _ORDER.get(card, _OTHER)))
        return [row(card, sums[card]) for card in cards]


def _table(title: str, rows: Sequence[Sequence[str | float | None]]) -> Table:
    shares = ("share", "points with", "points without")
    return Table(f"{title}; {_MEANS}", _COLUMNS, rows, percent=shares)


def _seat_cards(turns: Sequence[Gains]) -> SeatCards:
    bought: dict[str, tuple[int, int]] = {}
    gained: dict[str, tuple[int, int]] = {}
    for number, turn in enumerate(turns, 1):
        without_buys = len(turn.gained) - len(turn.bought)
        for sums, cards in ((bought, turn.bought), (gained, turn.gained[:without_buys])):
            for card in cards:
                count, first_turn = sums.get(card, (0, number))
                sums[card] = (count + 1, first_turn)
    return SeatCards(bought, gained)
