"""What this machine lets the referee use: cores and file descriptors."""

from __future__ import annotations

import os

from referee.errors import ShortageError

DESCRIPTORS = 48
"""File descriptors that are enough for a match of four bots and for what its imports open."""


def cores() -> int:
    """How many cores this process may use, at least 1: by its affinity and its control groups.

    A quota of 1.5 cores counts as 1. With two matches at a time, the system would stop both for
    parts of each tenth of a second, and bots would seem to be slow.
    """
    from referee.bots.processes.cgroups import cpu_quota  # with subprocess, slow to load

    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        count = os.cpu_count() or 1
    return max(1, int(min(count, cpu_quota())))


def check_descriptors() -> None:
    """Raise a `ShortageError` if not all files of a match can be opened, before a bot starts."""
    opened: list[int] = []
    try:
        for _ in range(DESCRIPTORS):
            opened.append(os.open("/", os.O_RDONLY | os.O_CLOEXEC))  # noqa: PERF401
    except OSError as error:
        what = f"a match needs {DESCRIPTORS} file descriptors (ulimit -n)"
        raise ShortageError(what, error) from error
    finally:
        for fd in opened:
            os.close(fd)
