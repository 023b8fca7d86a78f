"""Statistics for each bot: average botlets, energy and so on in won, drawn and lost matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, structs

from referee.games.botwars.rules.game import BotWars, Facts
from referee.games.interface.capabilities import SeatFacts, StatisticsTable

_COUNTS = ("turns", "botlets", *(field.name for field in structs.fields(Facts)))
_COLUMNS = ("bot", "result", "matches", *(name.replace("_", " ") for name in _COUNTS))
_RESULTS = ("won", "drawn", "lost")
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
        bots: dict[str, dict[str, list[int]]] = {}
        decode = msgspec.json.Decoder(_SeatFacts).decode
        for seat in seats:
            # (A seat gets 1 point for a win and a half for a draw.)
            result = "won" if seat.points == 1 else "drawn" if seat.points else "lost"
            facts = decode(seat.facts)
            sums = bots.setdefault(seat.bot, {}).setdefault(result, [0] * (1 + len(_COUNTS)))
            sums[0] += 1
            for place, name in enumerate(_COUNTS, 1):
                sums[place] += getattr(facts, name)
        rows: list[Sequence[str | float | None]] = []
        for bot in sorted(bots):
            results = [(result, bots[bot][result]) for result in _RESULTS if result in bots[bot]]
            # Every match is won, drawn or lost, so the total is the sum over these results.
            total = [sum(column) for column in zip(*(sums for _, sums in results), strict=True)]
            for result, (matches, *counts) in [("all", total), *results]:
                rows.append((bot, result, matches, *(count / matches for count in counts)))
        title = "Botlets and energy; mean per match"
        return [StatisticsTable(title, _COLUMNS, rows, percent=("spawn disabled",))]
