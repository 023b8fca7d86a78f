"""Bots in some seats of an environment: all that `referee play` takes, and Python objects.

They end at `close`, and with this program.
"""

from __future__ import annotations

import time
import warnings
import weakref
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TypeAlias

from referee.bots.bot import Answer, Failure, split_lines
from referee.bots.bundled import bundled_bots
from referee.bots.command import PythonBot
from referee.bots.from_python import BotLike, bot_sources
from referee.bots.in_process import InProcessBot
from referee.bots.lending import PlainBot, awaited_of, borrow_plain_bots, release_plain
from referee.bots.processes.polling import run
from referee.bots.processes.pool import BotPool
from referee.env.scripts import ScriptBot
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
        opponents: one entry per seat, at least one of them a bot.
        game: a key of `GAMES`.

    Attributes:
        seats: where they sit.

    Raises:
        UsageError: one of them is not a bot.
    """

    def __init__(self, opponents: Bots, game: str) -> None:
        self.seats = [seat for seat, bot in enumerate(opponents) if bot is not None]
        bundled = bundled_bots(game)
        given = bot_sources(
            [
                _in_process(bot, bundled[bot]) if isinstance(bot, str) and bot in bundled else bot
                for bot in opponents
                if bot is not None
            ],
            game,
        )
        sources = dict(zip(self.seats, given, strict=True))
        self._sources = [sources.get(seat, _NOBODY) for seat in range(len(opponents))]
        self._pool = BotPool()
        self._match = ExitStack()  # what ends with it
        weakref.finalize(self, _close, self._match, self._pool)
        self._bots: Sequence[PlainBot] = []
        self._lines: dict[int, bytes] = {}  # what each that is left was not handed yet
        self._spec: MatchSpec

    def begin(self, spec: MatchSpec) -> None:
        """Begin a match; one that was not finished is given up.

        Raises:
            ShortageError: the system has no process, memory or file descriptor left for one.
        """
        self._match.close()
        self._spec = spec
        self._lines = dict.fromkeys(self.seats, b"")
        everybody, nobody = range(len(self._sources)), [None] * len(self._sources)
        lent = borrow_plain_bots(self._pool, spec, self._sources, everybody, nobody)
        self._bots = self._match.enter_context(lent)

    def tell(self, to: int | None, line: bytes) -> None:
        """Keep a line for its receivers until their next request."""
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
            for seat, bot in enumerate(self._bots):
                if isinstance(bot, InProcessBot):
                    bot.attach_view(partial(match.view, seat))
        for seat in match.due:
            answer = self._ask(seat, in_handshake)
            if isinstance(answer, Failure):
                match.disqualify(seat, answer.code, answer.detail)
            else:
                match.receive(seat, answer)
            left = match.disqualified.get(seat)
            if left is not None:
                del self._lines[seat]
                if awaited := awaited_of([self._bots[seat]]):
                    run({awaited[0]: awaited[0].killing()})
                argument = self._sources[seat].argument
                who = f"the opponent {argument}, {seat_id(seat)}, was disqualified"
                problem = f"{who}: {left.code}, {left.detail}"
                if in_handshake:  # it would be so in every match
                    raise BotError(problem)
                warnings.warn(problem, RuntimeWarning, stacklevel=2)

    def _ask(self, seat: int, in_handshake: bool) -> Answer:
        lines, self._lines[seat] = self._lines[seat], b""
        bot, limits = self._bots[seat], self._spec.limits
        if isinstance(bot, InProcessBot):
            return bot.answer(split_lines(lines))
        seconds = limits.startup_limit if in_handshake else limits.time_limit
        began = time.monotonic() if bot.started is None else bot.started
        bot.push(lines)
        (answer,) = run({awaited_of([bot])[0]: bot.replying(began + seconds)})
        match answer:
            case Failure(Disqualification.TIMEOUT, detail) if in_handshake:
                return Failure(Disqualification.STARTUP_TIMEOUT, detail)
        return answer

    def finish(self, match: Match) -> None:
        """End a match that is over, and send the bots its last lines.

        Raises:
            BotError: as of `answer`.
        """
        for seat, lines in self._lines.items():
            bot = self._bots[seat]
            if isinstance(bot, InProcessBot):
                bot.hear_the_rest(split_lines(lines))
            else:
                bot.push(lines)
        release_plain(self._bots, match.keep_alive & self._lines.keys(), self._spec.limits.grace)
        self._match.close()

    def close(self) -> None:
        """End all processes. Another match can begin afterwards."""
        _close(self._match, self._pool)


def _close(match: ExitStack, pool: BotPool) -> None:
    match.close()
    pool.finish()


def _in_process(name: str, path: Path) -> PythonBot:
    return PythonBot(name, lambda: InProcessBot(ScriptBot(path), name))


_NOBODY = PythonBot("", lambda: InProcessBot(_Nobody()))
"""Sits where the program itself plays."""


class _Nobody:
    def reply(self, lines: Sequence[bytes]) -> bytes:
        raise AssertionError("no seat has a request")
