"""Translates messages for a bot that speaks a dialect (`referee.games.interface.dialect`)."""

from __future__ import annotations

from referee.bots.bot import Answer, Bot, Failure, as_line, split_lines
from referee.bots.processes.launch import LaunchedBot, Started
from referee.bots.wrapper import BotWrapper
from referee.games.interface.definition import GameDefinition
from referee.games.interface.dialect import Dialect
from referee.match.spec import MatchSpec


class DialectBot(BotWrapper):
    """Translates between a bot that speaks a dialect and one match."""

    def __init__(self, bot: Bot, dialect: Dialect) -> None:
        super().__init__(bot)
        self._dialect = dialect
        self._sent = self._answered = b""

    @property
    def spoken(self) -> tuple[bytes, bytes]:
        """The last lines that we sent to the bot and its last reply, both in the dialect."""
        return self._sent, self._answered

    def push(self, lines: bytes) -> None:
        data = b"".join(map(self._dialect.send, split_lines(lines)))
        if data:
            self._sent = data
            self.wrapped.push(data)

    @property
    def stdout_fd(self) -> int:
        return self.wrapped.stdout_fd

    def quick_reply(self, seconds: float) -> Answer | None:
        answered = self._dialect.answer()
        if answered is not None:
            return answered
        answer = self.wrapped.quick_reply(seconds)
        return None if answer is None else self._translated(answer)

    async def reply(self, deadline: float) -> Answer:
        answered = self._dialect.answer()
        if answered is not None:
            return answered
        return self._translated(await self.wrapped.reply(deadline))

    def _translated(self, answer: Answer) -> Answer:
        if isinstance(answer, Failure):
            return answer
        self._answered = answer
        return as_line(self._dialect.reply(answer))


def in_dialect(spec: MatchSpec, seat: int, source: Started, bot: Bot) -> DialectBot:
    """Wrap a bot, so that messages to it and replies from it are translated."""
    kind = spec.definition.dialects[source.dialect]
    return DialectBot(bot, kind.new(seat, spec.seed, source.argument))


def reply_end(definition: GameDefinition, source: LaunchedBot) -> bytes:
    r"""Return the bytes at the end of each reply: "\n", unless the bot's dialect has its own."""
    return definition.dialects[source.dialect].reply_end if source.dialect else b"\n"
