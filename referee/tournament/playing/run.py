"""Runs a tournament: plays the missing matches and stores their results."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.playing.forfeits import Forfeits, Settled
from referee.tournament.playing.live import live_path
from referee.tournament.playing.records import remove_record, remove_unstored, write_record
from referee.tournament.rows import LEFT_OUT, MatchRow, unplayed_row
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.schedule.sprt import sequential
from referee.tournament.schedule.withdrawals import Withdrawal
from referee.tournament.stages import Stage, depends_on_results, planned, stages
from referee.tournament.store import Store

MOST_FAILED = 5
"""If the code of the game fails in each of the first matches, the run ends after this many."""


class Run:
    """Plays the matches that are missing in a store, and adds them to the store.

    Args:
        store: a store that has at least one stage.
        records: the folder to which records are written, or None.
        live: the folder of matches in progress (`Batch.live`), or None.

    Attributes:
        done: number of matches in the store, including void ones.
        played: number of matches played in this run.
        test: the state of the sequential test, or None.
        look: called at least every 0.1 s. It may raise to end the run.
        problems: for each error in the game's code, the matches that are void because of it.
        on_rows: called with matches that were added to the store.
        on_withdrawn: called with bots that were withdrawn, and also when a stored match became a
            forfeit or stopped being one.
    """

    def __init__(
        self, store: Store, *, records: Path | None = None, live: Path | None = None
    ) -> None:
        self.setup: TournamentSetup = store.stages[-1]
        self.total = planned(store)
        self._tournament = store.stages[0].digest
        self.done = 0
        self.played = 0
        self.test = sequential(self.setup)
        self.problems: defaultdict[str, list[MatchRow]] = defaultdict(list)
        self.look: Callable[[], None] = lambda: None
        self.on_rows: Callable[[Sequence[MatchRow]], None] = lambda rows: None
        self.on_withdrawn: Callable[[Mapping[int, Withdrawal]], None] = lambda withdrawn: None
        self._withdrawn = store.withdrawn
        has_rule = self.setup.withdraw_after is not None
        self._forfeits = Forfeits(store) if has_rule or self._withdrawn else None
        self._store = store
        self._records = records
        self._live = live
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the start of the run."""
        return time.monotonic() - self._began

    @property
    def has_broken_game(self) -> bool:
        """True if this run had `MOST_FAILED` or more matches, and the game's code failed in all."""
        failed = sum(map(len, self.problems.values()))
        return failed == self.played and failed >= MOST_FAILED

    def play(self, dispatcher: Dispatcher) -> None:
        """Play all missing matches.

        Returns early if a sequential test is decided, or if `has_broken_game`.

        Raises:
            UsageError: a result cannot be written.
            Exception: any error of `Dispatcher.play`.
        """
        left_out = self._store.left_out.keys()
        dispatcher.out |= self._store.bots_out() | left_out
        self.done, _ = self._store.count()
        if self._records is not None:
            remove_unstored(self._records, {*self._store.played()})
        if self.test is not None:
            self.test.add(self._store.matches())
        for stage in stages(self._store):
            # The next round depends on the results of this round, so even matches that can't be
            # played need a result.
            if left_out and depends_on_results(stage.setup):
                rows = [
                    unplayed_row(plan, left_out, LEFT_OUT, "it could not start")
                    for plan in stage.missing({*self._store.played()})
                    if not left_out.isdisjoint(plan.players)
                ]
                if rows:
                    self._add(rows)
            self._settle(stage, dispatcher)
            while not self._is_over():
                self._play_missing(stage, dispatcher)
                if dispatcher.is_stopping:
                    return
                if self._forfeits is None or self._forfeits.next >= stage.end:
                    # If some stored forfeits were dropped, `next` stops there, and we have to play
                    # these matches now.
                    break
            else:
                return

    def _play_missing(self, stage: Stage, dispatcher: Dispatcher) -> None:
        missing = stage.missing({*self._store.played()})
        for rows in dispatcher.play(stage.setup, missing, tournament=self._tournament):
            if rows:
                self._add(rows)
                self._settle(stage, dispatcher)
                if self.has_broken_game:  # if it hangs, each match would take 20 s
                    dispatcher.stop()
            self._store.check_in_place()
            self.look()
            if self._is_over():
                return

    def _settle(self, stage: Stage, dispatcher: Dispatcher) -> None:
        forfeits = self._forfeits
        # `Forfeits.settle` stops after some forfeits, and each bot in `found` may cause more of
        # them, so we repeat this until all are stored.
        if forfeits is None:
            return
        end = min(stage.end, self._decided_at or stage.end)
        first = -1
        while first < forfeits.next < end and forfeits.end is None:
            first = forfeits.next
            out = dispatcher.out - forfeits.found.keys()
            self._store_settled(forfeits, forfeits.settle(stage, out, end))
            dispatcher.out |= forfeits.found.keys()
            self.look()

    def _store_settled(self, forfeits: Forfeits, settled: Settled) -> None:
        before, now = self._withdrawn, forfeits.withdrawn
        if before == now and not any(settled):
            return
        self._remove_records([*(row.match for row in settled.forfeits), *settled.dropped])
        self._store.settle(settled.forfeits, settled.dropped, now)
        self._withdrawn = now
        self.done += len(settled.forfeits) - len(settled.replaced) - len(settled.dropped)
        new = {bot: now[bot] for bot in sorted(now.keys() - before.keys())}
        if new or settled.replaced or settled.dropped:
            self.on_withdrawn(new)

    @property
    def _decided_at(self) -> int | None:
        """Number of the first match that the test doesn't need, or None if it's undecided."""
        if self.test is None or self.test.verdict is None:
            return None
        return self.test.deals * self.setup.matches_a_deal

    def _is_over(self) -> bool:
        """Whether the tournament has ended early. If it has, later matches are deleted.

        This happens if a sequential test is decided, or if every remaining match has a withdrawn
        bot, whichever comes first in the schedule. A few later matches are in flight at that
        moment, and it's random how many of them finish. If we kept them, two runs of the same
        tournament could end with different tables.
        """
        first, forfeits = self._decided_at, self._forfeits
        if forfeits is not None:
            if forfeits.end is not None:
                first = forfeits.end
            elif first is not None and forfeits.next < first:
                return False
        if first is None:
            return False
        self._remove_records([match for match in self._store.played() if match >= first])
        self._store.drop(first)
        self.done, _ = self._store.count()
        return True

    def _remove_records(self, matches: Iterable[int]) -> None:
        if self._records is not None:
            for match in matches:
                remove_record(self._records, match, self.setup.players)

    def _add(self, rows: list[MatchRow]) -> None:
        finished = rows
        if self._forfeits is not None:  # the match may have become a forfeit while it was played
            rows = [row for row in finished if row.match >= self._forfeits.next]
        # Write the records first. If we're killed in between, remove_unstored() deletes them in the
        # next run. A missing record couldn't be restored.
        if self._records is not None:
            for row in rows:
                write_record(self._records, row)
        self._store.add(rows)
        if self._live is not None:
            for row in finished:
                with suppress(OSError):
                    live_path(self._live, row.match).unlink()
        self.done += len(rows)
        self.played += len(rows)
        for row in rows:
            if row.problem:
                self.problems[row.problem].append(row)
        if self.test is not None:
            self.test.add(rows)
        self.on_rows(rows)
