"""Statistics for each bot: average botlets, energy and so on in won, drawn and lost matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import add
from typing import Annotated

import msgspec
from msgspec import Meta, structs

from referee.games.botwars.rules.game import BotWars, Facts
from referee.games.interface.capabilities import SeatFacts, StatisticsTable

_COUNTS = ("turns", "botlets", *(field.name for field in structs.fields(Facts)))
_COLUMNS = ("bot", "result", "matches", *(name.replace("_", " ") for name in _COUNTS))
_RESULTS = ("all", "won", "drawn", "lost")
_Count = Annotated[int, Meta(ge=0, lt=2**53)]
_SeatFacts = msgspec.defstruct("_SeatFacts", [(name, _Count | bool) for name in _COUNTS])


class ArmyStatistics:
    """Implements `referee.games.interface.capabilities.Statistics` for Bot Wars."""

    def of_match(self, game: BotWars) -> list[bytes]:
        return [
            msgspec.json.encode(
                {
                    "turns": standing.turns,
                    "botlets": standing.score,
                    **structs.asdict(standing.facts),
                }
            )
            for standing in game.standings()
        ]

    def tables(self, seats: Iterable[SeatFacts]) -> list[StatisticsTable]:
        sums: dict[tuple[str, str], list[int]] = {}
        decode = msgspec.json.Decoder(_SeatFacts).decode
        for seat in seats:
            # (A seat gets 1 point for a win and a half for a draw.)
            result = "won" if seat.points == 1 else "drawn" if seat.points else "lost"
            facts = decode(seat.facts)
            counts = [1, *(getattr(facts, name) for name in _COUNTS)]
            # Each match counts twice, in the row of its result and in the row of all results.
            for row in ("all", result):
                before = sums.get((seat.bot, row), [0] * len(counts))
                sums[seat.bot, row] = list(map(add, before, counts))
        rows: list[Sequence[str | float | None]] = []
        for bot, result in sorted(sums, key=lambda row: (row[0], _RESULTS.index(row[1]))):
            matches, *totals = sums[bot, result]
            rows.append((bot, result, matches, *(total / matches for total in totals)))
        title = "Botlets and energy; mean per match"
        return [StatisticsTable(title, _COLUMNS, rows, percent=("spawn disabled",))]
