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
from referee.bots.command import BotCommand, BotSource
from referee.bots.hosting import hosted, release_all
from referee.bots.processes.launch import LaunchedBot, Started
from referee.bots.processes.pool import BotPool
from referee.match.spec import MatchSpec

T = TypeVar("T")
_PATIENCE = 1
"""Milliseconds to wait for a reply without the event loop: the thread has nothing else to do."""


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
        self._started: list[Started] = []
        self._pool = BotPool()
        self._spec: MatchSpec | None = None
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
        self._spec = spec
        for seat, source in enumerate(self._sources):
            if isinstance(source, BotCommand):
                self._started.append(self._pool.take(seat) or LaunchedBot(source))
            else:
                self._started.append(source)
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
        self._leave(self._run(self._finish, keep, lines))

    def close(self) -> None:
        """End all bots, and the thread. There can be another match all the same."""
        self._leave()
        if self._thread is not None and self._spec is not None:
            self._run(self._pool.finish, self._spec.limits)
            trio.from_thread.run_sync(self._closed.set, trio_token=self._token)
            self._thread.join()
            self._thread = None

    def _leave(self, released: Collection[int] = ()) -> None:
        """End those bots of the match that were not released."""
        if self._over is not None:
            self._run(self._end_hosting, self._over)
        started, self._started, self.bots, self._over = self._started, [], [], None
        for seat, bot in enumerate(started):
            if isinstance(bot, LaunchedBot):
                if seat in released and self._spec is not None:
                    self._run(self._pool.put, seat, bot, self._spec.limits)
                else:
                    bot.end()

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
        async with hosted(spec, self._started, patience=_PATIENCE) as self.bots:
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

    async def _finish(self, keep: Collection[int], lines: Mapping[int, bytes]) -> set[int]:
        assert self._spec is not None  # a match was begun
        for seat, rest in lines.items():
            self.bots[seat].push(rest)
        return await release_all(self.bots, keep, self._spec.limits.grace)
