"""Everything that pages and JSON show of a store."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET

from referee.tournament.report.evening import Evening, evening
from referee.tournament.report.history import History, history
from referee.tournament.report.notable_losses import NotableLoss, notable_losses
from referee.tournament.report.played import played_of
from referee.tournament.report.standings import Standings, standings
from referee.tournament.report.statistics import Statistics, statistics
from referee.tournament.rows import MatchRow
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.store import Store

State: TypeAlias = tuple[tuple[int, int], ...]


class Shown(NamedTuple):
    """The content of a store, as its pages need it.

    Attributes:
        names: names of the bots, by number.
        notable_losses: lost matches to learn from, by the name of the bot.
        changed: when the store changed, in seconds since 1970.
        tournament: `Place.tournament` in the records of its matches.
        title: the title that its organiser gave it, or "".
        left: estimated seconds until the end, or None if we can't tell yet.
    """

    setup: TournamentSetup
    names: list[str]
    found: Standings
    facts: Statistics
    notable_losses: dict[str, list[NotableLoss]]
    history: History
    evening: Evening
    changed: float
    tournament: str
    title: str = ""
    left: float | None = None


def report_json(
    found: Standings, facts: Statistics, notable_losses: dict[str, list[NotableLoss]]
) -> dict[str, Any]:
    """Return the object that `--format json` prints (spec/json.md, 6). msgspec encodes it."""
    names = {name: name for name in (*(bot.name for bot in found.bots), *found.excluded)}
    more = {"shown": names, "statistics": facts, "notable_losses": notable_losses}
    known = msgspec.structs.asdict(found)
    return {name: value for name, value in known.items() if value is not UNSET} | more


def read_shown(
    store: Store,
    changed: float,
    anchor: tuple[int, float] | None = None,
    without: Collection[int] = (),
    most_paired: int | None = None,
    *,
    details: bool = False,
) -> Shown:
    """Read a store for its pages. Ratings, form and highlights share one pass over its matches.

    Args:
        changed: when the store changed, in seconds since 1970.
        anchor, without, most_paired: same as for `standings`.
        details: same as for `statistics`.
    """
    stages, names = store.stages, store.shown_names
    played = played_of(store, without)
    found = standings(store, anchor, without, most_paired, played)
    return Shown(
        stages[-1],
        names,
        found,
        statistics(store, details=details),
        notable_losses(store, found, played.deals),
        history(store, played.deals, found, anchor),
        evening(store, found, played),
        changed,
        stages[0].digest,
        store.title,
    )


class MatchContext(NamedTuple):
    """A match with the other matches of its deal, and the matches before and after it.

    Attributes:
        names: names of all bots, by number.
        deal: the matches of the same deal that were played, including this one.
        before, after: its neighbours in the schedule, or None.
    """

    store: str
    match: int
    names: list[str]
    deal: list[MatchRow]
    before: MatchRow | None
    after: MatchRow | None


def match_context(store: Store, name: str, match: int) -> MatchContext:
    """Return a match of a store, with the matches around it."""
    size = store.stages[0].matches_a_deal
    first = match // size * size
    deal = [*store.matches(first, first + size)]
    # The matches of a deal have consecutive numbers. But the match before or after this one may be
    # missing, so the query looks for the nearest number.
    (before,), (after,) = (
        store.select(f"SELECT {which}(match) FROM matches WHERE match {than} ?", (match,))
        for which, than in (("max", "<"), ("min", ">"))
    )
    beside = [
        None if number is None else next(store.matches(number, number + 1))
        for number in (*before, *after)
    ]
    return MatchContext(name, match, store.shown_names, deal, *beside)


def changed_at(state: State) -> float:
    """Return the time of the last change, in seconds since 1970.

    We can't just look at the store: during a run, SQLite writes into the file `-wal`, and only now
    and then moves the content to the store itself.
    """
    return max(time for _, time in state) / 1e9


def state_of(store: str) -> State:
    """Return the sizes and times of a store's files, which change whenever the store changes."""
    found = []
    for path in (store, f"{store}-wal"):
        with suppress(OSError):
            state = os.stat(path)
            found.append((state.st_size, state.st_mtime_ns))
    return tuple(found) or ((0, 0),)
