"""A run of a tournament: it plays the missing matches and stores their results."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import suppress
from pathlib import Path

from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.playing.live import live_of
from referee.tournament.playing.records import remove_record, write_record
from referee.tournament.rows import LEFT_OUT, MatchRow, Plan, unplayed_row
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.schedule.sprt import Sequential, sequential
from referee.tournament.stages import pairs_by_results, planned, stages
from referee.tournament.store import Store


class Run:
    """Plays what a store with a setup has not got yet.

    Args:
        records: a folder for the records that the dispatcher gives back, or None.
        live: the folder of the dispatcher's `live`, or None.

    Attributes:
        done: matches in the store, void ones among them; `played`: matches of this run.
        test: of a sequential test, how it stands; else None.
        look: is called at least every 0.1 s; may raise to end the run.
        problems: of the game, each with the number of the matches that are void for it.
        on_rows: is given the matches that were added to the store.
    """

    def __init__(
        self, store: Store, *, records: Path | None = None, live: Path | None = None
    ) -> None:
        self.setup: TournamentSetup = store.stages[-1]
        self.total = planned(store)
        self.done = 0
        self.played = 0
        self.test = sequential(self.setup)
        self.problems: Counter[str] = Counter()
        self.look: Callable[[], None] = lambda: None
        self.on_rows: Callable[[Sequence[MatchRow]], None] = lambda rows: None
        self._store = store
        self._records = records
        self._live = live
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since this run began."""
        return time.monotonic() - self._began

    def play(self, dispatcher: Dispatcher) -> None:
        """Play all that is missing; of a sequential test no more than decides it.

        It raises what `Dispatcher.play` does, and `UsageError` if a result cannot be written.
        """
        there = set(self._store.played())
        out, left_out = self._store.put_out(), self._store.left_out.keys()
        dispatcher.out |= out | left_out
        self.done = len(there)
        if self.test is not None:
            self.test.add(self._store.matches())
            if self._is_decided(self.test):
                return
        for stage in stages(self._store):
            if left_out and pairs_by_results(stage.setup):
                self._forfeit(stage.missing(there, out), left_out)
            for rows in dispatcher.play(stage.setup, stage.missing(there)):
                if rows:
                    self._add(rows)
                self._store.check_in_place()
                self.look()
                if self.test is not None and self._is_decided(self.test):
                    return
            if dispatcher.is_stopping:
                return

    def _forfeit(self, missing: Iterator[Plan], left_out: Set[int]) -> None:
        """Note the matches of a round that cannot be played: the next round depends on them."""
        detail = "it could not start"
        rows = [
            unplayed_row(plan, left_out, LEFT_OUT, detail)
            for plan in missing
            if not left_out.isdisjoint(plan.players)
        ]
        if rows:
            self._add(rows)

    def _is_decided(self, test: Sequential) -> bool:
        """Whether the test has a verdict; chance decided how many matches go beyond it."""
        if test.verdict is None:
            return False
        first = test.deals * self.setup.matches_a_deal
        if self._records is not None:
            for match in self._store.played():
                if match >= first:
                    remove_record(self._records, match, self.setup.players)
        self._store.drop(test.deals)
        self.done, _ = self._store.count()
        return True

    def _add(self, rows: list[MatchRow]) -> None:
        if self._records is not None:
            for row in rows:
                write_record(self._records, row)
        self._store.add(rows)
        if self._live is not None:
            for row in rows:
                with suppress(OSError):
                    live_of(self._live, row.match).unlink()
        self.done += len(rows)
        self.played += len(rows)
        self.problems.update([row.problem for row in rows if row.problem])
        if self.test is not None:
            self.test.add(rows)
        self.on_rows(rows)


def is_finished(store: Store) -> bool:
    """Whether nothing is left to play in a store that has a setup."""
    setup = store.stages[-1]
    test = sequential(setup, store.matches())
    if test is not None and test.verdict is not None:
        return True
    if store.count()[0] >= planned(store):
        return True
    there, out = set(store.played()), store.put_out()
    return bool(out) and not any(True for stage in stages(store) for _ in stage.missing(there, out))
