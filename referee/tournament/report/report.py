"""Combines a store's standings, statistics and notable losses in one report."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from referee.tournament.report.notable_losses import NotableLoss
from referee.tournament.report.standings import Standings
from referee.tournament.report.statistics import Statistics


class Report(NamedTuple):
    """The complete report on a store. Notable losses are listed by bot name."""

    found: Standings
    facts: Statistics
    notable_losses: dict[str, list[NotableLoss]]

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--format json` prints (spec/json.md, 6). msgspec encodes it."""
        more = {"statistics": self.facts, "notable_losses": self.notable_losses}
        found = msgspec.structs.asdict(self.found)
        return {name: value for name, value in found.items() if value is not UNSET} | more
