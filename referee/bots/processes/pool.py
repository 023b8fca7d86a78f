"""Processes that wait for another match, in the hands of one thread (protocol, 8.4)."""

from __future__ import annotations

from collections.abc import Hashable

import trio

from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.process import BotProcess

MAX_WAITING = 64
"""Bots that wait at most; each takes memory, some MB for one in Python."""


class BotPool:
    """Keeps bots between matches."""

    def __init__(self) -> None:
        # Those that wait longest first; of a bot that plays against itself there are two.
        self._waiting: list[tuple[Hashable, LaunchedBot]] = []

    def take(self, key: Hashable) -> LaunchedBot | None:
        """A bot that waits; None if there is none, or it has ended meanwhile."""
        for place, (other, bot) in enumerate(self._waiting):
            if other == key:
                del self._waiting[place]
                if bot.peek_exit_code() is None:
                    bot.thaw()
                    return bot
                bot.end()
                return None
        return None

    def put(self, key: Hashable, bot: LaunchedBot) -> None:
        """Let a bot wait that was let go of (`Bot.release`)."""
        self._waiting.append((key, bot))

    @property
    def waiting(self) -> list[LaunchedBot]:
        """Those that wait."""
        return [bot for _, bot in self._waiting]

    async def shrink(self) -> None:
        """End those that waited longest (8.4) while there are too many."""
        while len(self._waiting) > MAX_WAITING:
            await finish(self._waiting.pop(0)[1])

    async def finish(self) -> None:
        """End all that wait, side by side (8.4)."""
        async with trio.open_nursery() as nursery:
            while self._waiting:
                nursery.start_soon(finish, self._waiting.pop()[1])

    def end(self) -> None:
        """Kill all that wait."""
        while self._waiting:
            self._waiting.pop()[1].end()


async def finish(launched: LaunchedBot) -> None:
    """End a bot that waits (8.4)."""
    assert launched.last_stderr is not None  # it has played
    launched.thaw()
    async with trio.open_nursery() as nursery:
        bot = BotProcess(launched, launched.last_stderr)
        bot.attend(nursery)
        await bot.finish(launched.limits.grace)
        nursery.cancel_scope.cancel()
