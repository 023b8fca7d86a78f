"""Changes settings of our own process that only Linux has. Does nothing on other systems."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import sys
from functools import cache

_SET_PDEATHSIG = 1
_SET_DUMPABLE = 4
_SET_CHILD_SUBREAPER = 36


def die_with_parent() -> None:
    """Kill this process when the thread that started it ends."""
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)


def hide_memory() -> None:
    """Keep other processes of this user from reading or modifying this one.

    In /proc, our memory, open files and environment then belong to root, and nobody else can trace
    us. (If bots run as root, only a sandbox can stop them.)
    """
    _prctl(_SET_DUMPABLE, 0)


def adopt_orphans(adopt: bool = True) -> None:
    """Become the parent of orphaned descendants, which otherwise go to init.

    With `adopt=False`, they go to init again.
    """
    _prctl(_SET_CHILD_SUBREAPER, int(adopt))


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            _libc().prctl(option, value, 0, 0, 0)


@cache
def _libc() -> ctypes.CDLL:
    # Each instance is a reference cycle, so don't make a new one every time.
    return ctypes.CDLL(None)
