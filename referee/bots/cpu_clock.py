"""A clock for bots in the referee's own process: it counts CPU time."""

from __future__ import annotations

import time

from referee.games.interface.faults import Disqualification, OverLimitError
from referee.match.limits import Limits, flag


class OverTimeError(OverLimitError):
    """A bot has taken more CPU time than a limit allows."""

    def __init__(self, code: Disqualification, text: str) -> None:
        super().__init__(text)
        self.code = code


class CpuClock:
    """Charges the CPU time of a reply to the limits of a bot: `with clock: ...`.

    A bot in this process cannot be interrupted, so its limits are checked after the reply. Time in
    which the machine runs something else is not the bot's, so it does not count.

    Raises:
        OverTimeError: at the end of the block.
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
            if kind is None and used > getattr(self._limits, name):
                text = f"{used:.3f} s of CPU time for {what}, more than {flag(name)}"
                raise OverTimeError(code, text)
