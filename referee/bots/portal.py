"""Runs bots for a program that has no event loop.

Most bots reply within a few milliseconds. For those, it's fastest by far to block the caller's own
thread until the reply arrives. If that takes more than `QUICK_SECONDS`, we wait in another thread
that runs trio. All portals of the program share that thread.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Awaitable, Callable, Container, Sequence
from contextlib import AsyncExitStack, ExitStack
from typing import TypeVar

import trio
from anyio.from_thread import BlockingPortal, BlockingPortalProvider

from referee.bots.bot import Answer, Bot
from referee.bots.command import BotSource
from referee.bots.hosting import QUICK_SECONDS, borrow_bots, release
from referee.bots.processes.pool import BotPool
from referee.errors import UsageError
from referee.match.spec import MatchSpec

T = TypeVar("T")
_THREAD = BlockingPortalProvider("trio")
_PORTALS = weakref.WeakSet["BotPortal"]()


class BotPortal:
    """Starts bots, waits for their replies and stops them, without an event loop.

    Processes are reused in the next match. We stop them in `close`, or at the end of the program.
    """

    def __init__(self) -> None:
        self._prepare()
        self._stay = ExitStack()  # closing it stops all bots, and releases the thread
        weakref.finalize(self, _close, self._stay)
        _PORTALS.add(self)

    def _prepare(self) -> None:
        self._pool = BotPool()
        self._match = AsyncExitStack()  # closing it returns the borrowed bots
        self._bots: Sequence[Bot] = []
        self._thread: BlockingPortal | None = None
        self._last = _LastCall()

    def begin(self, spec: MatchSpec, sources: Sequence[BotSource]) -> Sequence[Bot]:
        """Start the bots of a match, in seat order. If the last match isn't over, abandon it.

        Raises:
            ShortageError: the system has no process, memory or file descriptor left for a bot.
            UsageError: this is called in trio, which would have to wait for this thread.
        """
        if trio.lowlevel.in_trio_run():
            raise UsageError(
                "bots that are processes cannot be played in the thread of trio: call this with "
                "trio.to_thread.run_sync"
            )
        if self._thread is None:
            self._thread = self._stay.enter_context(_THREAD)
            self._stay.callback(self._thread.call, self._last.call, _end, self._match, self._pool)
        self._bots = self._call(self._begin, spec, sources)
        return self._bots

    async def _begin(self, spec: MatchSpec, sources: Sequence[BotSource]) -> Sequence[Bot]:
        await self._match.aclose()
        borrowed = borrow_bots(self._pool, spec, sources, range(len(sources)))
        return await self._match.enter_async_context(borrowed)

    def push(self, bot: Bot, lines: bytes) -> None:
        """Send lines to a bot (`Bot.push`)."""
        self._check_running()
        bot.push(lines)

    def reply(self, bot: Bot, seconds: float) -> Answer:
        """Wait up to `seconds` for the reply to the last request."""
        deadline = time.monotonic() + seconds
        answer = bot.quick_reply(min(seconds, QUICK_SECONDS))
        return self._call(_reply, bot, deadline) if answer is None else answer

    def kill(self, bot: Bot) -> None:
        """Kill a bot immediately."""
        self._call(bot.kill)

    def finish(self, keep: Container[int], grace: float) -> None:
        """End the match (8.4), but keep the processes in the seats of `keep` for the next one."""
        self._call(self._finish, keep, grace)

    async def _finish(self, keep: Container[int], grace: float) -> None:
        await release(self._bots, keep, [grace] * len(self._bots))
        await self._match.aclose()

    def close(self) -> None:
        """Stop all bots. You may begin another match afterwards."""
        self._stay.close()
        self._thread = None

    def leave_to_parent(self) -> None:
        """Give up the bots in a forked process. They and their pipes are the parent's."""
        _OF_PARENT.append((self._pool, self._match, self._bots, self._stay.pop_all()))
        self._prepare()

    def _check_running(self) -> BlockingPortal:
        if self._thread is None:
            raise UsageError("after close() or a fork, call reset() before the bots play again")
        return self._thread

    def _call(self, function: Callable[..., Awaitable[T]], *arguments: object) -> T:
        result: T = self._check_running().call(self._last.call, function, *arguments)
        return result


# What a forked process has of its parent. Nothing of it may be finalized there.
_OF_PARENT: list[object] = []


def _after_fork() -> None:
    # The forked process doesn't have the thread, so a call into it would never return.
    global _THREAD
    _THREAD = BlockingPortalProvider("trio")
    for portal in list(_PORTALS):
        portal.leave_to_parent()


os.register_at_fork(after_in_child=_after_fork)


class _LastCall:
    """Runs one call at a time in trio. A call ends the one before it.

    That one may still be running, since Ctrl-C only interrupts the thread that waits for it.
    """

    def __init__(self) -> None:
        self._one = trio.Lock()
        self._scope = trio.CancelScope()

    async def call(self, function: Callable[..., Awaitable[T]], *arguments: object) -> T:
        self._scope.cancel()
        async with self._one:
            with trio.CancelScope() as self._scope:
                return await function(*arguments)
        raise UsageError("these bots are used by another thread at the same time")


async def _reply(bot: Bot, deadline: float) -> Answer:
    return await bot.reply(trio.current_time() + deadline - time.monotonic())


async def _end(match: AsyncExitStack, pool: BotPool) -> None:
    await match.aclose()
    await pool.finish()


def _close(stay: ExitStack) -> None:
    # If somebody forgot to close the portal, the garbage collector calls this, and it can do so in
    # any thread. In the thread that runs trio, we'd be waiting for ourselves.
    if trio.lowlevel.in_trio_run():
        threading.Thread(target=stay.close).start()
    else:
        stay.close()
