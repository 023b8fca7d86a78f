"""What this machine lets the referee use: cores and file descriptors."""

from __future__ import annotations

import os
import re

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


def shares(jobs: int) -> list[set[int]]:
    """As many cores for each job as there are, no core twice; empty if there are too few (Linux).

    Two threads of one core are neighbours, so that they belong to one job if its share is even.
    """
    if not hasattr(os, "sched_setaffinity"):
        return []
    found = sorted(os.sched_getaffinity(0), key=_core_of)
    share = len(found) // jobs
    return [{*found[job * share : (job + 1) * share]} for job in range(jobs)] if share else []


def _core_of(cpu: int) -> tuple[int, int]:
    """The first thread of the core of a thread, and this one."""
    path = f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
    try:
        with open(path) as file:
            return int(re.split("[,-]", file.read())[0]), cpu
    except (OSError, ValueError):
        return cpu, cpu


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
