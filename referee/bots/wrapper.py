"""Wraps bots, e.g. to translate their messages or to replay recorded replies."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from msgspec import Struct

from referee.bots.bot import Answer, Bot, Failure
from referee.bots.process_report import ProcessReport
from referee.bots.processes.process import BotProcess
from referee.match.limits import Limits


class BotWrapper:
    """Base class for bots that wrap another bot. Most methods simply call the wrapped bot.

    `quick_reply` doesn't, because that would bypass a subclass that changes replies. A subclass can
    define its own `quick_reply`. If it doesn't, the match is slower, but still correct.
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
        """The value of `DialectBot.spoken`, or None if the bot doesn't speak a dialect."""
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
    """Plays the recorded part of a match in place of a bot, and then lets the bot take over.

    The bot gets all messages of the recorded part, so that it can rebuild its state. A process also
    has to reply to the requests, but we discard these replies.

    Args:
        answers: the recorded replies, including the handshake. A None means that we use the bot's
            own reply.
        is_asked: True if the bot has to reply during the recorded part as well.
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
        already crashed can't take over afterwards.
        """
        return self._replaced(await self.wrapped.reply(deadline) if self._is_own() else None)

    def _is_own(self) -> bool:
        """Return True if we have to wait for the bot's own reply, even if we'll discard it."""
        return self._is_asked or not self._answers or self._answers[0] is None

    def _replaced(self, own: Answer | None) -> Answer:
        answer = self._answers.popleft() if self._answers else None
        if answer is None or isinstance(own, Failure):
            assert own is not None
            return own
        return answer


def process_of(bot: object) -> BotProcess | None:
    """Unwrap a bot and return its process, or None if the bot isn't a process."""
    while isinstance(bot, BotWrapper):
        bot = bot.wrapped
    return bot if isinstance(bot, BotProcess) else None
