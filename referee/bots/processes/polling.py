"""Waits for bots without an event loop (`piped.py` has what they are waited for).

run({bot: bot.finishing(grace) for bot in bots})
"""

from __future__ import annotations

import math
import select
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from referee.bots.processes.piped import Steps, Wait

T = TypeVar("T")

_SLICE_SECONDS = 0.05
"""A wait is looked at so often, which shows how late the referee itself is."""


class Waitable(Protocol):
    """A bot that can be waited for.

    Attributes:
        has_ended: whether its process has ended, as far as was noted.
        stdin_fd: a file descriptor into which it takes lines.
        stdout_fd: a file descriptor that is readable once it has answered.
    """

    has_ended: bool
    stdin_fd: int
    stdout_fd: int

    def watched(self) -> Iterator[tuple[int, Callable[[], object]]]:
        """The descriptors that are readable when something needs attention, and what to do then."""
        ...


def run(steps: Mapping[Any, Steps[T]]) -> list[T]:
    """Take steps of bots in parallel, to their ends. Returns: their results, in any order."""
    results: list[T] = []
    if steps:
        Poller(steps).run(steps, lambda bot, result: results.append(result))
    return results


class Poller:
    """Waits for processes, reads what they write on stderr meanwhile, and notes their ends.

    Attributes:
        overslept: called with the number of seconds that this program woke up too late.
    """

    def __init__(
        self,
        bots: Collection[Waitable],
        overslept: Callable[[float], object] = lambda seconds: None,
    ) -> None:
        self.overslept = overslept
        self._bots = bots

    def wait(self, waits: Mapping[Waitable, Wait], until: float = math.inf) -> dict[Waitable, bool]:
        """Wait until one of the waits is over, or until a moment on the clock of the processes.

        Returns:
            The bots whose waits are over: whether the time ran out.
        """
        now = time.monotonic()
        until = min(until, now + _SLICE_SECONDS, *(wait.until for wait in waits.values()))
        poll = select.poll()
        pipes: dict[int, Waitable] = {}
        others: dict[int, Callable[[], object]] = {}
        for bot in self._bots:
            others.update(bot.watched())
        for fd in others:
            poll.register(fd, select.POLLIN)
        for bot, wait in waits.items():
            if wait.read:
                pipes[bot.stdout_fd] = bot
                poll.register(bot.stdout_fd, select.POLLIN)
            if wait.write:
                pipes[bot.stdin_fd] = bot
                poll.register(bot.stdin_fd, select.POLLOUT)
        ready = poll.poll(max(0.0, until - now) * 1000)
        now = time.monotonic()
        if now > until:
            self.overslept(now - until)
        over: dict[Waitable, bool] = {}
        for fd, _ in ready:
            if fd in pipes:
                over[pipes[fd]] = False
            else:
                others[fd]()
        for bot, wait in waits.items():
            if bot.has_ended:
                over[bot] = False
            elif now >= wait.until:
                over[bot] = True
        return over

    def run(
        self,
        steps: Mapping[Waitable, Steps[T]],
        done: Callable[[Waitable, T], object] = lambda bot, result: None,
        on_time: Callable[[], float] = lambda: math.inf,
    ) -> None:
        """Take steps side by side, to their ends.

        Args:
            steps: for each process.
            done: is given what comes of them, as soon as it is there.
            on_time: is called while they are waited for; says when it wants to be called again.
        """
        waits: dict[Waitable, Wait] = {}
        over: Mapping[Waitable, bool | None] = dict.fromkeys(steps)
        while True:
            for bot, late in over.items():
                try:
                    waits[bot] = steps[bot].send(late)  # None begins them
                except StopIteration as stop:
                    waits.pop(bot, None)
                    done(bot, stop.value)
            if not waits:
                return
            over = self.wait(waits, on_time())
