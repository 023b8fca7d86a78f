"""The bots of a match for a program without an event loop: trio runs in a thread of its own.

    bots = ThreadedBots(sources)
    bots.begin(spec)
    answer = bots.ask(seat, lines, seconds)
    bots.finish(keep, last_lines)
    bots.close()

Between two calls the thread goes on, so that no bot waits with what it writes on stderr.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import trio

from referee.bots.bot import Answer, Bot
from referee.bots.command import BotSource
from referee.bots.hosting import lent, release_all
from referee.bots.processes.pool import BotPool
from referee.match.spec import MatchSpec

T = TypeVar("T")


class ThreadedBots:
    """Bots, match after match; processes that can wait for another one are used again (8.4).

    Args:
        sources: in seat order.

    Attributes:
        bots: of the match that is played, in seat order.
    """

    def __init__(self, sources: Sequence[BotSource]) -> None:
        self.bots: list[Bot] = []
        self._sources = sources
        self._pool = BotPool()
        self._grace = 0.0
        self._thread: threading.Thread | None = None
        # Of the thread, and of its match:
        self._token: trio.lowlevel.TrioToken
        self._nursery: trio.Nursery
        self._closed: trio.Event
        self._over: trio.Event | None = None
        self._left: trio.Event

    def begin(self, spec: MatchSpec) -> None:
        """Start the bots of a match; one that was not finished is given up.

        Raises:
            ShortageError: the system has no process, memory or file descriptor left for one.
        """
        self._leave()
        if self._thread is None:
            ready = threading.Event()
            self._thread = threading.Thread(target=trio.run, args=(self._main, ready), daemon=True)
            self._thread.start()
            ready.wait()
        self._grace = spec.limits.grace
        self._run(self._nursery.start, self._host, spec)

    def ask(self, seat: int, lines: bytes, seconds: float) -> Answer:
        """Hand a bot lines, and wait for its answer; one that starts up has the time from then."""
        return self._run(self._ask, self.bots[seat], lines, seconds)

    def kill(self, seat: int) -> None:
        """End a bot that was disqualified."""
        self._run(self.bots[seat].kill)

    def finish(self, keep: Collection[int], lines: Mapping[int, bytes]) -> None:
        """End a match.

        Args:
            keep: the seats of the bots that wait for another match; the others end.
            lines: seat -> the last ones.
        """
        self._run(self._finish, keep, lines)
        self._leave()

    def close(self) -> None:
        """End all bots, and the thread. There can be another match all the same."""
        self._leave()
        if self._thread is not None:
            self._run(self._pool.finish)
            trio.from_thread.run_sync(self._closed.set, trio_token=self._token)
            self._thread.join()
            self._thread = None

    def _leave(self) -> None:
        """End those bots of the match that were not let go of."""
        if self._over is not None:
            self._run(self._end_hosting, self._over)
        self.bots, self._over = [], None

    def _run(self, function: Callable[..., Awaitable[T]], *arguments: Any) -> T:
        return trio.from_thread.run(function, *arguments, trio_token=self._token)

    # --- in the thread --------------------------------------------------------------------------

    async def _main(self, ready: threading.Event) -> None:
        async with trio.open_nursery() as self._nursery:
            self._token = trio.lowlevel.current_trio_token()
            self._closed = trio.Event()
            ready.set()
            await self._closed.wait()

    async def _host(
        self, spec: MatchSpec, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        self._left = trio.Event()
        keys = range(len(self._sources))
        async with lent(self._pool, spec, self._sources, keys) as self.bots:
            self._over = trio.Event()
            task_status.started()
            await self._over.wait()
        self._left.set()

    async def _end_hosting(self, over: trio.Event) -> None:
        over.set()
        await self._left.wait()

    async def _ask(self, bot: Bot, lines: bytes, seconds: float) -> Answer:
        started = bot.started
        bot.push(lines)
        return await bot.reply((trio.current_time() if started is None else started) + seconds)

    async def _finish(self, keep: Collection[int], lines: Mapping[int, bytes]) -> None:
        for seat, rest in lines.items():
            self.bots[seat].push(rest)
        await release_all(self.bots, keep, self._grace)
