"""Statistics of cards over many matches, for the `Statistics` of games whose players get cards."""

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
    """Give the facts of all seats to a gatherer per bot, by `add(points, facts)`; sorted."""
    bots: defaultdict[str, Any] = defaultdict(gatherer)
    decode = msgspec.json.Decoder(facts).decode
    for seat in seats:
        bots[seat.bot].add(seat.points, decode(seat.facts))
    return sorted(bots.items())


class CardSums:
    """Sums over the matches of a bot, and for each card over those in which the bot got it."""

    def __init__(self) -> None:
        self._matches = 0
        self._points = 0.0
        self._with: dict[str, list[float]] = {}  # matches, points, and the numbers of the card

    def add(self, points: float, cards: Mapping[str, Sequence[int]]) -> None:
        """Add a match, with the cards that the bot got -> numbers of which the means are wanted."""
        self._matches += 1
        self._points += points
        for card, numbers in cards.items():
            sums = self._with.get(card)
            if sums is None:
                self._with[card] = [1, points, *numbers]
                continue
            sums[0] += 1
            sums[1] += points
            place = 2
            for number in numbers:  # `enumerate` takes longer for two
                sums[place] += number
                place += 1

    def rows(self, bot: str, order: Callable[[str], Any]) -> list[Row]:
        """A row per card, the card with the greatest share first.

        Returns:
            Bot, card, matches with the card, their share, points with the card, points without it,
            and the means of the numbers over the matches with the card.
        """
        rows: list[Row] = []
        for card in sorted(self._with, key=lambda card: (-self._with[card][0], order(card))):
            matches, points, *numbers = self._with[card]
            without = self._matches - matches
            rows.append(
                (
                    *(bot, card, matches, matches / self._matches, points / matches),
                    (self._points - points) / without if without else None,
                    *(number / matches for number in numbers),
                )
            )
        return rows


def card_table(
    what: str, bots: Iterable[tuple[str, CardSums]], cards: Iterable[str]
) -> StatisticsTable:
    """The rows of bots whose cards have two numbers: how many, and the own turn of the first.

    Args:
        cards: in their order where the share is the same; those of another version come last.
    """
    places = {card: place for place, card in enumerate(cards)}
    title = f"{what}; count and own turn of the first are means over the matches with the card"
    columns = ("bot", "card", "matches", *SHARES, "count", "own turn")
    rows = [
        row for bot, sums in bots for row in sums.rows(bot, lambda c: places.get(c, len(places)))
    ]
    return StatisticsTable(title, columns, rows, percent=SHARES)
