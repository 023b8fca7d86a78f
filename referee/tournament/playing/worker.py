"""Play a batch, and keep bots alive between matches."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from multiprocessing.util import Finalize
from pathlib import Path

import trio
from msgspec.structs import replace

from referee._version import __version__
from referee.bots.bot import Bot
from referee.bots.command import BotCommand, BotSource, are_objects, new_objects
from referee.bots.hosting import borrow_bots, release
from referee.bots.processes.orphans import children, kill_orphans
from referee.bots.processes.pool import BotPool
from referee.bots.processes.prctl import adopt_orphans
from referee.course import Course, Played
from referee.errors import GameError, UsageError
from referee.explaining import sentence
from referee.games.interface.faults import LATE_REPLIES, OUT_OF_TIME, Disqualification
from referee.logs.record import Place, RecordedStderr
from referee.logs.sink import MemorySink
from referee.match.opening import opening_answers
from referee.objects import play_objects
from referee.runner import Runner, replayed
from referee.text.terminal import duration
from referee.tournament.entrants import find_entrant
from referee.tournament.playing.batch import BATCH_SECONDS, Batch
from referee.tournament.playing.live import LiveRecord, live_path
from referee.tournament.playing.witness import witness_seconds
from referee.tournament.rows import (
    Entrant,
    LateReply,
    MatchRow,
    Plan,
    SeatRow,
    faults_of,
    histogram,
    limits_of_bots,
    reached,
    void_row,
)

# If a bot times out while the referee itself is late, it may not be the bot's fault, so we play the
# match again. If that happens again after this many replays, the match is void.
MAX_LATE_REPLAYS = 3
# The referee is late if it was delayed by more than this fraction of the limit that the bot
# exceeded.
LATE_PART = 0.1
# We observe a bot that was late for so many seconds, before we kill it.
LOOK_SECONDS = 0.2
# The witness isn't late before this many seconds. Usually it takes a few hundredths.
WITNESS_SECONDS = 1.0
# If a bot writes more bytes than this to stderr, we only keep the first and the last half of this
# many.
MAX_STDERR = 64 * 1024


def end_bots() -> None:
    """Stop this thread's kept bots, and any child processes that bots have left behind."""
    this_worker().end()


_threads = threading.local()


def this_worker() -> Worker:
    """Return the worker of this thread."""
    if not hasattr(_threads, "worker"):
        _threads.worker = Worker()
        adopt_orphans()
        # We can't use atexit here, because it has no effect in a child process of multiprocessing.
        Finalize(None, _threads.worker.end, exitpriority=1)
    worker: Worker = _threads.worker
    return worker


