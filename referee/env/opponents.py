"""Lets bots play some seats of an environment: Python objects, or any bot of `referee play`.

We call Python objects directly, which is fast. All other bots need trio (`referee.bots.portal`). We
only import trio if there are such bots, because it's slow to import, and a training program may
start many processes that don't need it.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from referee.bots.bot import Answer, Bot, Failure
from referee.bots.command import BotSource, PythonBot, are_objects, new_objects
from referee.bots.from_python import BotLike, bot_source, bot_sources, bundled_here
from referee.bots.in_process import InProcessBot
from referee.bots.plain import plain
from referee.env.policy_bot import PolicyBot
from referee.env.pool import Pool
from referee.errors import BotError, UsageError
from referee.games import GAMES
from referee.games.interface.faults import Disqualification
from referee.games.interface.seats import seat_id
from referee.match.machine import Disqualified, Match, Sent
from referee.match.messages import SHARED_PUBLIC
from referee.match.spec import MatchSpec

if TYPE_CHECKING:
    from referee.bots.portal import BotPortal

Bots: TypeAlias = Sequence[BotLike | Pool | None]
"""A bot for each seat, or None where the program plays."""


class Opponents:
    """Runs the bots of an environment, for one match after another.

    Args:
        opponents: a bot for each seat, or None where the program plays. There's at least one bot.
        game: a key of `GAMES`.

    Attributes:
        seats: the seats in which the bots play.
        are_bundled: True if all bots are bundled with the referee. If these bots get the same
            lines, they always give the same replies, so we can replay their matches.
        take_messages: True if all bots of this match read message objects instead of lines.
        message_kinds: the kinds of messages that the bots read, if they read messages, or None if
            any bot reads all kinds.

    Raises:
        UsageError: an entry isn't a bot, or there's no bot of this name.
    """

    def __init__(self, opponents: Bots, game: str) -> None:
        self.seats = [seat for seat, bot in enumerate(opponents) if bot is not None]
        self.are_bundled = all(
            bot is None or (isinstance(bot, str) and bundled_here(bot, game) is not None)
            for bot in opponents
        )
        self.take_messages = False
        self.message_kinds: frozenset[type[Struct]] | None = None
        self._opponents, self._game = opponents, game
        self._matches = 0  # how many matches we've begun
        self._portal: BotPortal | None = None  # None if all bots are Python objects
        self._sources: list[BotSource] = []
        self._bots: Sequence[Bot] = []
        # The seat and BOT argument of each bot whose handshake has worked at least once. If a bot's
        # handshake has never worked, the bot is broken, and we raise an error instead of playing on
        # without it.
        self._passed_handshake: set[tuple[int, str]] = set()
        # For each bot that's still in the match, the lines that we haven't sent yet. With
        # `take_messages`, these are message objects.
        self._lines: dict[int, list[Any]] = {}
        self._spec: MatchSpec
        # Check all bots of a pool now. Otherwise, we'd only notice a typo when that bot is chosen.
        for bot in opponents:
            for each in bot.bots if isinstance(bot, Pool) else ():
                bot_source(each, game)
        self._seat_bots(0)

    def _seat_bots(self, seed: int) -> None:
        bots = list[BotLike]()
        for seat in self.seats:
            bot = self._opponents[seat]
            if isinstance(bot, Pool):
                bot = bot.bot_of(self._matches, seat, seed)
            assert bot is not None
            # A bundled bot that is available as a class doesn't need a process.
            bots.append(bundled_here(bot, self._game) or _policy_source(bot) or bot)
        given = dict(zip(self.seats, bot_sources(bots, self._game), strict=True))
        self._sources = [given.get(seat, _NOBODY) for seat in range(len(self._opponents))]
        # With a pool, later matches may only have objects. We keep the portal anyway.
        if self._portal is None and not are_objects(self._sources):
            # importing this is slow, because it imports trio
            from referee.bots.portal import BotPortal

            self._portal = BotPortal()

    @property
    def names(self) -> dict[str, str]:
        """Which bot plays for which player in this match, e.g. `{"player2": "big_money"}`."""
        return {seat_id(seat): self._sources[seat].argument for seat in self.seats}

    def begin(self, spec: MatchSpec) -> None:
        """Begin a match. If there's an unfinished match, abandon it.

        Raises:
            ShortageError: the system is short of processes, memory or file descriptors.
        """
        if any(isinstance(bot, Pool) for bot in self._opponents):
            self._seat_bots(spec.seed)
        self._matches += 1
        self._spec = spec
        self._lines = {seat: [] for seat in self.seats}
        if self._portal is None:
            self._bots = new_objects(self._sources)
        else:
            self._bots = self._portal.begin(spec, self._sources)
        theirs = [self._bots[seat] for seat in self.seats]
        functions = [bot for bot in theirs if isinstance(bot, InProcessBot) and bot.takes_messages]
        # If all bots read messages, we don't have to encode any lines, which saves time. If a
        # single bot needs lines, all of them get lines.
        self.take_messages = len(functions) == len(theirs)
        self.message_kinds = self._kinds_read(functions)

    def _kinds_read(self, bots: Sequence[InProcessBot]) -> frozenset[type[Struct]] | None:
        heard = set[str]()
        for bot in bots:
            # This bot reads all messages, so we can't skip any.
            if bot.hears is None:
                return None
            heard.update(bot.hears)
        public = (*GAMES[self._game].public, *SHARED_PUBLIC)
        return frozenset(kind for kind in public if kind.__struct_config__.tag in heard)

    def queue(self, sent: Sent) -> None:
        """Queue a line or message. The bots get it together with their next request."""
        if sent.to is None:
            for lines in self._lines.values():
                lines.append(plain(sent.message) if self.take_messages else sent.line[:-1])
        elif (own := self._lines.get(sent.to)) is not None:
            own.append(plain(sent.message) if self.take_messages else sent.line[:-1])

    def play_due(self, match: Match) -> None:
        """Get the replies of all bots that have a request, and pass them to the match.

        Raises:
            BotError: a bot that is a Python object raised an exception (the `__cause__`), or a bot
                was disqualified before its handshake had ever worked.

        Warns:
            RuntimeWarning: a bot whose handshake has worked before was disqualified.
        """
        # Look at this before the loop, because replies can end the handshake.
        in_handshake = match.in_handshake
        # Bots in our process can look at their view and their limits without reading lines.
        if in_handshake:
            for seat, bot in enumerate(self._bots):
                if isinstance(bot, InProcessBot):
                    bot.attach_view(partial(match.view, seat))
                    bot.attach_limits(self._spec.limits)
        for seat in match.due:
            bot, lines = self._bots[seat], self._lines[seat]
            self._lines[seat] = []
            if isinstance(bot, InProcessBot):
                answer = bot.answer(lines)
            else:
                answer = self._ask(bot, lines, in_handshake)
            if isinstance(answer, Failure):
                match.disqualify(seat, answer.code, answer.detail)
            else:
                match.receive(seat, answer)
            # receive() may also disqualify the bot, e.g. for a mistake in its handshake.
            if seat in match.disqualified:
                self._warn_of_leaving(match.disqualified[seat])
            elif in_handshake:
                self._passed_handshake.add((seat, self._sources[seat].argument))

    def _warn_of_leaving(self, left: Disqualified) -> None:
        seat = left.seat
        del self._lines[seat]
        if self._portal is not None:
            self._portal.kill(self._bots[seat])
        argument = self._sources[seat].argument
        who = f"the opponent {argument}, {seat_id(seat)}, was disqualified"
        problem = f"{who}: {left.code}, {left.detail}"
        # If the bot has played before, it may just have been too slow once. It loses this match,
        # but that's no reason to stop a long training.
        if (seat, argument) not in self._passed_handshake:
            raise BotError(problem)
        warnings.warn(problem, RuntimeWarning, stacklevel=3)

    def _ask(self, bot: Bot, lines: list[bytes], in_handshake: bool) -> Answer:
        limits = self._spec.limits
        assert self._portal is not None
        seconds = limits.startup_limit if in_handshake else limits.time_limit
        # The start-up limit counts from the start of the process, so some of it may be used up.
        if bot.started is not None:
            seconds -= time.monotonic() - bot.started
        self._portal.push(bot, _joined(lines))
        answer = self._portal.reply(bot, seconds)
        match answer:
            case Failure(Disqualification.TIMEOUT, detail) if in_handshake:
                return Failure(Disqualification.STARTUP_TIMEOUT, detail)
        return answer

    def finish(self, match: Match) -> None:
        """Finish a match that's over, by sending the last lines to the bots."""
        for seat, lines in self._lines.items():
            bot = self._bots[seat]
            if isinstance(bot, InProcessBot):
                bot.hear_the_rest(lines)
            elif self._portal is not None:
                self._portal.push(bot, _joined(lines))
        if self._portal is not None:
            self._portal.finish(match.keep_alive, self._spec.limits.grace)

    def close(self) -> None:
        """Stop all processes. You can begin another match afterwards."""
        if self._portal is not None:
            self._portal.close()


