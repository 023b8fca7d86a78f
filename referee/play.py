"""Play one match with real bots: the trio side of `match.py`.

After each step of the match the bot that is asked is handed all that is new to it, in one write;
then the logs are written, while it thinks; then its reply is awaited. What is new to the others
waits for their own next request: waking a process costs more than all the rest of a step. But
when the one that is asked takes its time, they get their news after `NEWS_SECONDS`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime

import trio
from msgspec import Struct

from referee.bots.command import BotCommand
from referee.bots.launch import LaunchedBot
from referee.bots.process import Answer, BotProcess, Failure
from referee.bots.stderr import StderrKeeper
from referee.errors import LogWriteError, as_ours
from referee.logs.files import LogFile
from referee.logs.record import RecordWriter
from referee.match import Disqualified, Sent
from referee.match_spec import MatchSpec
from referee.result import MatchResult, ReplySeconds, player_results
from referee.seam.faults import Disqualification, Fault

NEWS_SECONDS = 0.02
"""No bot hears of a public event later than so long after it."""


class Played(Struct, frozen=True):
    """A match that was played to its end.

    Attributes:
        result: the result.
        disqualified: the seats that left, each with why and what it was asked.
        last_stderr: the last lines that each seat wrote on stderr, in seat order.
        first_faults: the first fault of each seat and code.
    """

    result: MatchResult
    disqualified: dict[int, Disqualified]
    last_stderr: list[list[str]]
    first_faults: list[Fault]


class Runner:
    """Plays one match.

    Args:
        spec: what is played.
        bots: launched or not yet launched, in seat order. The runner ends them, on every way out.
        log: the spectator log, or None.
        record: the match record, or None.
        stderr: for each seat a file to keep its stderr in, or None.

    Attributes:
        match: the match, to look at while it runs.
        asked_since: since when the seat that is due is thinking, on trio's clock.
    """

    def __init__(
        self,
        spec: MatchSpec,
        bots: Sequence[BotCommand | LaunchedBot],
        *,
        log: LogFile | None = None,
        record: LogFile | None = None,
        stderr: Sequence[LogFile | None] | None = None,
    ) -> None:
        self.match = spec.new_match()
        self.asked_since = 0.0
        self._spec = spec
        self._limits = spec.limits
        self._bots = bots
        self._log = log
        self._record_file = record
        self._stderr = stderr or [None] * len(bots)
        self._processes: list[BotProcess] = []
        self._pending: list[list[bytes]] = [[] for _ in bots]
        self._total = [0.0] * len(bots)
        self._longest = [0.0] * len(bots)

    async def run(self) -> Played:
        """Play the match.

        Raises:
            LogWriteError: a log could not be written.
            ShortageError: the system is short of something.
            InternalError: the referee has a bug.

        In each case the match was given up, all bots have ended, and the logs are valid as far as
        they go.
        """
        try:
            return await self._run()
        except Exception as error:
            ours = as_ours(error)
            raise ours from ours.__cause__

    async def _run(self) -> Played:
        failure: LogWriteError | None = None
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            try:
                self._start()
                await self._handshakes()
                nursery.start_soon(self._bring_news)
                while self.match.due:
                    await self._step()
                await self._farewell()
                await self._await_readers()
            except LogWriteError as error:
                failure = error
            finally:
                for process in self._processes:
                    process.close()
            nursery.cancel_scope.cancel()
        if failure is not None:
            raise failure
        return Played(
            self._result(),
            dict(self.match.disqualified),
            [process.stderr.last_lines(10) for process in self._processes],
            list(self.match.first_faults.values()),
        )

    # --- the course of a match ----------------------------------------------------------------

    def _start(self) -> None:
        for bot, stderr in zip(self._bots, self._stderr, strict=True):
            launched = bot if isinstance(bot, LaunchedBot) else LaunchedBot(bot)
            self._processes.append(BotProcess(launched, self._limits, StderrKeeper(stderr)))
        # The two clocks differ in their zero only.
        offset = trio.current_time() - time.monotonic()
        self._starts = [process.launched.started + offset for process in self._processes]
        self._start_time = min(self._starts)
        for process in self._processes:
            self._nursery.start_soon(process.watch)
            self._nursery.start_soon(process.drain_stderr)
        self._record: RecordWriter | None = None
        if self._record_file is not None:
            started = datetime.now(UTC).isoformat(timespec="milliseconds")
            self._record = RecordWriter(self._record_file, self._spec, started)

    async def _handshakes(self) -> None:
        """Ask all bots for their names, side by side (3)."""
        self.match.start()
        self._tell()
        send, receive = trio.open_memory_channel[tuple[int, Answer]](len(self._processes))
        for seat in self.match.due:
            self._nursery.start_soon(self._handshake, seat, send)
        for _ in self._processes:
            seat, answer = await receive.receive()
            self._give(seat, answer)
            self._tell()

    async def _handshake(self, seat: int, send: trio.MemorySendChannel[tuple[int, Answer]]) -> None:
        deadline = self._starts[seat] + self._limits.startup_limit
        answer = await self._processes[seat].reply(deadline)
        if isinstance(answer, Failure) and answer.code == Disqualification.TIMEOUT:
            detail = f"no reply to the handshake within {self._limits.startup_limit:g} s"
            answer = Failure(Disqualification.STARTUP_TIMEOUT, detail)
        await send.send((seat, answer))

    async def _step(self) -> None:
        """Await the reply that is due, hand it to the match and tell what follows from it."""
        await self._await_readers()
        seat = self.match.due[0]
        process = self._processes[seat]
        asked = self.asked_since
        answer = await process.reply(asked + self._limits.time_limit)
        taken = trio.current_time() - asked
        self._total[seat] += taken
        self._longest[seat] = max(self._longest[seat], taken)
        if isinstance(answer, Failure) and answer.code == Disqualification.TIMEOUT:
            detail = f"{answer.detail} ({self._limits.time_limit:g} s)"
            answer = Failure(answer.code, detail)
        self._give(seat, answer)
        self._tell()

    def _give(self, seat: int, answer: Answer) -> None:
        if isinstance(answer, Failure):
            self.match.disqualify(seat, answer.code, answer.detail)
        else:
            self.match.receive(seat, answer)
        if seat in self.match.disqualified:
            self._nursery.start_soon(self._processes[seat].kill)

    def _tell(self) -> None:
        """Hand everybody what is new to them, then write the logs."""
        match = self.match
        entries = match.take_entries()
        public = []
        seats = [seat for seat in range(len(self._processes)) if seat not in match.disqualified]
        for entry in entries:
            if type(entry) is Sent:
                if entry.to is None:
                    public.append(entry.line)
                    for seat in seats:
                        self._pending[seat].append(entry.line)
                elif entry.to not in match.disqualified:
                    self._pending[entry.to].append(entry.line)
        for seat in match.due or seats:
            self._push(seat)
        if match.due:
            self.asked_since = trio.current_time()
        if self._log is not None and public:
            self._log.write(b"".join(public))
        if self._record is not None and entries:
            self._record.write(entries, trio.current_time() - self._start_time)

    async def _await_readers(self) -> None:
        """Let the reader of a log that goes to a pipe catch up.

        The match stands still meanwhile, and the clock of the bot that was asked begins anew: its
        request may not have been handed over whole (8.1).
        """
        for file in (self._log, self._record_file):
            while file is not None and file.behind:
                await trio.lowlevel.wait_writable(file.fd)
                file.push()
                self.asked_since = trio.current_time()

    async def _bring_news(self) -> None:
        while True:
            await trio.sleep(NEWS_SECONDS)
            for seat in range(len(self._processes)):
                self._push(seat)

    def _push(self, seat: int) -> None:
        pending = self._pending[seat]
        if pending:
            self._processes[seat].push(b"".join(pending))
            pending.clear()

    async def _farewell(self) -> None:
        """Let the bots that are left end by themselves, then see that all have ended (8.4)."""
        async with trio.open_nursery() as nursery:
            for seat, process in enumerate(self._processes):
                if seat in self.match.disqualified:
                    nursery.start_soon(process.kill)
                else:
                    nursery.start_soon(process.finish, self._limits.grace)
        if self._record is not None:
            seconds = trio.current_time() - self._start_time
            self._record.end(self.match, self._exit_codes(), seconds)
        self._duration = trio.current_time() - self._start_time

    # --- its result ---------------------------------------------------------------------------

    def _exit_codes(self) -> list[int | None]:
        return [process.launched.exit_code for process in self._processes]

    def _result(self) -> MatchResult:
        match = self.match
        assert match.outcome is not None  # it is over
        reply_seconds = [
            ReplySeconds(round(total, 6), round(longest, 6))
            for total, longest in zip(self._total, self._longest, strict=True)
        ]
        rules = self._spec.rules
        players = player_results(rules, match, self._spec.bots, reply_seconds, self._exit_codes())
        return MatchResult(
            game=rules.name,
            protocol=rules.protocol,
            seed=self._spec.seed,
            reason=match.outcome.reason,
            turns=sum(player.turns for player in players),
            winners=[players[seat].player_number for seat in match.outcome.winners],
            duration_seconds=round(self._duration, 6),
            players=players,
        )
