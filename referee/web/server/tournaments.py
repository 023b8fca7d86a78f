"""The reports on stores of tournaments, computed once for each state of a store.

A store that is being written changes twice a second, and a report takes CPU time. Results are
shown until they are older than `IDLE` times this CPU time. An open page then takes only a small
part of a core from the tournament. The standings are a tenth of the report: they are renewed more
often, and after `FRESH` seconds at the latest.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct

from referee.errors import RefereeError, UsageError
from referee.tournament.report.history import History, history
from referee.tournament.report.report import Report, report
from referee.tournament.report.season import Season, season, tournament_names
from referee.tournament.report.standings import standings
from referee.tournament.rows import MatchRow
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.store import Store
from referee.web.server.library import File, check_in_place

IDLE = 20
FRESH = 0.5
_KEPT = 16

State: TypeAlias = tuple[tuple[int, int], ...]


class Shown(NamedTuple):
    """A store as its pages show it, the names by number; `changed` in seconds since 1970."""

    setup: TournamentSetup
    names: list[str]
    report: Report
    history: History
    changed: float


class Entrants(NamedTuple):
    """What tournaments know of a match, by its digest.

    Attributes:
        stores: names in addresses.
        names: of its bots, in seat order. Empty if the stores do not agree.
        stderr: the last lines of the bots that were disqualified in it. Empty as well.
    """

    stores: list[str]
    names: list[str]
    stderr: list[str | None]


class StoreSummary(Struct, frozen=True):
    """A store in a list (spec/serve.md, 3); `problem` says why it cannot be shown."""

    id: str
    changed: float
    game: str = ""
    format: str = ""
    bots: int = 0
    matches: int = 0
    problem: str = ""


class _Kept(NamedTuple):
    """The results on a store so far.

    The standings are of the state `key` and shown until `fresh`, all else of `whole` and `until`.
    """

    key: State
    whole: State
    until: float
    fresh: float
    shown: Shown


class MatchesChosen(NamedTuple):
    """Which matches of a store are listed; None lets all through.

    Attributes:
        bot, against: numbers of bots that are both in it.
        result: of `bot`, or of any: "won", "drawn", "lost", "disqualified" or "faults".
        reason: why it ended.
    """

    bot: int | None = None
    against: int | None = None
    result: str = ""
    reason: str = ""


class Tournaments:
    """What stores say. Its methods may be called in any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._seasons: OrderedDict[tuple[tuple[str, State], ...], tuple[Season, float]] = (
            OrderedDict()
        )
        self._glances: dict[str, tuple[State, StoreSummary]] = {}

    def known(self, file: File) -> Shown | None:
        """A store as its pages show it, if that was computed lately; raises as `shown`."""
        check_in_place(file)
        key, now = state_of(file.path), time.monotonic()
        with self._lock:
            kept = self._kept.get(file.id)
            if kept is not None and (
                now < kept.fresh or (kept.key == key and (kept.whole == key or now < kept.until))
            ):
                self._kept.move_to_end(file.id)
                return kept.shown
        return None

    def shown(self, file: File) -> Shown:
        """A store as its pages show it; raises `UsageError` if it is damaged, or was removed.

        Two calls for the same file at a time compute it twice (turns.py).
        """
        known = self.known(file)
        if known is not None:
            return known
        key, now = state_of(file.path), time.monotonic()
        with self._lock:
            kept = self._kept.get(file.id)
        old = None if kept is None or now >= kept.until else kept
        begun = time.thread_time()  # of this thread alone: a busy machine makes no page older
        with _opened(file, check=old is None) as store:
            if old is not None and (old.shown.setup, old.shown.names) == (
                store.stages[-1],
                store.names,
            ):
                found = old.shown.report._replace(found=standings(store))
                shown = old.shown._replace(report=found, changed=key[0][1] / 1e9)
            else:
                old = None
                setup, parts = store.stages[-1], (report(store), history(store))
                shown = Shown(setup, store.names, *parts, key[0][1] / 1e9)
        idle = IDLE * (time.thread_time() - begun)
        now = time.monotonic()
        whole, until = (key, now + idle) if old is None else (old.whole, old.until)
        with self._lock:
            self._kept[file.id] = _Kept(key, whole, until, now + min(idle, FRESH), shown)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return shown

    def season(self, files: Sequence[File]) -> tuple[Season, float]:
        """Several stores together, and when the newest was written, in seconds since 1970.

        Raises:
            UsageError: a store is damaged or was removed, or they are of different games.
        """
        state = tuple((file.id, state_of(file.path)) for file in files)
        with self._lock:
            if state in self._seasons:
                self._seasons.move_to_end(state)
                return self._seasons[state]
        with ExitStack() as opened:
            names = tournament_names([file.id for file in files])
            stores = {
                name: opened.enter_context(_opened(file, check=True))
                for name, file in zip(names, files, strict=True)
            }
            found = season(stores), max(states[0][1] for _, states in state) / 1e9
        with self._lock:
            self._seasons[state] = found
            while len(self._seasons) > _KEPT:
                self._seasons.popitem(last=False)
        return found

    def glance(self, file: File) -> StoreSummary:
        """A store in a list."""
        key = state_of(file.path)
        known = self._glances.get(file.id)
        if known is not None and known[0] == key:
            return known[1]
        changed = key[0][1] / 1e9
        try:
            with _opened(file) as store:
                setup, matches = store.stages[-1], store.count()[0]
                about = (setup.game, setup.format, len(setup.bots), matches)
                found = StoreSummary(file.id, changed, *about)
        except (UsageError, IndexError) as error:
            found = StoreSummary(file.id, changed, problem=str(error) or "there is nothing in it")
        self._glances[file.id] = (key, found)
        return found

    def entrants(self, files: Iterable[File], digests: Collection[str]) -> dict[str, Entrants]:
        """What tournaments know of the matches with these digests."""
        found: dict[str, Entrants] = {}
        wanted = [*filter(None, digests)]
        marks = ", ".join("?" * len(wanted))
        query = f"SELECT digest, match FROM matches WHERE digest IN ({marks})"
        for file in files:
            with suppress(RefereeError), _opened(file) as store:  # a damaged one is listed so
                for digest, match in list(store.select(query, wanted)):
                    seats = [seat for row in store.matches(match, match + 1) for seat in row.seats]
                    names = [store.names[seat.bot] for seat in seats]
                    stderr = [seat.stderr for seat in seats]
                    known = found.setdefault(digest, Entrants([], names, stderr))
                    stores = list(dict.fromkeys([*known.stores, file.id]))
                    same = names == known.names, stderr == known.stderr
                    found[digest] = Entrants(
                        stores, names if same[0] else [], stderr if same[1] else []
                    )
        return found

    def digests(self, file: File, matches: Collection[int]) -> dict[int, str]:
        """The digests of some matches of a store, by their numbers."""
        with _opened(file) as store:
            query = "SELECT digest FROM matches WHERE match = ?"
            return {match: found for match in matches for (found,) in store.select(query, (match,))}

    def matches(
        self, file: File, chosen: MatchesChosen, first: int, count: int
    ) -> tuple[int, list[MatchRow]]:
        """How many matches of a store are listed, and some of them, in the order of the schedule.

        All rows of the store were looked at by `shown` before.
        """
        where, parameters = _where(chosen)
        with _opened(file) as store:
            ((total,),) = store.select(f"SELECT count(*) FROM matches {where}", parameters)
            numbers = store.select(
                f"SELECT match FROM matches {where} ORDER BY match LIMIT ? OFFSET ?",
                [*parameters, count, first],
            )
            return total, [row for (match,) in numbers for row in store.matches(match, match + 1)]


