"""A bot that speaks a dialect of its game (`referee.games.interface.dialect`)."""

from __future__ import annotations

from typing import cast

from referee.bots.bot import Answer, Bot, Failure, as_line, split_lines
from referee.bots.checkpoint import checkpoint
from referee.bots.processes.launch import LaunchedBot, Started
from referee.bots.processes.piped import PipedBot, Steps
from referee.bots.remote import RemoteBot
from referee.bots.wrapper import BotWrapper
from referee.games.interface.definition import GameDefinition
from referee.games.interface.dialect import Dialect
from referee.match.spec import MatchSpec


class DialectBot(BotWrapper):
    """A `Bot` for one match: another one, and the translation that stands before it."""

    def __init__(self, bot: Bot, dialect: Dialect) -> None:
        super().__init__(bot)
        self._dialect = dialect
        self._sent = self._answered = b""

    @property
    def spoken(self) -> tuple[bytes, bytes]:
        """In the dialect."""
        return self._sent, self._answered

    def push(self, lines: bytes) -> None:
        data = b"".join(map(self._dialect.send, split_lines(lines)))
        if data:
            self._sent = data
            self.wrapped.push(data)

    def replying(self, deadline: float) -> Steps[Answer]:
        """Get the reply to the request, if it was sent, without an event loop."""
        answered = self._dialect.answer()
        if answered is not None:
            return answered
        bot = self.wrapped
        assert isinstance(bot, PipedBot | RemoteBot)
        return self._translated((yield from bot.replying(deadline)))

    async def reply(self, deadline: float) -> Answer:
        answered = self._dialect.answer()
        if answered is not None:
            await checkpoint()
            return answered
        return self._translated(await self.wrapped.reply(deadline))

    def _translated(self, answer: Answer) -> Answer:
        if isinstance(answer, Failure):
            return answer
        self._answered = answer
        return as_line(self._dialect.reply(answer))


def in_dialect(spec: MatchSpec, seat: int, source: Started, bot: object) -> DialectBot:
    """A bot with the translation that stands before it."""
    kind = spec.rules.dialects[source.dialect]()
    # Where there is no event loop, nobody calls what a process has no `async` method for.
    return DialectBot(cast(Bot, bot), kind.new(seat, spec.seed, source.argument))


def reply_end(rules: GameDefinition, source: LaunchedBot) -> bytes:
    """The bytes at the end of each reply of a process."""
    return rules.dialects[source.dialect]().reply_end if source.dialect else b"\n"
