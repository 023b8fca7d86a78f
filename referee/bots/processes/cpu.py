"""The CPU activity of a process (Linux)."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

from referee.bots.processes.orphans import descendants

_BUSY_PART = 0.2
"""What uses more of a processor than this computes; nobody has more to give on a busy machine."""
_UTIME = 11
"""The place of this field of /proc/PID/stat behind the command's name; three more times follow."""


class Usage(NamedTuple):
    """CPU time of a process and its children; whether one runs, or waits for a processor."""

    seconds: float
    is_running: bool


def usage(*pids: int) -> Usage | None:
    """What processes do with the processor; None where nothing tells."""
    if sys.platform != "linux":
        return None
    all_fields = [stat_fields(each) for pid in pids for each in (pid, *descendants(pid))]
    ticks = sum(sum(map(int, fields[_UTIME : _UTIME + 4])) for fields in all_fields)
    is_running = any(fields[0] == b"R" for fields in all_fields if fields)
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), is_running)


def stat_fields(pid: int) -> list[bytes]:
    """The system's line on a process, from its state on; empty if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def is_computing(before: Usage | None, now: Usage | None, seconds: float) -> bool:
    """Whether a process has computed all the time between two looks at it."""
    if before is None or now is None:
        return False
    share = (now.seconds - before.seconds) / seconds if seconds else 0.0
    return share > _BUSY_PART or (before.is_running and now.is_running)
