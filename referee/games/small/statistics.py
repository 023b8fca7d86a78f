"""Statistics of a small game: points, turns and score, by bot and by seat."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from referee.games.interface.capabilities import SeatFacts, StatisticsTable
from referee.games.interface.seats import seat_id
from referee.games.small.machine import SmallGame

COLUMNS = ("bot", "seat", "matches", "points", "turns", "score")


class SeatOfMatch(Struct, frozen=True):
    """The facts about one player in one match."""

    seat: int
    turns: int
    score: float


class SmallStatistics:
    """Implements `referee.games.interface.capabilities.Statistics`."""

    def of_match(self, game: SmallGame) -> list[bytes]:
        """Return a `SeatOfMatch` as JSON for each seat, in seat order."""
        scores = enumerate(standing.score for standing in game.standings())
        return [msgspec.json.encode(SeatOfMatch(seat, game.turns, s)) for seat, s in scores]

    def tables(self, seats: Iterable[SeatFacts]) -> list[StatisticsTable]:
        """Return a table with the means of each bot, overall and by seat."""
        sums: dict[tuple[str, str], list[float]] = {}
        for each in seats:
            facts = msgspec.json.decode(each.facts, type=SeatOfMatch)
            numbers = (1, each.points, facts.turns, facts.score)
            # Each match counts twice, in the row of its seat and in the row of all seats.
            for where in ("all", seat_id(facts.seat)):
                row = sums.setdefault((each.bot, where), [0, 0, 0, 0])
                row[:] = [total + number for total, number in zip(row, numbers, strict=True)]
        rows: list[tuple[str | float, ...]] = [
            (bot, where, int(count), *(total / count for total in totals))
            for (bot, where), (count, *totals) in sorted(sums.items())
        ]
        title = "Points by seat; means per match"
        return [StatisticsTable(title, COLUMNS, rows, percent=("points",))]