_RESULTS = {
    "won": "rank = 1 AND NOT {shared}",
    "drawn": "rank = 1 AND {shared}",
    "lost": "rank > 1",
    "disqualified": "disqualified NOT NULL",
    "faults": "faults != '{{}}'",
}
RESULTS = tuple(_RESULTS)
_SHARED = (
    "EXISTS (SELECT 1 FROM seats AS other WHERE other.match = seats.match AND other.rank = 1 "
    "AND other.seat != seats.seat)"
)


def _where(chosen: MatchesChosen) -> tuple[str, list[Any]]:
    parts = ["NOT void"]
    parameters: list[Any] = []
    if chosen.reason:
        parts.append("reason = ?")
        parameters.append(chosen.reason)
    for bot, result in ((chosen.bot, chosen.result), (chosen.against, "")):
        seat = []
        if bot is not None:
            seat.append("bot = ?")
            parameters.append(bot)
        if result:
            seat.append(_RESULTS[result].format(shared=_SHARED))
        if seat:
            parts.append(f"match IN (SELECT match FROM seats WHERE {' AND '.join(seat)})")
    return f"WHERE {' AND '.join(parts)}", parameters


@contextmanager
def _opened(file: File, *, check: bool = False) -> Iterator[Store]:
    check_in_place(file)
    try:
        with Store.for_reading(file.path, check=check) as store:
            yield store
    except UsageError as error:  # the server's folders are nobody's business
        raise UsageError(str(error).replace(file.path, file.id)) from error


def state_of(store: str) -> State:
    """Size and time of the files of a store, which change when the store does."""
    found = []
    for path in (store, f"{store}-wal"):
        with suppress(OSError):
            state = os.stat(path)
            found.append((state.st_size, state.st_mtime_ns))
    return tuple(found) or ((0, 0),)
