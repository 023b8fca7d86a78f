"""A bot that speaks a dialect of its game (`referee.seam.dialect`)."""

from __future__ import annotations

import trio

from referee.bots.around import BotAround
from referee.bots.bot import Answer, Bot, Failure, as_line, split_lines
from referee.seam.dialect import Dialect


class DialectBot(BotAround):
    """A `Bot` for one match: another one, and the translation that stands before it.

    That one is handed translated requests and nothing else, so it hears of no news.
    """

    def __init__(self, bot: Bot, dialect: Dialect) -> None:
        super().__init__(bot)
        self._dialect = dialect
        self._lines: list[bytes] = []

    def push(self, lines: bytes) -> None:
        """Keep lines until it is asked."""
        self._lines += split_lines(lines)

    async def reply(self, deadline: float) -> Answer:
        """Ask the bot behind, if it knows such a request."""
        lines, self._lines = self._lines, []
        data = self._dialect.request(lines)
        if data is None:
            await trio.lowlevel.checkpoint()
            return self._dialect.answer_for(lines[-1])
        self._bot.push(data + b"\n")
        answer = await self._bot.reply(deadline)
        return answer if isinstance(answer, Failure) else as_line(self._dialect.reply(answer))
