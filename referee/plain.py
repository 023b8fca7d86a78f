"""Play one match without an event loop: the usual way of a tournament.

    with borrow_plain_bots(pool, spec, sources, keys, stderr) as bots:
        runner = PlainRunner(spec, bots, digest=True)
        runner.run()
        release_plain(bots, keep, spec.limits.grace)
        played = runner.close()

Nothing here imports trio, so that a worker starts quickly.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Container, Iterable, Sequence

from referee.bots.bot import Answer
from referee.bots.command import BotSource, PythonBot
from referee.bots.in_process import InProcessBot
from referee.bots.lending import PlainBot, borrow_plain_bots
from referee.bots.processes.piped import PipedBot, Steps
from referee.bots.processes.polling import Poller, Waitable
from referee.bots.processes.pool import BotPool
from referee.course import FREEZE_SECONDS, Course, Played
from referee.errors import raising_ours
from referee.logs.sink import Sink
from referee.match.spec import MatchSpec


class PlainRunner(Course[PlainBot]):
    """Plays one match without an event loop, with objects and processes.

    Objects get their requests one after the other, in seat order, before the processes. If no
    process thinks as long as `FREEZE_SECONDS`, the runner reads only their stdout.

    Attributes:
        overslept: called with the number of seconds that the referee woke up too late.
    """

    _clock = staticmethod(time.monotonic)
    overslept: Callable[[float], object] = staticmethod(lambda seconds: None)

    def run(self) -> None:
        """Play the match; at its end the bots that are left have been handed its last line.

        Raises:
            BotError: an object raised an exception, which is the `__cause__`.
            LogWriteError, ShortageError, InternalError: as of `Runner.run`.
        """
        self._hearers = self._awaited.keys()
        self._seats: dict[Waitable, int] = {bot: seat for seat, bot in self._awaited.items()}
        self._poller = Poller(self._seats, self.overslept)
        with raising_ours():
            self._begin()
            self._deliver()
            while self.match.due:
                self._round()
            for bot, lines in zip(self._bots, self._pending, strict=True):
                if isinstance(bot, InProcessBot):
                    bot.hear_the_rest([line[:-1] for line in lines])

    def close(self, kept: Container[int] = ()) -> Played:
        """Complete the record and say how the match went; as `Runner.close`."""
        played = self._end(kept)
        self._await_readers()
        return played

    def _round(self) -> None:
        due = self.match.due
        if not self._awaited:
            for seat in due:
                self._ask(seat)
            self._deliver()
            return
        waited = 0.0
        if len(due) == 1 and isinstance(bot := self._bots[due[0]], PipedBot):
            (seat,) = due
            waited = FREEZE_SECONDS
            answer = bot.quick_reply(max(0.0, min(self._deadline(seat) - self.asked_since, waited)))
            if answer is not None:
                self._replied(seat, answer)
                if seat in self._slow:
                    self.overslept(self._reply_seconds[seat][-1] - waited)
                return
        steps: dict[Waitable, Steps[Answer]] = {}
        for seat in due:
            bot = self._bots[seat]
            if isinstance(bot, InProcessBot):
                self._ask(seat)
            else:
                steps[self._awaited[seat]] = bot.replying(self._deadline(seat))
        if len(steps) < len(due):
            self._deliver()
        if steps:
            self.overslept(max(0.0, self._clock() - self.asked_since - waited))
            self._poller.run(
                steps, lambda bot, answer: self._replied(self._seats[bot], answer), self._on_time
            )

    def _ask(self, seat: int) -> None:
        bot, match, clock = self._bots[seat], self.match, self._clock
        assert isinstance(bot, InProcessBot)
        pending = self._pending[seat]
        lines = [line[:-1] for line in pending]
        pending.clear()
        asked = clock()
        answer = bot.answer(lines)
        if match.in_handshake or self._evidence or type(answer) is not bytes:
            if not match.in_handshake:
                self._reply_seconds[seat].append(clock() - asked)
            self._give(seat, answer)
            if seat in match.disqualified:
                bot.leave()
        else:  # nearly always: quicker than `_give`
            self._reply_seconds[seat].append(clock() - asked)
            match.receive(seat, answer)

    def _kill(self, seat: int) -> None:
        bot = self._awaited[seat]
        self._poller.run({bot: bot.killing()})

    def _deliver(self) -> None:
        if self._awaited:
            super()._deliver()
        else:
            entries = self.match.take_entries()
            self._put_by(entries)
            if not (self._log is not None or self._is_recorded or self.listeners):
                return
            self._write(entries, self._clock())
        if self._files:
            self._await_readers()

    def _await_readers(self) -> None:
        while file := self._behind():
            select.select([], [file.fd], [])
            file.push()
            self.asked_since = self._clock()


def play_objects(
    spec: MatchSpec, sources: Sequence[BotSource], *logs: Sink | None, diagnose: bool = False
) -> Played:
    """Play a match of Python objects; as `play_once`."""
    nobody = [None] * len(sources)
    with borrow_plain_bots(BotPool(), spec, sources, nobody, nobody) as bots:
        runner = PlainRunner(spec, bots, *logs, diagnose=diagnose)
        runner.run()
        return runner.close()


def are_objects(sources: Iterable[BotSource]) -> bool:
    """Whether all bots are Python objects, so that a `PlainRunner` can play with them."""
    return all(isinstance(source, PythonBot) and not source.dialect for source in sources)
