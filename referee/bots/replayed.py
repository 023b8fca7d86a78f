"""A bot whose first answers come from a record."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import trio

from referee.bots.bot import Answer, Bot, Failure
from referee.bots.wrapper import BotWrapper


class ReplayedBot(BotWrapper):
    """A `Bot` for one match: another one, whose first answers are replaced by others.

    The wrapped bot receives all messages. A process also gets the requests, so that it knows the
    match; its replies are dropped.

    Args:
        bot: the one behind.
        answers: the first answers, that to the handshake among them; None for its own.
        is_asked: whether the wrapped bot gets the requests during the recorded part.
    """

    def __init__(self, bot: Bot, answers: Iterable[Answer | None], *, is_asked: bool) -> None:
        super().__init__(bot)
        self._answers = deque(answers)
        self._is_asked = is_asked

    def push(self, lines: bytes) -> None:
        self._bot.push(lines)

    async def reply(self, deadline: float) -> Answer:
        """The next answer that is there, else that of the bot behind.

        If it fails during the recorded part, it has failed: it could not continue from there.
        """
        answer = self._answers.popleft() if self._answers else None
        if answer is None or self._is_asked:
            own = await self._bot.reply(deadline)
            if answer is None or isinstance(own, Failure):
                return own
        else:
            await trio.lowlevel.checkpoint()
        return answer
