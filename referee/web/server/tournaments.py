"""Reports on stores, and caches the reports so that the bots get more of the CPU time.

During a tournament, a store changes about twice per second. If we made a new report each time, we'd
take too much CPU time from the bots. If a report took a second of CPU time, we show it for `IDLE`
seconds, so an open page costs only a small part of a core. The standings alone take a tenth of that
time, so we update them more often: after `FRESH` seconds at the latest.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import PurePath
from threading import Lock
from typing import Any, NamedTuple

from msgspec.structs import replace

from referee.errors import RefereeError, UsageError
from referee.logs.record import Place
from referee.tournament.report.report import (
    MatchContext,
    Shown,
    State,
    changed_at,
    match_context,
    read_shown,
    state_of,
)
from referee.tournament.report.season import Season, season
from referee.tournament.report.standings import Standings, standings
from referee.tournament.report.statistics import Statistics, statistics
from referee.tournament.rows import MatchRow
from referee.tournament.store import Store
from referee.web.data import Item, StoreSummary
from referee.web.server.library import File, check_in_place

IDLE = 20
FRESH = 0.5
_KEPT = 16
# To estimate how long a tournament will take, we remember the last times that we looked at its
# store. We keep at most this many of them ...
_LOOKS = 120
# ... and the first and the last of them must be at least this many seconds apart.
_LEAST_SECONDS = 3.0


class Entrants(NamedTuple):
    """Facts about the match with a certain digest, collected from all stores that have it.

    Attributes:
        stores: names of the stores in addresses.
        names: names of the bots, in seat order. If the stores disagree, the list is empty.
        stderr: last lines of the stderr of bots that were disqualified. If the stores disagree,
            this list is empty, too.
    """

    stores: list[str]
    names: list[str]
    stderr: list[str | None]


class _Cached(NamedTuple):
    # The standings are from this state of the store. If it changes, we still show them until
    # `fresh`.
    key: State
    # Everything else is from this state. If it changes, we still show it until `until`.
    whole: State
    until: float
    fresh: float
    shown: Shown
    # `statistics` with details, or None until a page needs them. They belong to `whole`, too.
    details: Statistics | None = None


class MatchesChosen(NamedTuple):
    """Selects matches of a store. We ignore fields that are None or "".

    Attributes:
        bot, against: numbers of bots. Both must be in the match.
        result: result of `bot`, or of any bot: "won", "drawn", "lost", "disqualified" or "faults".
        reason: the reason why the match ended.
    """

    bot: int | None = None
    against: int | None = None
    result: str = ""
    reason: str = ""


class Tournaments:
    """Makes reports on stores, and caches them. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._cache: OrderedDict[str, _Cached] = OrderedDict()
        self._seasons: OrderedDict[tuple[tuple[str, State], ...], tuple[Season, float]] = (
            OrderedDict()
        )
        self._summaries: dict[str, tuple[State, StoreSummary, str, list[str]]] = {}
        self._looks: dict[str, deque[tuple[float, int]]] = {}

    def cached(self, file: File) -> Shown | None:
        """Return the content of a store if it's cached and fresh enough, or None.

        Raises the same errors as `shown`, but doesn't look for damage.
        """
        check_in_place(file)
        key, now = state_of(file.path), time.monotonic()
        with self._lock:
            kept = self._cache.get(file.id)
            if kept is not None and (
                now < kept.fresh or (kept.key == key and (kept.whole == key or now < kept.until))
            ):
                self._cache.move_to_end(file.id)
                return kept.shown
        return None

    def shown(self, file: File) -> Shown:
        """Return a store's content. Raises `UsageError` if it's damaged, or was deleted.

        Concurrent calls for the same file would compute it twice (see turns.py).
        """
        known = self.cached(file)
        if known is not None:
            return known
        key, now = state_of(file.path), time.monotonic()
        with self._lock:
            kept = self._cache.get(file.id)
        old = None if kept is None or now >= kept.until else kept
        # This is CPU time, so it doesn't matter how long we wait on a busy machine. Otherwise,
        # pages would be updated less often there.
        begun = time.thread_time()
        with _opened(file, check=old is None) as store:
            # If there are just more matches than before, we update the standings and keep the rest.
            # If the bots have changed, we have to start over.
            if old is not None and old.shown.setup == store.stages[-1]:
                found = standings(store)
                shown = old.shown._replace(found=found, changed=changed_at(key))
            else:
                old = None
                shown = read_shown(store, changed_at(key))
            shown = shown._replace(left=self._estimate_left(file, shown.found))
        idle = IDLE * (time.thread_time() - begun)
        now = time.monotonic()
        whole, until = (key, now + idle) if old is None else (old.whole, old.until)
        details = None if old is None else old.details
        fresh = now + min(idle, FRESH)
        with self._lock:
            self._cache[file.id] = _Cached(key, whole, until, fresh, shown, details)
            while len(self._cache) > _KEPT:
                self._cache.popitem(last=False)
        return shown

    def detailed(self, file: File) -> Shown:
        """Return a store's content with reply times and the game's tables.

        We compute these for the pages that show them, since they take longer than everything else.
        """
        shown = self.shown(file)
        with self._lock:
            kept = self._cache.get(file.id)
        details = None if kept is None else kept.details
        if details is None:
            with _opened(file) as store:
                details = statistics(store, details=True)
            with self._lock:
                # In the meantime, another thread may have updated the standings, or everything.
                now = self._cache.get(file.id)
                if kept is not None and now is not None and now.whole == kept.whole:
                    self._cache[file.id] = now._replace(details=details)
        return shown._replace(facts=details)

    def _estimate_left(self, file: File, found: Standings) -> float | None:
        # We compute the mean speed between the first and the last look. That's impossible without
        # progress, and not accurate enough if there's little time between them.
        now, done = time.monotonic(), found.matches + found.void + found.forfeits
        with self._lock:
            looks = self._looks.setdefault(file.id, deque(maxlen=_LOOKS))
            looks.append((now, done))
            begun, before = looks[0]
        if done <= before or now - begun < _LEAST_SECONDS:
            return None
        return (found.planned - done) * (now - begun) / (done - before)

    def season(self, files: Sequence[File]) -> tuple[Season, float]:
        """Combine the standings of several stores.

        Also returns when one of the stores last changed, in seconds since 1970.

        Raises:
            UsageError: a store is damaged or was deleted, or the games differ.
        """
        state = tuple((file.id, state_of(file.path)) for file in files)
        with self._lock:
            if state in self._seasons:
                self._seasons.move_to_end(state)
                return self._seasons[state]
        with ExitStack() as opened:
            titles = [self.summary(file).title for file in files]
            are_different = len(set(titles)) == len(titles)
            stores = {
                title if are_different else file.id: opened.enter_context(_opened(file, check=True))
                for title, file in zip(titles, files, strict=True)
            }
            found = season(stores), max(changed_at(states) for _, states in state)
        with self._lock:
            self._seasons[state] = found
            while len(self._seasons) > _KEPT:
                self._seasons.popitem(last=False)
        return found

    def summary(self, file: File) -> StoreSummary:
        """Summarise a store for a list. If it's damaged, the summary has a `problem`."""
        return self._summary(file)[0]

    def tournament(self, file: File) -> str:
        """Return the `Place.tournament` of a store's records, or "" if we can't read the store."""
        return self._summary(file)[1]

    def bots(self, files: Iterable[File]) -> list[str]:
        """List the bots of some stores in order, by their names in tables, without duplicates."""
        return list(dict.fromkeys(name for file in files for name in self._summary(file)[2]))

    def playing(self, files: Iterable[File], place: Place | None) -> list[str]:
        """Find the stores of a match in progress. Returns their names in addresses.

        `place` comes from the record of the match.
        """
        found = []
        for file in files:
            if place is not None and self.tournament(file) == place.tournament:
                with suppress(RefereeError), _opened(file) as store:  # skip damaged stores
                    query = "SELECT 1 FROM matches WHERE match = ?"
                    # If the store already has this match, somebody is playing the same tournament
                    # again, and not for this store.
                    if not list(store.select(query, (place.match,))):
                        found.append(file.id)
        return found

    def context(self, files: Sequence[File], item: Item) -> MatchContext | None:
        """Find a record's match in the stores. Returns None if they don't have it."""
        place = item.place
        if item.checked is False or (place is None and not item.digest):
            return None
        for file in sorted(
            files, key=lambda file: place is None or self.tournament(file) != place.tournament
        ):
            with suppress(RefereeError), _opened(file) as store:
                if item.digest:
                    query = "SELECT match FROM matches WHERE digest = ? ORDER BY match"
                    numbers = [number for (number,) in store.select(query, (item.digest,))]
                else:
                    numbers = [place.match] if place and self.playing([file], place) else []
                if numbers:
                    is_own = place is not None and place.match in numbers
                    return match_context(
                        store, file.id, place.match if is_own and place else numbers[0]
                    )
        return None

    def _summary(self, file: File) -> tuple[StoreSummary, str, list[str]]:
        key = state_of(file.path)
        known = self._summaries.get(file.id)
        if known is not None and known[0] == key:
            return known[1:]
        changed, tournament, bots = changed_at(key), "", list[str]()
        found = StoreSummary(file.id, PurePath(file.id).stem, changed)
        try:
            with _opened(file) as store:
                stages, matches = store.stages, store.count()[0]
                setup, tournament = stages[-1], stages[0].digest
                about = (setup.game, setup.format, len(setup.bots), matches)
                bots = store.shown_names
                found = StoreSummary(file.id, store.title or found.title, changed, *about)
        except (UsageError, IndexError) as error:
            found = replace(found, problem=str(error) or "there is nothing in it")
        self._summaries[file.id] = (key, found, tournament, bots)
        return found, tournament, bots

    def entrants(self, files: Iterable[File], digests: Collection[str]) -> dict[str, Entrants]:
        """Find the matches with these digests in all stores."""
        found: dict[str, Entrants] = {}
        wanted = [*filter(None, digests)]
        marks = ", ".join("?" * len(wanted))
        query = f"SELECT digest, match FROM matches WHERE digest IN ({marks})"
        for file in files:
            # We skip a damaged store, because the list already reports the damage.
            with suppress(RefereeError), _opened(file) as store:
                of_bots = store.shown_names
                for digest, match in list(store.select(query, wanted)):
                    seats = [seat for row in store.matches(match, match + 1) for seat in row.seats]
                    names = [of_bots[seat.bot] for seat in seats]
                    stderr = [seat.stderr for seat in seats]
                    known = found.setdefault(digest, Entrants([], names, stderr))
                    stores = list(dict.fromkeys([*known.stores, file.id]))
                    same = names == known.names, stderr == known.stderr
                    found[digest] = Entrants(
                        stores, names if same[0] else [], stderr if same[1] else []
                    )
        return found

    def digests(self, file: File, matches: Collection[int]) -> dict[int, str]:
        """Return the digests of these matches, by match number."""
        with _opened(file) as store:
            query = "SELECT digest FROM matches WHERE match = ?"
            return {match: found for match in matches for (found,) in store.select(query, (match,))}

    def matches(
        self, file: File, chosen: MatchesChosen, first: int, count: int
    ) -> tuple[int, list[MatchRow]]:
        """List a page of the selected matches of a store, newest first.

        Returns the number of selected matches, and `count` of them, beginning with number `first`.
        We don't look for damage here, because `shown` has already done that.
        """
        where, parameters = _where(chosen)
        with _opened(file) as store:
            ((total,),) = store.select(f"SELECT count(*) FROM matches {where}", parameters)
            numbers = store.select(
                f"SELECT match FROM matches {where} ORDER BY match DESC LIMIT ? OFFSET ?",
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
    except UsageError as error:  # visitors don't need to know where our files are
        raise UsageError(str(error).replace(file.path, file.id)) from error
