"""Contains helpers for commands that run for a while: garbage collection, trio, signals, numpy."""

from __future__ import annotations

import gc
import os
import resource
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from referee.errors import ShortageError
from referee.interrupts import Interrupted, Interrupts

if TYPE_CHECKING:
    import trio

T = TypeVar("T")
# A command with numpy needs at least this much memory, in bytes. This includes a reserve.
NUMPY_BYTES = 256 * 1024 * 1024
# We run the garbage collector after this many new objects. That's less often than usual, because
# matches create few reference cycles.
GARBAGE_AFTER = 5_000


def collect_garbage() -> None:
    """Turn on garbage collection, which is off during the start (`referee.__main__`).

    Call this after the imports and before the actual work. To save time, objects that already exist
    are never examined or collected.
    """
    if not gc.isenabled():
        gc.freeze()
    gc.set_threshold(GARBAGE_AFTER)
    gc.enable()


def run_in_trio(work: Callable[[trio.Nursery], Awaitable[T]], interrupts: Interrupts) -> T:
    """Run `work` in a nursery, and cancel the remaining tasks at its end.

    Raises:
        Interrupted: a signal arrived, and the work was cancelled.
        Exception: the error of `work`, without the exception groups of nurseries.
    """
    import trio

    results: list[T] = []
    caught: list[int] = []

    async def run() -> None:
        with trio.open_signal_receiver(*interrupts.caught) as signals:
            interrupts.check()
            async with trio.open_nursery() as nursery:

                async def listen() -> None:
                    async for number in signals:
                        caught.append(number)
                        nursery.cancel_scope.cancel()

                nursery.start_soon(listen)
                results.append(await work(nursery))
                nursery.cancel_scope.cancel()

    try:
        trio.run(run)
    except ExceptionGroup as group:
        error: Exception = group
        # trio wraps errors in a group for each nursery, and users shouldn't see these groups.
        while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
            (error,) = error.exceptions
        raise error from error.__cause__
    if caught:
        raise Interrupted(caught[0])
    interrupts.check()  # a signal may have come after trio has stopped
    return results[0]


def load_numpy() -> None:
    """Import numpy, and make it use a single thread.

    Raises:
        ShortageError: there is not enough memory. We have to check this before the import, because
            numpy would just exit the process.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < NUMPY_BYTES:
        raise ShortageError(
            f"this needs {NUMPY_BYTES >> 10} kB of memory, and may have {limit >> 10} (ulimit -v)"
        )
    name = "OPENBLAS_NUM_THREADS"
    before = os.environ.get(name)
    os.environ[name] = before or "1"
    import numpy  # noqa: F401

    if before is None:
        del os.environ[name]  # bots must not inherit it
