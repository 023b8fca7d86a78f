"""Play one match with real bots, under trio.

    async with run_bots(spec, started) as bots:
        runner = Runner(Course(spec, bots, log))
        await runner.run()
        await finish_all(bots, spec)
        played = await runner.close()

The runner doesn't own its bots, because they may play more than one match. For a single match,
`play_once` does all of these steps.

A match is a sequence of rounds. Each bot with a request gets all its new lines in one write. While
the bots think, we write the logs. Then we wait for the replies, in parallel. Lines for the other
bots wait until their next request, because waking a process costs more than everything else in a
round. If a round takes long, they get their lines within `NEWS_SECONDS` anyway.

If nothing else runs in the event loop, we first poll the bots for `QUICK_SECONDS` without using it.
Most replies arrive within that time, and polling costs a third as much. If other tasks run beside
it, we first await a single bot in the same way, without a nursery.
"""

from __future__ import annotations

import math
import select
import time
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence

import trio

from referee.bots.bot import Answer, Bot, Failure
from referee.bots.command import HUMAN, BotSource, PythonBot
from referee.bots.hosting import QUICK_SECONDS, finish_all, quick_answer, run_bots
from referee.bots.processes.launch import LaunchedBot, Started
from referee.bots.wrapper import ReplayedBot
from referee.course import Course, Played
from referee.errors import raising_ours
from referee.games.interface.faults import Disqualification
from referee.logs.record import DisqualifiedEntry, RecordedAnswer, RecordedStderr
from referee.logs.sink import Sink
from referee.match.machine import Entry
from referee.match.spec import MatchSpec

# We push a public message to every bot within this time, even if it has no request.
NEWS_SECONDS = 0.02
# If a bot exceeds its time limit, we observe it for up to this many seconds before we kill it. That
# lets us report to its author why it hung.
LOOK_SECONDS = 1.0
# As long as replies arrive quickly, we don't return to the event loop. After this many seconds, we
# let other tasks run.
PAUSE_SECONDS = 0.05
# We check stopped bots this often. If `overslept` is set, we also wake up this often to measure how
# late we are.
SLICE_SECONDS = 0.05
_BANK = ""  # no game has a clock of this name


