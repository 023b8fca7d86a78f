"""Measures how much CPU time processes use, and whether they're computing (Linux)."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

from referee.bots.processes.orphans import descendants

# On a busy machine, a process that never stops computing may still get only this fraction of a
# core.
_BUSY_PART = 0.2
# Index of the user time in the fields that `stat_fields` returns. The next three fields are the
# system time, and the user and system time of children that were waited for.
_UTIME = 11


class Usage(NamedTuple):
    """CPU time of some processes, and whether any of them wants a core right now."""

    seconds: float
    is_running: bool


def usage(*pids: int) -> Usage | None:
    """Return the CPU usage of processes and their descendants, or None if this isn't Linux."""
    if sys.platform != "linux":
        return None
    all_fields = [stat_fields(each) for pid in pids for each in (pid, *descendants(pid))]
    ticks = sum(sum(map(int, fields[_UTIME : _UTIME + 4])) for fields in all_fields)
    is_running = any(fields[0] == b"R" for fields in all_fields if fields)
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), is_running)


def stat_fields(pid: int) -> list[bytes]:
    """Return the fields of /proc/PID/stat from the state on, or [] if the process doesn't exist."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The second field is the program's name in parentheses. A name may contain spaces and
            # parentheses as well, so only the last parenthesis is reliable.
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def is_computing(before: Usage | None, now: Usage | None, seconds: float) -> bool:
    """Return True if a process seems to have been computing from one measurement to the next."""
    if before is None or now is None:
        return False
    share = (now.seconds - before.seconds) / seconds if seconds else 0.0
    return share > _BUSY_PART or (before.is_running and now.is_running)
