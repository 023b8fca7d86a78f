"""Turns of requests that read a whole file, so that a slow page does not block other pages.

Requests for the same file take turns, because the first one computes the result for all. Requests
for different files run in parallel, but only a few large files are read at a time. A waiting
request uses no thread.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

import trio

from referee.errors import RefereeError
from referee.web.server.library import File

LARGE = 2**20
"""Files with more bytes are large. Only `MOST_LARGE` of them are read at a time, to save memory."""
MOST_LARGE = 2
MOST_WAITING = 8
"""Maximum number of requests that wait for the same file, so that others find a slot."""


class BusyError(RefereeError):
    """Too many requests wait for this page."""


class Turns:
    """Turns of requests that read files."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, trio.Lock] = WeakValueDictionary()
        self._large = trio.CapacityLimiter(MOST_LARGE)

    @asynccontextmanager
    async def of(self, file: File, *, patient: bool = False) -> AsyncIterator[None]:
        """Wait for the turn of a request.

        Args:
            patient: if True, wait behind any number of other requests.

        Raises:
            BusyError: too many requests wait for this file.
        """
        lock = self._locks.setdefault(file.path, trio.Lock())
        if not patient and lock.statistics().tasks_waiting >= MOST_WAITING:
            raise BusyError("Many are waiting for this page: it is loaded again every second")
        async with lock:
            if file.size <= LARGE:
                yield
                return
            async with self._large:
                yield
