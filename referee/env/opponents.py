"""Bots in some seats of an environment: whatever `referee play` takes, and Python objects.

Objects are called as they are. Processes and servers are asked in a thread, which ends with them at
`close`, and with this program.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Sequence
from functools import partial
from typing import TypeAlias

from referee.bots.bot import Answer, Failure, split_lines
from referee.bots.command import BotSource, PythonBot
from referee.bots.from_python import BotLike, bot_sources
from referee.bots.in_process import InProcessBot
from referee.bots.threaded import ThreadedBots
from referee.errors import BotError
from referee.games.interface.faults import Disqualification
from referee.games.interface.seats import seat_id
from referee.match.machine import Match
from referee.match.spec import MatchSpec

Bots: TypeAlias = Sequence[BotLike | None]
"""In seat order; None where the program itself plays."""


class Opponents:
    """The bots of an environment, match after match.

    Args:
        opponents: one a seat, at least one of them a bot.
        game: a key of `GAMES`.

    Attributes:
        seats: where they sit.

    Raises:
        UsageError: one of them is no bot.
    """

    def __init__(self, opponents: Bots, game: str) -> None:
        self.seats = [seat for seat, bot in enumerate(opponents) if bot is not None]
        given = bot_sources([bot for bot in opponents if bot is not None], game)
        sources = dict(zip(self.seats, given, strict=True))
        self._arguments = {seat: source.argument for seat, source in sources.items()}
        self._objects = {s: bot for s, bot in sources.items() if isinstance(bot, PythonBot)}
        self._threaded: ThreadedBots | None = None
        if len(self._objects) < len(sources):
            others: list[BotSource] = [_NOBODY for _ in opponents]
            for seat in sources.keys() - self._objects.keys():
                others[seat] = sources[seat]
            self._threaded = ThreadedBots(others)
            weakref.finalize(self, self._threaded.close)
        self._own: dict[int, InProcessBot] = {}  # made of the objects, for this match
        self._lines: dict[int, bytes] = {}  # what each that is left was not handed yet
        self._spec: MatchSpec

    def begin(self, spec: MatchSpec) -> None:
        """Begin a match.

        Raises:
            ShortageError: the system has no process, memory or file descriptor left for one.
        """
        self._spec = spec
        self._lines = dict.fromkeys(self.seats, b"")
        if self._threaded is not None:
            self._threaded.begin(spec)
        for seat, source in self._objects.items():
            bot = source.new()
            assert isinstance(bot, InProcessBot)  # people sit at the command's terminal alone
            self._own[seat] = bot

    def tell(self, to: int | None, line: bytes) -> None:
        """Put a line by for those whom it is for, until they are asked."""
        for seat in self._lines if to is None else self._lines.keys() & {to}:
            self._lines[seat] += line

    def answer(self, match: Match) -> None:
        """Ask those that are due, and hand the match what they answer.

        Raises:
            BotError: an object has raised an exception, which is the `__cause__`; or one could not
                begin.

        Warns:
            RuntimeWarning: one was disqualified later.
        """
        in_handshake = match.in_handshake
        if in_handshake:
            for seat, bot in self._own.items():
                bot.sit(partial(match.view, seat))
        for seat in match.due:
            answer = self._ask(seat, in_handshake)
            if isinstance(answer, Failure):
                match.disqualify(seat, answer.code, answer.detail)
            else:
                match.receive(seat, answer)
            left = match.disqualified.get(seat)
            if left is not None:
                del self._lines[seat]
                if seat not in self._own and self._threaded is not None:
                    self._threaded.kill(seat)
                who = f"the opponent {self._arguments[seat]}, {seat_id(seat)}, was disqualified"
                problem = f"{who}: {left.code}, {left.detail}"
                if in_handshake:  # it would be so in every match
                    raise BotError(problem)
                warnings.warn(problem, RuntimeWarning, stacklevel=2)

    def _ask(self, seat: int, in_handshake: bool) -> Answer:
        lines, self._lines[seat] = self._lines[seat], b""
        if seat in self._own:
            return self._own[seat].answer(split_lines(lines))
        assert self._threaded is not None  # there is one that is no object
        limits = self._spec.limits
        if not in_handshake:
            return self._threaded.ask(seat, lines, limits.time_limit)
        answer = self._threaded.ask(seat, lines, limits.startup_limit)
        if isinstance(answer, Failure) and answer.code == Disqualification.TIMEOUT:
            return Failure(Disqualification.STARTUP_TIMEOUT, answer.detail)
        return answer

    def finish(self, match: Match) -> None:
        """End a match that is over; the bots are told its end.

        Raises:
            BotError: as of `answer`.
        """
        if self._threaded is not None:
            others = {seat: rest for seat, rest in self._lines.items() if seat not in self._own}
            self._threaded.finish(match.keep_alive & others.keys(), others)
        for seat in self._own.keys() & self._lines.keys():
            self._own[seat].hear_the_rest(split_lines(self._lines[seat]))

    def close(self) -> None:
        """End all processes. There can be another match all the same."""
        if self._threaded is not None:
            self._threaded.close()


_NOBODY = PythonBot("", lambda: InProcessBot(_Nobody()))
"""Sits for those that the thread has nothing to do with."""


class _Nobody:
    def reply(self, lines: Sequence[bytes]) -> bytes:
        raise AssertionError("nobody is asked")
