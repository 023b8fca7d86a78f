"""Requests of a process to Linux about itself; on other systems nothing happens."""

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
    """Be killed when the thread ends that has started this process."""
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)


def hide_memory() -> None:
    """Let no other process of this user read or change this one.

    Its memory, its open files and its environment are then root's in /proc, and nobody else may
    trace it. A bot that is root can still do it all: only a sandbox keeps that one away.
    """
    _prctl(_SET_DUMPABLE, 0)


def adopt_orphans(adopt: bool = True) -> None:
    """Let orphaned descendants become children of this process instead of init's, or no longer."""
    _prctl(_SET_CHILD_SUBREAPER, int(adopt))


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            _libc().prctl(option, value, 0, 0, 0)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)  # each one is garbage that only a collection finds
