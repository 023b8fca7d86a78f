"""How well bots did with each card, over many matches.

This helps to implement `Statistics` for games in which players collect cards.
"""

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
    """Add up the facts of each bot, and return (bot, sums) pairs sorted by the bot's name.

    Args:
        facts: the struct to decode `SeatFacts.facts` into.
        gatherer: creates the sums of one bot. We call their `add(points, facts)` for each match.
    """
    bots: defaultdict[str, Any] = defaultdict(gatherer)
    decode = msgspec.json.Decoder(facts).decode
    for seat in seats:
        bots[seat.bot].add(seat.points, decode(seat.facts))
    return sorted(bots.items())


class CardSums:
    """Sums over a bot's matches, and for each card, sums over the matches with that card.

    Single matches aren't kept, so the memory doesn't grow with their number.
    """

    def __init__(self) -> None:
        self._matches = 0
        self._points = 0.0
        # card -> [matches, points, sum of the first number, sum of the second]
        self._with: dict[str, list[float]] = {}

    def add(self, points: float, cards: Mapping[str, tuple[int, int]]) -> None:
        """Add a match. `cards` has two numbers for each card, whose means appear in `rows`."""
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
        """Return a row for each card. The card that the bot had most often comes first.

        The columns are bot, card, matches with the card, their share of all matches, mean points
        with the card, mean points without it, and the mean of each of the card's two numbers.
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
    """Create a table whose two numbers per card are the count and the turn of the first copy.

    Args:
        what: the beginning of the title.
        cards: decides the order of cards with equal shares. A card that isn't listed comes last. It
            may come from an old store, written by another version of the game.
    """
    places = {card: place for place, card in enumerate(cards)}
    title = f"{what}; count and own turn of the first are means over the matches with the card"
    columns = ("bot", "card", "matches", *SHARES, "count", "own turn")
    rows = [
        row for bot, sums in bots for row in sums.rows(bot, lambda c: places.get(c, len(places)))
    ]
    return StatisticsTable(title, columns, rows, percent=SHARES)
