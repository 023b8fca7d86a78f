"""Keeps processes that wait for their next match (protocol, 8.4)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import trio

from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.process import BotProcess

# A waiting Python bot uses several MB of memory, so we can't keep them all.
MAX_WAITING = 64


class BotPool:
    """Keeps processes between matches, because starting a process is slow.

    This isn't thread-safe, so each thread needs its own pool.
    """

    def __init__(self) -> None:
        # The bot that has waited longest comes first. This is a list and not a dict, because a bot
        # that plays against itself is in the pool twice.
        self._waiting: list[tuple[Hashable, LaunchedBot]] = []

    async def take(self, key: Hashable, *, fresh: bool = False) -> LaunchedBot | None:
        """Take a waiting bot out of the pool, or return None if there isn't one that's still alive.

        Args:
            fresh: if True, stop the waiting bot and return None.
        """
        for place, (other, bot) in enumerate(self._waiting):
            if other == key:
                del self._waiting[place]
                if bot.peek_exit_code() is not None:
                    bot.end()
                elif fresh:
                    await _finish([bot])
                else:
                    bot.thaw()
                    return bot
                return None
        return None

    def put(self, key: Hashable, bot: LaunchedBot) -> None:
        """Add a released bot (`BotProcess.release`)."""
        self._waiting.append((key, bot))

    @property
    def waiting(self) -> list[LaunchedBot]:
        """All bots in the pool. The bot that has waited longest comes first."""
        return [bot for _, bot in self._waiting]

    async def shrink(self) -> None:
        """If there are too many bots in the pool, stop those that have waited longest (8.4)."""
        many = max(0, len(self._waiting) - MAX_WAITING)
        if many:
            await _finish(bot for _, bot in self._waiting[:many])
            del self._waiting[:many]

    async def finish(self) -> None:
        """Stop all waiting bots in parallel (8.4)."""
        await _finish(self.waiting)
        self._waiting.clear()

    def end(self) -> None:
        """Kill all waiting bots."""
        while self._waiting:
            self._waiting.pop()[1].end()


async def _finish(waiting: Iterable[LaunchedBot]) -> None:
    async with trio.open_nursery() as nursery:
        for launched in waiting:
            assert launched.last_stderr is not None  # BotProcess.release() has set it
            launched.thaw()
            bot = BotProcess(launched, launched.last_stderr)
            nursery.start_soon(bot.finish, launched.limits.grace)
