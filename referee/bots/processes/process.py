"""A bot's process under trio; its state and its waits are in `piped.py`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import trio

from referee.bots.bot import Answer
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.piped import KILL_SECONDS, PipedBot, Steps, Wait

T = TypeVar("T")

_POLL_SECONDS = 0.02


async def wait_for_exit(launched: LaunchedBot) -> None:
    """Wait until a process has ended, without reaping it: its id must stay its own."""
    if launched.popen is None or launched.exit_code is not None:  # then its id may be anybody's
        return
    if sys.platform == "linux":
        fd = os.pidfd_open(launched.popen.pid)
        try:
            await trio.lowlevel.wait_readable(fd)
        finally:
            os.close(fd)
    else:
        while launched.peek_exit_code() is None:  # noqa: ASYNC110 (nothing tells us)
            await trio.sleep(_POLL_SECONDS)


async def kill(launched: LaunchedBot) -> None:
    """Kill what a bot has started, and wait for its process, which is then to be reaped."""
    launched.kill()
    with trio.move_on_after(KILL_SECONDS):
        await wait_for_exit(launched)


class BotProcess(PipedBot):
    """A launched bot; a `Bot`. `attend` starts two tasks that run beside it while it plays."""

    clock: Callable[[], float] = staticmethod(trio.current_time)

    def __init__(self, *arguments: Any, **others: Any) -> None:
        """Take what `PipedBot` takes."""
        super().__init__(*arguments, **others)
        self._waiting: trio.CancelScope | None = None
        self._killing = trio.Lock()

    def attend(self, nursery: trio.Nursery) -> None:
        """Start what runs beside it while it plays."""
        nursery.start_soon(self.watch)
        nursery.start_soon(self.drain_stderr)

    async def watch(self) -> None:
        """Note the end of the process."""
        await wait_for_exit(self.launched)
        self.note_end()

    def note_end(self) -> None:
        """Note the end of the process, and end the wait for it."""
        super().note_end()
        if self._waiting is not None:
            self._waiting.cancel()

    async def drain_stderr(self) -> None:
        """Read stderr to its end."""
        try:
            while self._stderr_open:
                await trio.lowlevel.wait_readable(self._stderr)
                self.read_stderr()
        except trio.ClosedResourceError:
            pass

    async def reply(self, deadline: float) -> Answer:
        """Wait for the line that answers the last request."""
        return await self.wait_for(self.replying(deadline))

    async def finish(self, grace: float) -> None:
        """Let it end by itself, then make it."""
        await self.wait_for(self.finishing(grace))

    async def kill(self) -> None:
        """Kill it, even if the caller is cancelled."""
        with trio.CancelScope(shield=True):
            async with self._killing:
                await self.wait_for(self.killing())

    async def wait_for(self, steps: Steps[T]) -> T:
        """Take steps of this bot, such as `looking`, to their end."""
        waits = 0
        try:
            wait = next(steps)
            while True:
                waits += 1
                wait = steps.send(await self._wait(wait))
        except StopIteration as done:
            if not waits:
                await trio.lowlevel.checkpoint()  # other tasks must not starve
            result: T = done.value
            return result

    async def _wait(self, wait: Wait) -> bool:
        """Wait once; whether the time ran out."""
        with trio.move_on_at(wait.until) as self._waiting:
            if wait.read and wait.write:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(_cancel_when_readable, self.stdout_fd, nursery.cancel_scope)
                    await trio.lowlevel.wait_writable(self.stdin_fd)
                    nursery.cancel_scope.cancel()
            elif wait.write:
                await trio.lowlevel.wait_writable(self.stdin_fd)
            elif wait.read:
                await trio.lowlevel.wait_readable(self.stdout_fd)
            else:
                await self.watch()
        late = self._waiting.cancelled_caught and not self.has_ended
        self._waiting = None
        return late

    def _forget_pipe(self, fd: int) -> None:
        trio.lowlevel.notify_closing(fd)


async def _cancel_when_readable(fd: int, scope: trio.CancelScope) -> None:
    await trio.lowlevel.wait_readable(fd)
    scope.cancel()
