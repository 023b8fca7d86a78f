"""Limits the CPU time of bots that run in the referee's own process."""

from __future__ import annotations

import time

from referee.games.interface.faults import Disqualification, OverLimitError
from referee.match.limits import Limits, flag


class OverTimeError(OverLimitError):
    """A bot exceeded its limit of CPU time."""

    def __init__(self, code: Disqualification, text: str) -> None:
        super().__init__(text)
        self.code = code


class CpuClock:
    """Measures the CPU time of each reply, and checks it against the limits of a bot.

    Compute each reply in a `with` block. We can't interrupt a bot in our own process, so we can
    only check its time afterwards. We use the CPU time of the thread instead of the wall clock, so
    that no bot is disqualified because the machine was busy.

    Raises:
        OverTimeError: the bot took too long. This is raised at the end of the block.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._all = 0.0
        self._replies = 0
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = time.thread_time()

    def __exit__(self, kind: object, *_: object) -> None:
        seconds = time.thread_time() - self._began
        self._all += seconds
        in_bank = self._all - self._replies * self._limits.increment
        self._replies += 1
        for code, name, used, what in (
            (Disqualification.TIMEOUT, "time_limit", seconds, "a reply"),
            (Disqualification.TIME_BANK, "time_bank", in_bank, "all replies"),
            (Disqualification.CPU_LIMIT, "cpu_limit", self._all, "all replies"),
        ):
            # If the block itself raised an exception, we report that one.
            if kind is None and used > getattr(self._limits, name):
                text = f"{used:.3f} s of CPU time for {what}, more than {flag(name)}"
                raise OverTimeError(code, text)
