"""A bot that stands before another one."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from referee.bots.bot import Bot
from referee.bots.process_report import ProcessReport


class BotWrapper:
    """The part of a `Bot` that forwards to the wrapped bot.

    Args:
        bot: the one behind.
    """

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    @property
    def wrapped(self) -> Bot:
        """The one behind."""
        return self._bot

    @property
    def started(self) -> float | None:
        return self._bot.started

    @property
    def exit_code(self) -> int | None:
        return self._bot.exit_code

    @property
    def spoken(self) -> tuple[bytes, bytes] | None:
        """The last lines to and from the bot, if it speaks a dialect; else None."""
        return self._bot.spoken if isinstance(self._bot, BotWrapper) else None

    def attach_view(self, view: Callable[[], Struct | None]) -> None:
        """Let the bot behind have the view of its seat, if it wants that."""
        attach_view = getattr(self._bot, "attach_view", None)
        if attach_view is not None:
            attach_view(view)

    async def finish(self, grace: float) -> None:
        await self._bot.finish(grace)

    async def kill(self) -> None:
        await self._bot.kill()

    def process_report(self, count: int) -> ProcessReport | None:
        return self._bot.process_report(count)
