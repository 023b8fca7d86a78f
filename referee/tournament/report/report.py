"""The report on a store: standings, statistics and notable losses."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from referee.tournament.rating.deals import Deals
from referee.tournament.report.notable_losses import NotableLoss, notable_losses
from referee.tournament.report.standings import Standings, deals_of, standings
from referee.tournament.report.statistics import Statistics, statistics
from referee.tournament.store import Store


class Report(NamedTuple):
    """Standings, statistics, and notable losses by name of the bot."""

    found: Standings
    facts: Statistics
    notable_losses: dict[str, list[NotableLoss]]

    def as_json(self) -> dict[str, Any]:
        """Return the object of `--format json` (spec/json.md, 6) for msgspec to encode."""
        more = {"statistics": self.facts, "notable_losses": self.notable_losses}
        found = msgspec.structs.asdict(self.found)
        return {name: value for name, value in found.items() if value is not UNSET} | more


def report(
    store: Store,
    anchor: tuple[int, float] | None = None,
    without: Collection[int] = (),
    deals: Deals | None = None,
) -> Report:
    """Return the report on a store. Same arguments as `standings`."""
    if deals is None:
        deals = deals_of(store, without)
    found = standings(store, anchor, without, deals=deals)
    return Report(found, statistics(store), notable_losses(store, found, deals))
