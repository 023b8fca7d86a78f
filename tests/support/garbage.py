"""Counts the objects that only the garbage collector can free."""

from __future__ import annotations

import gc
from collections.abc import Callable

TRIES = 3


def garbage_of(call: Callable[[], object]) -> int:
    """Return how many objects a call leaves to the garbage collector.

    A thread of the test runner may leave some in between, so this is the least of several calls.
    """
    found = []
    gc.disable()
    try:
        for _ in range(TRIES):
            gc.collect()
            call()
            found.append(gc.collect())
    finally:
        gc.enable()
    return min(found)
