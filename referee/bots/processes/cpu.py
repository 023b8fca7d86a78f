"""The CPU activity of a process (Linux)."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

from referee.bots.processes.orphans import descendants

# On a busy machine, a process that computes all the time may get only this fraction of a core.
_BUSY_PART = 0.2
# Index in the fields that `stat_fields` returns. The next three are other times that we count: in
# the kernel, and of children that were waited for.
_UTIME = 11


class Usage(NamedTuple):
    """CPU time of processes, and whether one runs or waits for a core."""

    seconds: float
    is_running: bool


def usage(*pids: int) -> Usage | None:
    """Return the CPU usage of processes and their descendants, or None if we can't know."""
    if sys.platform != "linux":
        return None
    all_fields = [stat_fields(each) for pid in pids for each in (pid, *descendants(pid))]
    ticks = sum(sum(map(int, fields[_UTIME : _UTIME + 4])) for fields in all_fields)
    is_running = any(fields[0] == b"R" for fields in all_fields if fields)
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), is_running)


def stat_fields(pid: int) -> list[bytes]:
    """Return the fields of /proc/PID/stat from the state on. Empty if the process has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The second field is the program's name in parentheses. A name may contain spaces and
            # parentheses as well, so only the last parenthesis is reliable.
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def is_computing(before: Usage | None, now: Usage | None, seconds: float) -> bool:
    """Return True if a process computed for the whole time between two measurements."""
    if before is None or now is None:
        return False
    share = (now.seconds - before.seconds) / seconds if seconds else 0.0
    return share > _BUSY_PART or (before.is_running and now.is_running)
