"""Finding what a bot left behind outside its process group (protocol-v1, 8.4).

Killing a process group misses a child that went into a session of its own ("daemonised"). On
Linux the referee can make itself the one that inherits such orphans; once all bots have ended,
every new child it still has is one of them. Elsewhere these functions do nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_MAX_ROUNDS = 1000


def adopt_orphans(adopt: bool = True) -> None:
    """Let orphaned descendants become children of this process instead of init's, or no longer."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)


def children() -> set[int]:
    """The process ids of this process's children, zombies among them."""
    found: set[int] = set()
    if sys.platform == "linux":
        for task in Path("/proc/self/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found |= {int(pid) for pid in task.read_text().split()}
    return found


def kill_orphans(spare: set[int]) -> None:
    """Kill and reap children of this process; call it when every bot has been reaped.

    Args:
        spare: the children that are no bots'.
    """
    # A killed orphan's own children come up as new ones, hence the rounds.
    for _ in range(_MAX_ROUNDS):
        orphans = children() - spare
        if not orphans:
            break
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