class Runner:
    """Plays one match under trio. It only kills bots that are disqualified.

    Args:
        course: the match with its bots and its logs.
        alone: if True, nothing else needs the event loop, and we may block it for `QUICK_SECONDS`
            at a time.

    Attributes:
        course: the match with its bots and its logs. A reply goes to it once, with `give`.
        match: its match.
        processes: its processes.
        asked_since: the time on trio's clock when the bots got their current requests.
        left_at: maps each seat that was disqualified to the time when it was, on the clock of
            `time.monotonic`.
        idle: returns the processes that are waiting for another match. We also freeze those.
        overslept: called each time we wake up, with the seconds by which we're late (usually about
            0), and the seats whose bots can't have caused the delay. These are bots that are
            stopped, and objects without a request. Without a sandbox we can't stop processes, so
            all of them are included. If this is None, we don't measure delays.
    """

    idle: Callable[[], Iterable[LaunchedBot]] = staticmethod(tuple)
    overslept: Callable[[float, Iterable[int]], object] | None = None

    def __init__(self, course: Course, *, alone: bool = False) -> None:
        self.course = course
        self.match = course.match
        self.processes = course.processes
        self._bots = bots = course.bots
        self.asked_since = 0.0
        self.left_at: dict[int, float] = {}
        self._limits = course.spec.each_limits
        self._alone = alone
        self._clock = trio.current_time  # run() replaces it with a faster clock
        self._start_time = 0.0
        self._used: list[defaultdict[str, float]] = [
            defaultdict(float) for _ in bots
        ]  # seconds used, by name of the clock
        # Seconds to add to the time of a seat's next reply. We charge a bot for the work of
        # freezing and thawing it. The number is negative if we were freezing other bots while this
        # bot was thinking.
        self._debts: defaultdict[int, float] = defaultdict(float)
        # maps a seat to the time when the first of its pending lines came
        self._waiting: dict[int, float] = {}
        self._slow: set[int] = set()  # seats whose last reply took longer than `QUICK_SECONDS`
        self._seats = {*range(len(bots))}
        launched = {seat: process.launched for seat, process in self.processes.items()}
        is_free = course.spec.sandbox.kind == "none"
        self._freezable = {} if is_free else launched
        self._unstopped = {*launched} if is_free else set[int]()
        self._looks = 0
        self._delivered: trio.Event | None = None  # set when `_keep_on_time` should check again

    async def run(self) -> None:
        """Play the match, until the remaining bots have received its last line.

        If this raises an error, the match has stopped, and the logs are valid up to that point.

        Raises:
            BotError: a bot that is a Python object raised an exception. You find it in the
                `__cause__`.
            LogWriteError: a log couldn't be written.
            ShortageError: the system is short of memory, processes or file descriptors.
            InternalError: the referee has a bug.
        """
        self._clock = clock = trio.lowlevel.current_clock().current_time
        with raising_ours():
            async with trio.open_nursery() as self._nursery:
                now = clock()
                # Bots remember their start on the clock of `time.monotonic`. Trio's clock differs
                # from it by an arbitrary number.
                offset = now - time.monotonic()
                self._started = [
                    None if bot.started is None else bot.started + offset for bot in self._bots
                ]
                self._start_time = min(since or now for since in self._started)
                self._pause_at = now + PAUSE_SECONDS
                self._deliver(*self.course.begin())
                while self.match.due:
                    due: Sequence[int] = self.match.due
                    if self.course.files:
                        await self._await_readers()
                    if self.asked_since >= self._pause_at:
                        await self._pause()
                    if self._alone:
                        due = self._poll_bots(due)
                    elif len(due) == 1:
                        due = await self._await_quick_reply(due[0])
                    if due:
                        await self._round(due)

    async def close(self, kept: Container[int] = ()) -> Played:
        """Complete the record and return the result. Call this after the bots have ended.

        Args:
            kept: seats whose bots stay alive for another match, see `Course.end`.

        Raises:
            LogWriteError: a log couldn't be written.
        """
        played = self.course.end(self._clock() - self._start_time, kept)
        await self._await_readers()
        return played

    # --- rounds -------------------------------------------------------------------------------

    def _poll_bots(self, due: Sequence[int]) -> Sequence[int]:
        """Process all replies that arrive within `QUICK_SECONDS`.

        Returns the seats whose replies are still missing.
        """
        bots, seconds = self._bots, QUICK_SECONDS
        for seat in due:
            seconds = min(seconds, self._deadline(seat) - self.asked_since)
        seconds = max(0.0, seconds)
        if len(due) == 1:
            (seat,) = due
            answer = bots[seat].quick_reply(seconds)
            if answer is None:
                return due
            self._replied(seat, answer)
            if seat in self._slow and seat in self.processes and self.overslept is not None:
                self.overslept(self.course.reply_seconds[seat][-1] - QUICK_SECONDS, self._unstopped)
            return ()
        left = [seat for seat in due if not self._take_quick_reply(seat)]
        waiting = {bots[seat].stdout_fd: seat for seat in left}
        # One of the bots has no descriptor to poll, so leave the rest to the event loop.
        if -1 in waiting:
            return left
        poll = select.poll()
        for fd in waiting:
            poll.register(fd, select.POLLIN)
        until = self.asked_since + seconds
        while waiting and (ready := poll.poll(max(0.0, until - self._clock()) * 1000)):
            for fd, _ in ready:
                poll.unregister(fd)
                seat = waiting.pop(fd)
                if self._take_quick_reply(seat):
                    left.remove(seat)
        return left

    async def _await_quick_reply(self, seat: int) -> Sequence[int]:
        """Like `_poll_bots`, but for one seat, and other tasks can run in the meantime."""
        until = min(self._deadline(seat), self.asked_since + QUICK_SECONDS)
        answer = await quick_answer(self._bots[seat], until)
        if answer is None:
            return (seat,)
        self._replied(seat, answer)
        return ()

    def _take_quick_reply(self, seat: int) -> bool:
        answer = self._bots[seat].quick_reply(0.0)
        if answer is not None:
            self._replied(seat, answer)
        return answer is not None

    async def _pause(self) -> None:
        # Let other tasks run, and read the bots' stderr.
        self._pause_at = self.asked_since + PAUSE_SECONDS
        for process in self.processes.values():
            process.read_stderr()
        # One checkpoint isn't enough, because trio may resume this task before a task that has just
        # been started.
        for _ in range(2):
            await trio.lowlevel.checkpoint()

    async def _round(self, due: Sequence[int]) -> None:
        async with trio.open_nursery() as beside:
            beside.start_soon(self._keep_on_time)
            if self.overslept is not None:
                late = self._clock() - self.asked_since - QUICK_SECONDS
                self.overslept(max(0.0, late), self._unstopped)
            for seat, process in self.processes.items():
                if seat not in due and seat not in self.match.disqualified:
                    beside.start_soon(process.attend)
            if len(due) == 1:
                await self._await_reply(due[0])
            else:
                async with trio.open_nursery() as replies:
                    for seat in due:
                        replies.start_soon(self._await_reply, seat, beside)
            beside.cancel_scope.cancel()

    async def _await_reply(self, seat: int, beside: trio.Nursery | None = None) -> None:
        self._replied(seat, await self._bots[seat].reply(self._deadline(seat)))
        if beside is not None and seat in self.processes and seat not in self.match.disqualified:
            beside.start_soon(self.processes[seat].attend)

    def _replied(self, seat: int, answer: Answer) -> None:
        answer, took = self._timed(seat, answer)
        news = self.course.give(seat, answer, self._clock() - self._start_time, took)
        if seat in self.match.disqualified:
            self.left_at[seat] = time.monotonic()
            self._nursery.start_soon(self._bots[seat].kill)
            self._pause_at = 0.0  # yield right away, so that the task that kills the bot can run
        self._deliver(*news)

    # --- clocks -------------------------------------------------------------------------------

    def _deadline(self, seat: int) -> float:
        """Return when a seat's reply is due, on trio's clock (3.4, 8.1)."""
        if self.match.in_handshake:  # the time limit for the handshake includes starting the bot
            since = self._started[seat]
            since = self.asked_since if since is None else since
            return since + self._limits[seat].startup_limit
        return self.asked_since + min(self._left(seat)) - self._debts[seat]

    def _left(self, seat: int) -> tuple[float, float]:
        """Return how many seconds are left for this reply, and how many in the time bank."""
        limits, clock = self._limits[seat], self.match.clocks.get(seat, "")
        used = self._used[seat]
        left = limits.time_limit - used[clock] if clock else limits.time_limit
        bank = limits.time_bank + limits.increment * len(self.course.reply_seconds[seat])
        return left, bank - used[_BANK]

    def _timed(self, seat: int, answer: Answer) -> tuple[Answer, float | None]:
        """Charge the time of a reply to the bot's clocks.

        Returns:
            The reply, or a `Failure` that names the limit if the bot is out of time; and how long
            the reply took in seconds, or None in the handshake.
        """
        late = type(answer) is Failure and answer.code == Disqualification.TIMEOUT
        if self.match.in_handshake:
            if not late:
                return answer, None
            limit = self._limits[seat].startup_limit
            detail = f"no reply to the handshake within {limit:g} s"
            return Failure(Disqualification.STARTUP_TIMEOUT, detail), None
        seconds = self._clock() - self.asked_since + self._debts.pop(seat, 0.0)
        if late:
            answer = self._too_late(seat, answer)
        self._used[seat][_BANK] += seconds
        if seconds > QUICK_SECONDS:
            self._slow.add(seat)
        else:
            self._slow.discard(seat)
        if clock := self.match.clocks.get(seat):
            self._used[seat][clock] += seconds
        return answer, seconds

    def _too_late(self, seat: int, answer: Answer) -> Answer:
        assert isinstance(answer, Failure)
        limits, clock = self._limits[seat], self.match.clocks.get(seat)
        left, in_bank = self._left(seat)
        if in_bank < left:
            count = self.match.requests[seat]
            each = f" and {limits.increment:g} s for each" if limits.increment else ""
            return Failure(
                Disqualification.TIME_BANK,
                f"its {limits.time_bank:g} s for all replies of the match{each} were over at "
                f"reply {count}",
            )
        shared = f" for {clock}" if clock else ""
        return Failure(answer.code, f"{answer.detail} ({limits.time_limit:g} s{shared})")

    # --- deliveries ---------------------------------------------------------------------------

    def _deliver(self, entries: list[Entry], is_request: bool) -> None:
        match = self.match
        if self._freezable and not self._slow.isdisjoint(match.due):
            # Stopping bots takes a while. We do it before we send the requests, because the bots
            # with a request need the time.
            self._freeze_others()
        for seat in match.due or self._seats:
            if seat in self._freezable and self._freezable[seat].is_frozen:
                self._charge(seat, self._freezable[seat].thaw)
            self._push(seat)
        now = self._clock()
        if is_request:
            self.asked_since = now
        pending = self.course.pending
        for seat in self._seats:
            if pending[seat] and now >= self._waiting.setdefault(seat, now) + NEWS_SECONDS:
                self._push(seat)
        self.course.write(entries, now - self._start_time)
        if self._delivered is not None:
            self._delivered.set()

    def _push(self, seat: int) -> None:
        """Send a bot its pending lines. A Python object gets them with its next request instead."""
        pending = self.course.pending[seat]
        if pending:
            self._bots[seat].push(b"".join(pending))
            pending.clear()
            self._waiting.pop(seat, None)

    async def _keep_on_time(self) -> None:
        """Send pending lines before they're too old, and freeze idle bots. Runs until cancelled."""
        stopped, pause = set[int](), NEWS_SECONDS  # most replies arrive before the first check
        while True:
            self._delivered = trio.Event()
            until, now = self._on_time(), self._clock()
            if self._freezable or self.overslept is not None:
                until = min(until, now + pause)
            until = max(until, now)
            elsewhere = self._seats - self.processes.keys() - set(self.match.due)
            with trio.move_on_at(until):
                await self._delivered.wait()
            if self._delivered.is_set():
                stopped, pause = set(), NEWS_SECONDS
                continue
            if self.overslept is not None:
                self.overslept(self._clock() - until, self._unstopped | elsewhere | stopped)
            stopped, pause = self._stopped(), SLICE_SECONDS

    def _on_time(self) -> float:
        """Send lines that have waited for `NEWS_SECONDS`, and freeze idle bots if it's time to.

        Returns:
            When to check again, on trio's clock.
        """
        now = self._clock()
        for seat, since in list(self._waiting.items()):
            if since + NEWS_SECONDS <= now:
                self._push(seat)
        until = min(self._waiting.values(), default=math.inf) + NEWS_SECONDS
        if self._freezable and self.match.due:
            freeze_at = self.asked_since + QUICK_SECONDS
            if now < freeze_at:
                return min(until, freeze_at)
            self._freeze_others()
            if not self.match.in_handshake:  # a handshake isn't charged to these clocks
                spent = self._clock() - now
                for seat in self.match.due:
                    self._debts[seat] -= spent
        return until

    def _freeze_others(self) -> None:
        # While a bot thinks, it should have all the cores for itself (limits.md, 5), so we freeze
        # the others. But freezing takes time. As long as all replies arrive within QUICK_SECONDS,
        # it isn't worth it.
        for launched in self.idle():
            launched.freeze()
        for seat in self._freezable.keys() - self.match.due:
            if not self._freezable[seat].is_frozen:
                self._charge(seat, self._freezable[seat].freeze)

    def _charge(self, seat: int, work: Callable[[], object]) -> None:
        # The bot controls how much work this is, e.g. by starting many processes. That's why it has
        # to pay for the time.
        began = self._clock()
        work()
        self._debts[seat] += self._clock() - began

    def _stopped(self) -> set[int]:
        """Return the seats of the frozen bots whose processes have really stopped.

        If somebody has woken up a process, `is_stopped` stops it again.
        """
        # there may be many idle processes, so each call only checks one
        if waiting := [*self.idle()]:
            self._looks += 1
            waiting[self._looks % len(waiting)].is_stopped()
        return {seat for seat, launched in self._freezable.items() if launched.is_stopped()}

    async def _await_readers(self) -> None:
        # If the reader of a log is slow, the match waits for it. The current requests may not have
        # been sent completely by then, so their clocks start again afterwards (8.1).
        while file := self.course.log_behind():
            await trio.lowlevel.wait_writable(file.fd)
            file.push()
            self.asked_since = self._clock()


