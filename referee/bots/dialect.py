"""A bot that speaks a dialect of its game (`referee.games.interface.dialect`)."""

from __future__ import annotations

import trio

from referee.bots.around import BotAround
from referee.bots.bot import Answer, Bot, Failure, as_line, split_lines
from referee.games.interface.dialect import Dialect


class DialectBot(BotAround):
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
        """Hand over what these lines are in the dialect."""
        data = b"".join(map(self._dialect.send, split_lines(lines)))
        if data:
            self._sent = data
            self._bot.push(data)

    async def reply(self, deadline: float) -> Answer:
        """Ask the bot behind, if it was sent the request."""
        answered = self._dialect.answer()
        if answered is not None:
            await trio.lowlevel.checkpoint()
            return answered
        answer = await self._bot.reply(deadline)
        if isinstance(answer, Failure):
            return answer
        self._answered = answer
        return as_line(self._dialect.reply(answer))
