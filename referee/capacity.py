"""The resources of this machine: cores and file descriptors."""

from __future__ import annotations

import os
import re

from referee.errors import ShortageError

# Number of file descriptors that a match with four bots needs, including those for imports.
DESCRIPTORS = 48


def cores() -> int:
    """Number of cores that this process may use, by its affinity and control groups. At least 1.

    A quota of 1.5 cores counts as 1. With two matches at a time, the system would suspend both of
    them for a part of each tenth of a second, and the bots would look slow.
    """
    from referee.bots.processes.cgroups import cpu_quota  # this imports subprocess, which is slow

    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:  # not every system has it
        count = os.cpu_count() or 1
    return max(1, int(min(count, cpu_quota())))


def shares(jobs: int) -> list[set[int]]:
    """Divide the cores evenly among jobs (Linux). Returns [] if there are too few cores.

    The two threads of a core are next to each other in the order of CPUs, so a job gets both
    threads if its share is even.
    """
    if not hasattr(os, "sched_setaffinity"):
        return []
    found = sorted(os.sched_getaffinity(0), key=_core_of)
    share = len(found) // jobs
    return [{*found[job * share : (job + 1) * share]} for job in range(jobs)] if share else []


def _core_of(cpu: int) -> tuple[int, int]:
    # Sort by the first thread of each CPU's core, which puts both threads of a core side by side.
    path = f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
    try:
        with open(path) as file:
            return int(re.split("[,-]", file.read())[0]), cpu
    except (OSError, ValueError):
        return cpu, cpu


def check_descriptors() -> None:
    """Check, before a bot starts, that all files of a match can be opened.

    Running out of file descriptors in the middle of a match would ruin the match.

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
