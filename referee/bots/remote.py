"""A bot behind HTTP without an event loop: trio runs in a thread of its own.

The first of these bots loads trio.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from referee.bots.bot import Answer, Bot, NoProcess
from referee.bots.processes.piped import Steps, Wait

if TYPE_CHECKING:
    import trio

T = TypeVar("T")


class RemoteBot(NoProcess):
    """A bot that answers in another thread. A pipe is readable when it has answered."""

    has_ended = False
    stdin_fd = -1

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.stdout_fd, self._done = os.pipe()
        self._is_open = True

    def push(self, lines: bytes) -> None:
        """Keep lines until the next request."""
        self._bot.push(lines)

    def replying(self, deadline: float) -> Steps[Answer]:
        """Ask it."""
        import trio

        seconds = deadline - time.monotonic()
        return self._calling(lambda: self._bot.reply(trio.current_time() + seconds))

    def releasing(self, grace: float) -> Steps[bool]:
        """Finish: a server needs no keeping."""
        yield from self.finishing(grace)
        return True

    def finishing(self, grace: float) -> Steps[None]:
        """Send the lines since the last request."""
        yield from self._calling(lambda: self._bot.finish(grace))
        yield from self.killing()

    def killing(self) -> Steps[None]:
        """Close the connection."""
        if self._is_open:
            yield from self._calling(self._bot.kill)
            self._is_open = False
            os.close(self.stdout_fd)
            os.close(self._done)

    def watched(self) -> Iterator[tuple[int, Callable[[], object]]]:
        """It has no process."""
        return iter(())

    def _calling(self, function: Callable[[], Awaitable[T]]) -> Steps[T]:
        import trio

        results: list[T | Exception] = []

        async def call() -> None:
            try:
                results.append(await function())
            except Exception as error:
                results.append(error)
            os.write(self._done, b".")

        nursery, token = _nursery()
        trio.from_thread.run_sync(nursery.start_soon, call, trio_token=token)
        while not results:
            yield Wait(math.inf, read=True)
        os.read(self.stdout_fd, 1)
        (result,) = results
        if isinstance(result, Exception):
            raise result
        return result


@cache
def _nursery() -> tuple[trio.Nursery, trio.lowlevel.TrioToken]:
    """The nursery of the thread, which runs as long as this program."""
    import trio

    found: list[tuple[trio.Nursery, trio.lowlevel.TrioToken]] = []
    ready = threading.Event()

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            found.append((nursery, trio.lowlevel.current_trio_token()))
            ready.set()
            await trio.sleep_forever()

    threading.Thread(target=trio.run, args=(main,), daemon=True).start()
    ready.wait()
    return found[0]