def _joined(lines: list[bytes]) -> bytes:
    return b"".join([line + b"\n" for line in lines])


def _policy_source(bot: BotLike) -> PythonBot | None:
    """Return a source that copies a `PolicyBot` for each match.

    A `PolicyBot` knows the match that it plays, and the program may use the same object in another
    environment.
    """
    if type(bot) is not PolicyBot:
        return None
    name = PolicyBot.__name__
    return PythonBot(name, lambda: InProcessBot(copy(bot), name))


def check_for_many(opponents: Bots | None, matches: int) -> None:
    """Check that the opponents can play this many matches at the same time.

    Raises:
        UsageError: an opponent is an object that plays one match at a time.
    """
    for bot in opponents or () if matches > 1 else ():
        for one in bot.bots if isinstance(bot, Pool) else [bot]:
            if hasattr(one, "reply") and not isinstance(one, type) and type(one) is not PolicyBot:
                raise UsageError(
                    f"one {type(one).__name__} object cannot play {matches} matches at the same "
                    "time: give its class"
                )


_NOBODY = PythonBot("", lambda: InProcessBot(_Nobody()))
"""A placeholder for a bot in the seats that the program plays. It never gets a request."""


class _Nobody:
    def reply(self, lines: Sequence[bytes]) -> bytes:
        raise AssertionError("no seat has a request")
