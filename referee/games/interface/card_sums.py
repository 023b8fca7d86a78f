"""Statistics of cards over many matches, for `Statistics` of games whose players get cards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from referee.games.interface.capabilities import SeatFacts, StatisticsTable

Count = Annotated[int, Meta(ge=0, lt=2**53)]
Row = Sequence[str | float | None]
B = TypeVar("B")
SHARES = ("share", "points with", "points without")


def by_bot(
    seats: Iterable[SeatFacts], facts: type[Any], gatherer: Callable[[], B]
) -> list[tuple[str, B]]:
    """Group the facts of seats by bot, sorted by name.

    Args:
        facts: the type of `SeatFacts.facts`.
        gatherer: creates an object for each bot. Its `add(points, facts)` gets the facts of each
            seat.
    """
    bots: defaultdict[str, Any] = defaultdict(gatherer)
    decode = msgspec.json.Decoder(facts).decode
    for seat in seats:
        bots[seat.bot].add(seat.points, decode(seat.facts))
    return sorted(bots.items())


class CardSums:
    """Totals over a bot's matches, and totals for each card over the matches with that card.

    It only keeps sums, so its size doesn't grow with the number of matches.
    """

    def __init__(self) -> None:
        self._matches = 0
        self._points = 0.0
        # card -> matches, points, and totals of its numbers
        self._with: dict[str, list[float]] = {}

    def add(self, points: float, cards: Mapping[str, tuple[int, int]]) -> None:
        """Add a match. `cards` maps each card of the bot to two numbers, which are averaged."""
        self._matches += 1
        self._points += points
        found = self._with
        for card, (first, second) in cards.items():
            sums = found.get(card)
            if sums is None:
                found[card] = [1, points, first, second]
                continue
            sums[0] += 1
            sums[1] += points
            # Two additions are faster than a loop, and this code runs for each card of each match.
            sums[2] += first
            sums[3] += second

    def rows(self, bot: str, order: Callable[[str], Any]) -> list[Row]:
        """Return one row per card, sorted by share.

        Returns:
            Rows of: bot, card, matches with the card, their share, points with the card, points
            without it, and the means of both numbers over matches with the card.
        """
        rows: list[Row] = []
        for card in sorted(self._with, key=lambda card: (-self._with[card][0], order(card))):
            matches, points, *numbers = self._with[card]
            without = self._matches - matches
            rows.append(
                (
                    *(bot, card, matches, matches / self._matches, points / matches),
                    # If the bot got this card in every match, we have nothing to compare with.
                    (self._points - points) / without if without else None,
                    *(number / matches for number in numbers),
                )
            )
        return rows


def card_table(
    what: str, bots: Iterable[tuple[str, CardSums]], cards: Iterable[str]
) -> StatisticsTable:
    """Create a table of cards with two numbers: the count, and the turn of the first copy.

    Args:
        cards: the order of cards with equal shares. Cards that aren't listed come last, e.g. cards
            of another version of the game in an older store.
    """
    places = {card: place for place, card in enumerate(cards)}
    title = f"{what}; count and own turn of the first are means over the matches with the card"
    columns = ("bot", "card", "matches", *SHARES, "count", "own turn")
    rows = [
        row for bot, sums in bots for row in sums.rows(bot, lambda c: places.get(c, len(places)))
    ]
    return StatisticsTable(title, columns, rows, percent=SHARES)
