"""Bots that wrap another bot."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from msgspec import Struct

from referee.bots.bot import Answer, Bot, Failure
from referee.bots.process_report import ProcessReport
from referee.bots.processes.process import BotProcess
from referee.match.limits import Limits


class BotWrapper:
    """The part of a `Bot` that forwards to the wrapped bot.

    `quick_reply` isn't forwarded, because a subclass that changes replies has to change quick
    replies, too. If it has no `quick_reply`, the match is slower, but still correct.
    """

    def __init__(self, bot: Bot) -> None:
        self.wrapped = bot

    @property
    def stdout_fd(self) -> int:
        return -1

    @property
    def started(self) -> float | None:
        return self.wrapped.started

    @property
    def exit_code(self) -> int | None:
        return self.wrapped.exit_code

    @property
    def spoken(self) -> tuple[bytes, bytes] | None:
        """The last lines to and from the bot if it speaks a dialect, otherwise None."""
        return self.wrapped.spoken if isinstance(self.wrapped, BotWrapper) else None

    def attach_view(self, view: Callable[[], Struct | None]) -> None:
        """Forward to the wrapped bot, if it has this method."""
        if (attach_view := getattr(self.wrapped, "attach_view", None)) is not None:
            attach_view(view)

    def attach_limits(self, limits: Limits) -> None:
        """Forward to the wrapped bot, if it has this method."""
        if (attach_limits := getattr(self.wrapped, "attach_limits", None)) is not None:
            attach_limits(limits)

    def quick_reply(self, seconds: float) -> Answer | None:
        return None

    async def finish(self, grace: float) -> None:
        await self.wrapped.finish(grace)

    async def kill(self) -> None:
        await self.wrapped.kill()

    def process_report(self, count: int) -> ProcessReport | None:
        return self.wrapped.process_report(count)


class ReplayedBot(BotWrapper):
    """A `Bot` for one match that replaces the first replies of another bot.

    The wrapped bot gets all messages. A process gets the requests as well, so that it can rebuild
    its state, but we discard its replies to those.

    Args:
        answers: the first replies, including the handshake; None keeps the bot's own reply.
        is_asked: True if the wrapped bot also gets the requests of the recorded part.
    """

    def __init__(self, bot: Bot, answers: Iterable[Answer | None], *, is_asked: bool) -> None:
        super().__init__(bot)
        self._answers = deque(answers)
        self._is_asked = is_asked

    def push(self, lines: bytes) -> None:
        self.wrapped.push(lines)

    @property
    def stdout_fd(self) -> int:
        return self.wrapped.stdout_fd

    def quick_reply(self, seconds: float) -> Answer | None:
        if not self._is_own():
            return self._replaced(None)
        own = self.wrapped.quick_reply(seconds)
        return None if own is None else self._replaced(own)

    async def reply(self, deadline: float) -> Answer:
        """Return the next recorded reply, or the reply of the wrapped bot.

        If the wrapped bot fails during the recorded part, we report that failure: a bot that has
        crashed on the way can't take over afterwards.
        """
        return self._replaced(await self.wrapped.reply(deadline) if self._is_own() else None)

    def _is_own(self) -> bool:
        """Return True if the wrapped bot has to reply, even if we then discard its reply."""
        return self._is_asked or not self._answers or self._answers[0] is None

    def _replaced(self, own: Answer | None) -> Answer:
        answer = self._answers.popleft() if self._answers else None
        if answer is None or isinstance(own, Failure):
            assert own is not None
            return own
        return answer


def process_of(bot: object) -> BotProcess | None:
    """Return the process inside of a bot's wrappers, or None."""
    while isinstance(bot, BotWrapper):
        bot = bot.wrapped
    return bot if isinstance(bot, BotProcess) else None
