"""Play one match with real bots, under trio.

    async with run_bots(spec, started) as bots:
        runner = Runner(spec, bots, log=log)
        await runner.run()
        await finish_all(bots, spec.limits.grace)
        played = await runner.close()

The runner borrows its bots. `play_once` is the above, for bots that play one match. `course.py` has
what happens in a match, `plain.py` the runner without trio.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

import trio

from referee.bots.bot import Answer, Bot, Failure
from referee.bots.command import PythonBot
from referee.bots.hosting import finish_all, run_bots
from referee.bots.processes.launch import Started
from referee.bots.wrapper import ReplayedBot
from referee.course import Course, Played
from referee.errors import raising_ours
from referee.games.interface.faults import Disqualification
from referee.logs.record import DisqualifiedEntry, RecordedAnswer, RecordedStderr
from referee.logs.sink import Sink
from referee.match.spec import MatchSpec

LOOK_SECONDS = 1.0
"""Seconds that a bot which did not answer in time may be looked at before it is killed."""


class Runner(Course[Bot]):
    """Play one match under trio. Stops only bots that are disqualified."""

    _clock = staticmethod(trio.current_time)

    async def run(self) -> None:
        """Play the match; at its end the bots that are left have been handed its last line.

        Raises:
            LogWriteError: a log could not be written.
            ShortageError: the system is short of something.
            InternalError: the referee has a bug.

        In each case the match was given up, and the logs are valid as far as they go.
        """
        self._delivered = trio.lowlevel.ParkingLot()
        with raising_ours():
            async with trio.open_nursery() as self._nursery:
                self._begin()
                self._nursery.start_soon(self._keep_on_time)
                self._deliver()
                while self.match.due:
                    await self._round()
                self._nursery.cancel_scope.cancel()

    async def close(self, kept: Container[int] = ()) -> Played:
        """Complete the record and say how the match went; for when the bots have ended.

        Args:
            kept: the seats of the bots that were to be kept for another match. They have no exit
                code, even if they ended: when they did depends on nothing in the match.

        Raises:
            LogWriteError: a log could not be written.
        """
        played = self._end(kept)
        await self._await_readers()
        return played

    # --- the course of a match ----------------------------------------------------------------

    async def _round(self) -> None:
        """Await all replies that are due, and deliver what follows from them."""
        await self._await_readers()
        due = self.match.due
        if len(due) == 1:
            await self._await_reply(due[0])
            return
        async with trio.open_nursery() as nursery:
            for seat in due:
                nursery.start_soon(self._await_reply, seat)

    async def _await_reply(self, seat: int) -> None:
        """Await a seat's reply, hand it to the match, and deliver what follows from the last."""
        self._replied(seat, await self._bots[seat].reply(self._deadline(seat)))

    def _kill(self, seat: int) -> None:
        self._nursery.start_soon(self._bots[seat].kill)

    def _deliver(self) -> None:
        super()._deliver()
        self._delivered.unpark_all()

    async def _keep_on_time(self) -> None:
        """Do what is due while bots think."""
        while True:
            with trio.move_on_at(self._on_time()):
                await self._delivered.park()

    async def _await_readers(self) -> None:
        """Let the reader of a log that goes to a pipe catch up.

        The match pauses during this time, and the clocks of open requests start again: the requests
        may not have been handed over completely (8.1).
        """
        while file := self._behind():
            await trio.lowlevel.wait_writable(file.fd)
            file.push()
            self.asked_since = trio.current_time()


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
) -> Played:
    """Play one match with bots that end with it, on every way out.

    Args:
        log, record: the logs, or None.
        stderr: for each seat a file to keep its stderr in, or None; empty: no files.
        record_stderr: whether it goes into the record too.
        watch: is given the runner before the match, to look at it meanwhile.
        answers: the first replies of each seat, which replace the bot's own; may be empty.

    Raises:
        LogWriteError, ShortageError, InternalError: as of `Runner.run`.
    """
    recorded = [RecordedStderr() for _ in started] if record_stderr else []
    with raising_ours():
        async with run_bots(
            spec, started, stderr, recorded=recorded, look_seconds=LOOK_SECONDS
        ) as bots:
            if answers:
                bots = [_replayed(*each) for each in zip(bots, started, answers, strict=True)]
            runner = Runner(spec, bots, log=log, record=record, stderr=recorded, diagnose=True)
            watch(runner)
            await runner.run()
            await finish_all(bots, spec.limits.grace)
            return await runner.close()


def _replayed(bot: Bot, source: Started, answers: Sequence[RecordedAnswer]) -> Bot:
    given: list[Answer | None] = [
        Failure(Disqualification(answer.code), answer.detail)
        if isinstance(answer, DisqualifiedEntry)
        else answer
        for answer in answers
    ]
    return ReplayedBot(bot, given, is_asked=not isinstance(source, PythonBot))