async def play_once(
    spec: MatchSpec,
    started: Sequence[Started],
    log: Sink | None = None,
    record: Sink | None = None,
    *,
    stderr: Sequence[Sink | None] = (),
    record_stderr: bool = False,
    watch: Callable[[Runner], object] = lambda runner: None,
    answers: Sequence[Sequence[RecordedAnswer]] = (),
    alone: bool = False,
) -> Played:
    """Play one match. All bots have ended when this returns or raises.

    Args:
        log, record: where to write the logs, or None.
        stderr: for each seat, where to write its stderr, or None. The sequence can be empty.
        record_stderr: if True, the record includes stderr.
        watch: called with the runner before the match starts.
        answers: for each seat, replies that are used instead of the bot's first ones. The sequence
            can be empty.
        alone: see `Runner`.
    """
    recorded = [RecordedStderr() for _ in started] if record_stderr else []
    with raising_ours():
        async with run_bots(
            spec, started, stderr, recorded=recorded, look_seconds=LOOK_SECONDS
        ) as bots:
            if answers:
                bots = replayed(bots, started, answers)
            course = Course(spec, bots, log, record, stderr=recorded, diagnose=True)
            runner = Runner(course, alone=alone)
            watch(runner)
            await runner.run()
            await finish_all(bots, spec)
            return await runner.close()


def replayed(
    bots: Sequence[Bot],
    sources: Sequence[Started | BotSource],
    answers: Sequence[Sequence[RecordedAnswer]],
) -> list[Bot]:
    """Wrap bots for one match so that recorded replies are used instead of their first ones.

    Args:
        answers: for each seat, the recorded replies. A None means that we use the bot's own reply.
    """
    wrapped: list[Bot] = []
    for bot, source, own in zip(bots, sources, answers, strict=True):
        given: list[Answer | None] = [
            Failure(Disqualification(answer.code), answer.detail)
            if isinstance(answer, DisqualifiedEntry)
            else answer
            for answer in own
        ]
        # A process needs the earlier requests, since they tell it about the match. A person would
        # be annoyed to answer them again, and a rule file doesn't need them, because it only looks
        # at the current state.
        knows = isinstance(source, PythonBot) and (source.is_file or source.argument == HUMAN)
        wrapped.append(ReplayedBot(bot, given, is_asked=not knows))
    return wrapped
