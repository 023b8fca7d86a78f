"""The report on a tournament: standings, statistics and notable losses from its store."""

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
    """The standings, and what else there is to say; lost matches by the names of the bots."""

    found: Standings
    facts: Statistics
    notable_losses: dict[str, list[NotableLoss]]

    def as_json(self) -> dict[str, Any]:
        """The object of `--format json` (spec/json.md, 6), to be encoded by msgspec."""
        more = {"statistics": self.facts, "notable_losses": self.notable_losses}
        found = msgspec.structs.asdict(self.found)
        return {name: value for name, value in found.items() if value is not UNSET} | more


def report(
    store: Store,
    anchor: tuple[int, float] | None = None,
    without: Collection[int] = (),
    deals: Deals | None = None,
) -> Report:
    """Report on a store; same arguments as `standings`."""
    if deals is None:
        deals = deals_of(store, without)
    found = standings(store, anchor, without, deals=deals)
    return Report(found, statistics(store), notable_losses(store, found, deals))