class Worker:
    """A thread's kept bots, and everything else that it remembers between batches."""

    def __init__(self) -> None:
        self.busy = threading.Lock()
        self._pool = BotPool()
        self._spare = children()
        self._never_keep: set[Entrant] = set()
        self._run = ""
        self._files: dict[BotSource, list[str]] = {}
        self._opening: tuple[object, Sequence[Sequence[bytes | None]]] = None, ()

    def end(self) -> None:
        """Stop the kept bots. Waits until `play` has returned."""
        with self.busy:
            self.finish()

    def play(self, batch: Batch) -> list[MatchRow]:
        """Play matches of a batch, as `play_batch` does, but raise any errors."""
        batch = batch.opened()
        # In a new run, some matches may be played again. Bots that have waited since the last run
        # have already seen these matches.
        if batch.run != self._run:
            self._run = batch.run
            self.finish()
        sources = {
            number: batch.sources.get(number) or find_entrant(entrant, batch.spec.game)
            for number, entrant in batch.entrants.items()
        }
        for source in sources.values():
            if isinstance(source, BotCommand) and source not in self._files:
                # Remember now which of its arguments are files. If a file is deleted later and the
                # bot fails, we blame the missing file and not the bot (see `_check_files`).
                self._files[source] = _files(source)
        # A match between Python objects needs no event loop. It's much faster without one.
        if are_objects(sources.values()) and not (batch.answers or batch.spec.opening):
            plans = _until_deadline(batch.plans)
            rows = [_Attempt(batch, plan, sources).play_objects() for plan in plans]
        else:
            rows = trio.run(self._play_all, batch, sources)
        if batch.alone:
            self.finish()
        return rows

    def finish(self) -> None:
        """Stop the kept bots and wait for them."""
        if self._pool.waiting:
            trio.run(self._pool.finish)
        kill_orphans(self._spare)

    def kill(self) -> None:
        """Kill the kept bots without giving them time to exit."""
        self._pool.end()
        kill_orphans(self._spare)

    async def _play_all(self, batch: Batch, sources: Mapping[int, BotSource]) -> list[MatchRow]:
        return [await self._play(batch, plan, sources) for plan in _until_deadline(batch.plans)]

    async def _play(self, batch: Batch, plan: Plan, sources: Mapping[int, BotSource]) -> MatchRow:
        # We play the match again if we were late ourselves, or if a kept bot failed in its
        # handshake.
        late = restarts = 0
        late_starts: list[LateReply] = []
        while late <= MAX_LATE_REPLAYS:
            attempt = _Attempt(batch, plan, sources, fresh=late + restarts > 0)
            try:
                is_again = await self._attempt(attempt)
            except GameError as error:
                return attempt.void_row(error)
            finally:
                attempt.close()
            for seat, left in attempt.played.disqualified.items():
                if left.code in (Disqualification.EXITED, Disqualification.FAILED_TO_START):
                    self._check_files(attempt.sources[seat])
            if is_again:
                restarts += 1
                late_starts += attempt.late_replies()
            elif attempt.is_late() or await attempt.is_witnessed():
                late += 1
            else:
                break
        return attempt.row(late, restarts, late_starts)

    def _answers(self, attempt: _Attempt) -> Sequence[Sequence[bytes | None]]:
        """Return the replies of the position and of the opening, for each seat."""
        before, spec = attempt.batch.answers, attempt.spec
        if not spec.opening:
            return before
        # The matches of a deal have the same opening, so we keep it for the next match.
        seed, opening = self._opening
        if seed != (spec.luck, attempt.batch.run):
            opening = opening_answers(spec, before)
            self._opening = (spec.luck, attempt.batch.run), opening
        return opening

    def _check_files(self, source: BotSource) -> None:
        for file in self._files.get(source, ()):
            if not os.path.isfile(file):
                raise UsageError(
                    f"BOT {source.argument}: {file} is missing: put it back and start again; "
                    "matches that the bot lost for that are not saved"
                )

    async def _attempt(self, attempt: _Attempt) -> bool:
        """Play the match once.

        Returns True if it must be played again, because a kept bot failed in its handshake. Maybe
        its process just didn't survive the wait, so the bot gets another chance with a new process.
        From then on, we don't keep this bot's processes any more.
        """
        batch, entrants, spec = attempt.batch, attempt.entrants, attempt.spec
        match = attempt.match
        # All matches of a deal have the same cards. A process must not play two of them, because it
        # would know the cards in the second one. We only reuse it for the same match of other
        # deals.
        place = attempt.plan.match % batch.matches_a_deal
        keys = [(entrant, place) if batch.keep_alive else None for entrant in entrants]
        processes = {s for s, bot in enumerate(attempt.sources) if isinstance(bot, BotCommand)}
        async with borrow_bots(
            self._pool,
            spec,
            attempt.sources,
            keys,
            attempt.stderr,
            attempt.recorded,
            fresh=attempt.fresh,
            look_seconds=LOOK_SECONDS,
        ) as borrowed:
            bots: Sequence[Bot] = borrowed
            if answers := self._answers(attempt):
                bots = replayed(borrowed, attempt.sources, answers)
            waited = {seat for seat in processes if borrowed[seat].started is None}
            runner = Runner(attempt.course(bots), alone=True)
            runner.idle = lambda: self._pool.waiting
            runner.overslept = attempt.lateness.note
            await runner.run()
            attempt.left_at = runner.left_at
            able = match.keep_alive if batch.keep_alive else set()
            keep = {seat for seat in able if entrants[seat] not in self._never_keep}
            graces = [limits.grace for limits in spec.each_limits]
            released = await release(borrowed, keep, graces)
            attempt.played = await runner.close(able)
        # The bots that we didn't keep have ended by now, but they may have left child processes
        # behind.
        if processes - released:
            kill_orphans(self._spare)
        failed = match.failed_handshake & waited
        self._never_keep |= {entrants[seat] for seat in failed}
        return bool(failed)


