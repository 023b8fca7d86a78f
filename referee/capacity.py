"""Finds out how many cores and file descriptors we may use."""

from __future__ import annotations

import os
import re

from referee.errors import ShortageError

# A match with four bots needs this many file descriptors, including those for imports.
DESCRIPTORS = 48


def cores() -> int:
    """Return how many cores this process may use, which is at least 1.

    We look at both the CPU affinity and the control group's quota. A quota of 1.5 cores gives 1,
    because with two matches at a time, the system would suspend both of them for a part of every
    100 ms, and the bots would seem slow.
    """
    from referee.bots.processes.cgroups import cpu_quota  # imports subprocess, which is slow

    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:  # not every system has it
        count = os.cpu_count() or 1
    return max(1, int(min(count, cpu_quota())))


def shares(jobs: int) -> list[set[int]]:
    """Divide the cores evenly among jobs.

    Returns [] if there are fewer cores than jobs, and on systems other than Linux. If each job gets
    an even number of CPUs, both threads of a core belong to the same job.
    """
    if not hasattr(os, "sched_setaffinity"):
        return []
    found = sorted(os.sched_getaffinity(0), key=_core_of)
    share = len(found) // jobs
    return [{*found[job * share : (job + 1) * share]} for job in range(jobs)] if share else []


def _core_of(cpu: int) -> tuple[int, int]:
    # Both threads of a core have the same list of siblings. If we sort CPUs by the first number in
    # this list, the threads of each core are next to each other.
    path = f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
    try:
        with open(path) as file:
            return int(re.split("[,-]", file.read())[0]), cpu
    except (OSError, ValueError):
        return cpu, cpu


def check_descriptors() -> None:
    """Check that a match won't run out of file descriptors.

    We do this before we start a bot, because a shortage in the middle of a match would ruin it.

    Raises:
        ShortageError: there are too few file descriptors.
    """
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
