"""Let requests that read a whole file take turns, so that a slow page doesn't block the others.

If several requests need the same file, the first one computes the result, and the others find it in
the cache afterwards. Requests for different files run in parallel, but only a few large files are
read at a time. Waiting requests don't occupy any threads.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

import trio

from referee.errors import RefereeError
from referee.web.server.library import File

# A file with more bytes than this is large. We read only `MOST_LARGE` of them at a time, since each
# takes a lot of memory.
LARGE = 2**20
MOST_LARGE = 2
# If more requests than this wait for the same file, we'd rather send the others away than let them
# take up all the slots of the server.
MOST_WAITING = 8


class BusyError(RefereeError):
    """Too many requests are waiting for this page."""


class Turns:
    """Makes requests wait while others read the same file, or too many large files."""

    def __init__(self) -> None:
        # A lock is deleted as soon as nobody holds it or waits for it, so this dictionary doesn't
        # grow for ever.
        self._locks: WeakValueDictionary[str, trio.Lock] = WeakValueDictionary()
        self._large = trio.CapacityLimiter(MOST_LARGE)

    @asynccontextmanager
    async def of(self, file: File, *, patient: bool = False) -> AsyncIterator[None]:
        """Wait until it's this request's turn to read the file, which ends with the context.

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
