"""Turns of requests that have to read a whole file, so that a slow page holds up no other page.

Requests for the same file take turns, since the first one computes what the others show. Requests
for other files do not wait for them, except that few large files are read at a time. A request that
waits takes no thread.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

import trio

from referee.errors import RefereeError
from referee.web.server.library import File

LARGE = 2**20
"""Bytes of a file of which only `MOST_LARGE` are read at a time, because of their memory."""
MOST_LARGE = 2
MOST_WAITING = 8
"""Requests that wait for the same file: more would take the places of other requests."""


class BusyError(RefereeError):
    """Many requests wait for this page already."""


class Turns:
    """Whose turn it is to read a file."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, trio.Lock] = WeakValueDictionary()
        self._large = trio.CapacityLimiter(MOST_LARGE)

    @asynccontextmanager
    async def of(self, file: File, *, patient: bool = False) -> AsyncIterator[None]:
        """Wait for the turn of one request.

        Args:
            patient: wait behind any number of other requests.

        Raises:
            BusyError: too many wait for this file.
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
