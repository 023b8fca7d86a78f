"""Bots that stand before another one."""

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

    It has no quick reply, unless its class says how it treats one.
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
        """The last lines to and from the bot, if it speaks a dialect; else None."""
        return self.wrapped.spoken if isinstance(self.wrapped, BotWrapper) else None

    def attach_view(self, view: Callable[[], Struct | None]) -> None:
        """Let the bot behind have the view of its seat, if it wants that."""
        if (attach_view := getattr(self.wrapped, "attach_view", None)) is not None:
            attach_view(view)

    def attach_limits(self, limits: Limits) -> None:
        """Let the bot behind have the limits of the match, if it keeps them itself."""
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
    """A `Bot` for one match: another one, whose first answers are replaced by others.

    The wrapped bot receives all messages. A process also gets the requests, so that it knows the
    match; its replies are dropped.

    Args:
        answers: the first answers, that to the handshake among them; None for its own.
        is_asked: whether the wrapped bot gets the requests during the recorded part.
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
        """The next answer that is there, else that of the bot behind.

        If it fails during the recorded part, it has failed: it could not continue from there.
        """
        return self._replaced(await self.wrapped.reply(deadline) if self._is_own() else None)

    def _is_own(self) -> bool:
        """Whether the wrapped bot answers, even if its answer is dropped."""
        return self._is_asked or not self._answers or self._answers[0] is None

    def _replaced(self, own: Answer | None) -> Answer:
        answer = self._answers.popleft() if self._answers else None
        if answer is None or isinstance(own, Failure):
            assert own is not None
            return own
        return answer


def process_of(bot: object) -> BotProcess | None:
    """The process of a bot, without its wrappers; None if it has none."""
    while isinstance(bot, BotWrapper):
        bot = bot.wrapped
    return bot if isinstance(bot, BotProcess) else None