class Lateness:
    """How late this process was during a match. Delays that a bot may have caused don't count.

    Attributes:
        worst: for each seat, the longest delay in seconds.
        total: for each seat, the sum of all delays in seconds.
    """

    def __init__(self, seats: int) -> None:
        self.worst = [0.0] * seats
        self.total = [0.0] * seats

    def note(self, late: float, seats: Iterable[int]) -> None:
        """Record a delay.

        Args:
            late: the delay in seconds.
            seats: the seats whose bots can't have caused it.
        """
        for seat in seats:
            self.worst[seat] = max(self.worst[seat], late)
            self.total[seat] += late


class _Attempt:
    """One attempt to play a match.

    Args:
        sources: the programs of the bots, by number of the bot.
        fresh: if True, don't use kept processes, because they have already seen this match.
    """

    played: Played

    def __init__(
        self, batch: Batch, plan: Plan, sources: Mapping[int, BotSource], *, fresh: bool = False
    ) -> None:
        self.batch = batch
        self.plan = plan
        self.began = time.monotonic()
        self.fresh = fresh
        self.entrants = [batch.entrants[number] for number in plan.players]
        self.sources = [sources[number] for number in plan.players]
        bots = tuple([entrant.bot for entrant in self.entrants])
        names = () if batch.results else tuple([entrant.name for entrant in self.entrants])
        limits = limits_of_bots(batch.spec.limits, self.entrants)
        spec = replace(batch.spec, bots=bots, names=names, limits_of_bots=limits)
        self.spec = spec.with_luck(plan.seed)
        self.match = self.spec.new_match()
        self.record: MemorySink | None = None
        if batch.live:
            self.record = LiveRecord(live_path(Path(batch.live), plan.match))
        elif batch.keep != "none":
            self.record = MemorySink()
        self.stderr = [MemorySink() for _ in bots]
        self.recorded = [RecordedStderr() for _ in bots] if batch.record_stderr else []
        self.lateness = Lateness(len(bots))
        self.left_at: Mapping[int, float] = {}  # see `Runner`

    def course(self, bots: Sequence[Bot]) -> Course:
        tournament = self.batch.tournament
        return Course(
            self.spec,
            bots,
            record=self.record,
            stderr=self.recorded,
            digest=not self.batch.results,  # only a store needs the digest
            messages=True,
            match=self.match,
            place=Place(tournament, self.plan.match) if tournament else None,
        )

    def play_objects(self) -> MatchRow:
        """Play a match between Python objects, which are never late and never kept."""
        try:
            self.played = play_objects(self.course(new_objects(self.sources)))
        except GameError as error:
            return self.void_row(error)
        finally:
            self.close()
        return self.row(0, 0, [])

    def close(self) -> None:
        if self.record is not None:
            self.record.close()

    def is_late(self) -> bool:
        """Whether a timeout may be the referee's fault, because the referee was late itself."""
        lateness = self.lateness
        for seat, left in self.played.disqualified.items():
            limits = self.spec.each_limits[seat]
            parts = {
                Disqualification.TIMEOUT: lateness.worst[seat] / limits.time_limit,
                Disqualification.STARTUP_TIMEOUT: lateness.worst[seat] / limits.startup_limit,
                Disqualification.TIME_BANK: lateness.total[seat] / limits.time_bank,
            }
            if parts.get(left.code, 0.0) > LATE_PART:
                return True
        return False

    async def is_witnessed(self) -> bool:
        """Whether a trivial program is late, too, now that a bot was late for a reply."""
        late = [
            self.spec.each_limits[seat].time_limit
            for seat, left in self.played.disqualified.items()
            if left.code in LATE_REPLIES
        ]
        if not late:
            return False
        return await witness_seconds(self.spec) > max(WITNESS_SECONDS, LATE_PART * max(late))

    def row(self, late: int, restarts: int, late_starts: Sequence[LateReply]) -> MatchRow:
        """Return the finished match as a row for the store.

        Args:
            late: number of attempts in which the referee was late.
            restarts: number of attempts in which a kept bot failed in its handshake.
            late_starts: the replies that were late in these attempts.
        """
        played, result, batch, plan = self.played, self.played.result, self.batch, self.plan
        is_stored = not batch.results  # only a store needs most of the columns
        statistics = [text.decode() for text in self.match.statistics()] if is_stored else []
        seats = []
        for seat, player in enumerate(result.players):
            if not is_stored:
                seats.append(SeatRow(plan.match, seat, plan.players[seat], rank=player.rank))
                continue
            left, seconds = played.disqualified.get(seat), played.reply_seconds[seat]
            stderr = None if player.stderr is None else "\n".join(player.stderr.lines)
            seats.append(
                SeatRow(
                    match=plan.match,
                    seat=seat,
                    bot=plan.players[seat],
                    calls_itself=player.name,
                    rank=player.rank,
                    score=player.score,
                    faults=faults_of(player.faults),
                    disqualified=left.code.value if left else None,
                    detail=left.detail if left else reached(played.reached[seat]),
                    stderr=stderr if left else None,
                    replies=len(seconds),
                    reply_seconds=sum(seconds),
                    longest_reply=max(seconds, default=0.0),
                    reply_histogram=histogram(seconds),
                    statistics=statistics[seat] if statistics else "",
                    cause=self._cause(seat),
                )
            )
        is_faulty = bool(played.disqualified) or any(player.faults for player in result.players)
        is_kept = batch.keep == "all" or (batch.keep == "faulty" and is_faulty)
        row = MatchRow(
            plan.match,
            plan.deal,
            plan.seed,
            turns=result.turns,
            reason=result.reason,
            void=late > MAX_LATE_REPLAYS,
            late=late,
            restarts=restarts,
            seconds=result.duration_seconds,
            digest=played.digest,
            referee=__version__,
            messages=played.messages,
            seats=tuple(seats),
            result=result if batch.results else None,
            late_replies=(*late_starts, *self.late_replies()),
        )
        if is_kept:
            self._add_files(row)
        return row

    def _cause(self, seat: int) -> str | None:
        """Say what a bot's process did when its time was over, and how late the referee was."""
        silence = self.played.silences.get(seat)
        if silence is None:
            return None
        asked = json.loads(self.played.disqualified[seat].asked)["type"]
        late = duration(self.lateness.worst[seat])
        why = sentence("no_reply.why_silent", silence, asked)
        return f"{why}; the referee was late by {late} at most"

    def late_replies(self) -> Iterator[LateReply]:
        """Yield the replies for which a bot was disqualified because they were late."""
        for seat, until in self.left_at.items():
            code, seconds = self.played.disqualified[seat].code, self.played.reply_seconds[seat]
            is_start = code == Disqualification.STARTUP_TIMEOUT
            if code in OUT_OF_TIME:
                asked = self.began if is_start else until - seconds[-1]
                bot, machine = self.plan.players[seat], os.uname().nodename
                yield LateReply(bot, asked, until, machine, is_start)

    def void_row(self, error: GameError) -> MatchRow:
        """Return the match as a void row, because the code of the game has raised an error."""
        row = void_row(self.plan, error)
        if self.batch.keep != "none":
            self._add_files(row)
        return row

    def _add_files(self, row: MatchRow) -> None:
        if self.record is not None:
            row.record = self.record.data
        row.stderr = [_head_and_tail(sink.data) for sink in self.stderr]


def _until_deadline(plans: Iterable[Plan]) -> Iterator[Plan]:
    until = time.monotonic() + BATCH_SECONDS
    for plan in plans:
        yield plan
        if time.monotonic() >= until:
            return


def _head_and_tail(stderr: bytes) -> bytes:
    """Shorten a bot's stderr if it's too long. The end is kept, because errors are there."""
    omitted = len(stderr) - MAX_STDERR
    if omitted <= 0:
        return stderr
    half = MAX_STDERR // 2
    return b"%b\n[%d bytes left out]\n%b" % (stderr[:half], omitted, stderr[-half:])


def _files(command: BotCommand) -> list[str]:
    words = (os.path.join(command.directory, word) for word in command.argv)
    return [word for word in words if os.path.isfile(word)]
