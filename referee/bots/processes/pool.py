"""Processes that wait for another match, in the hands of one thread (protocol, 8.4)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.piped import PipedBot
from referee.bots.processes.polling import run

MAX_WAITING = 64
"""Bots that wait at most; each takes memory, some MB for one in Python."""


class BotPool:
    """Keeps bots between matches."""

    def __init__(self) -> None:
        # Those that wait longest first; of a bot that plays against itself there are two.
        self._waiting: list[tuple[Hashable, LaunchedBot]] = []

    def take(self, key: Hashable, *, fresh: bool = False) -> LaunchedBot | None:
        """A bot that waits and has not ended; None without one, or if a fresh one is wanted."""
        for place, (other, bot) in enumerate(self._waiting):
            if other == key:
                del self._waiting[place]
                if bot.peek_exit_code() is not None:
                    bot.end()
                elif fresh:
                    finish([bot])
                else:
                    bot.thaw()
                    return bot
                return None
        return None

    def put(self, key: Hashable, bot: LaunchedBot) -> None:
        """Let a bot wait that was let go of (`Bot.release`)."""
        self._waiting.append((key, bot))

    @property
    def waiting(self) -> list[LaunchedBot]:
        """Those that wait."""
        return [bot for _, bot in self._waiting]

    def shrink(self) -> None:
        """End those that waited longest (8.4) while there are too many."""
        many = max(0, len(self._waiting) - MAX_WAITING)
        finish(bot for _, bot in self._waiting[:many])
        del self._waiting[:many]

    def finish(self) -> None:
        """End all that wait, side by side (8.4)."""
        finish(self.waiting)
        self._waiting.clear()

    def end(self) -> None:
        """Kill all that wait."""
        while self._waiting:
            self._waiting.pop()[1].end()


def finish(waiting: Iterable[LaunchedBot]) -> None:
    """End bots that wait, side by side (8.4)."""
    bots = []
    for launched in waiting:
        assert launched.last_stderr is not None  # it has played
        launched.thaw()
        bots.append(PipedBot(launched, launched.last_stderr))
    run({bot: bot.finishing(bot.launched.limits.grace) for bot in bots})
