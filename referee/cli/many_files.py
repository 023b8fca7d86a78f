"""Work on many files, in several processes if that is faster; and a bar that says how far it is."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from referee.cli.work import collect_garbage, cores
from referee.interrupts import Interrupts

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
STDIN = "-"  # as in referee.logs.source
FEW = 8
"""Fewer files are worked on in this process: starting others takes longer."""
MAX_CHUNK = 16
AHEAD = 3
"""Chunks that are given out for each process, so that none waits for work."""
POLL_SECONDS = 0.1


class WorkerDiedError(Exception):
    """A process that was at work has ended."""


def over_files(
    work: Callable[[str], T], names: Sequence[str], jobs: int | None, interrupts: Interrupts
) -> Generator[T, None, None]:
    """What the work makes of each file, in their order.

    Args:
        work: a function of a module, which other processes find.
        jobs: processes; by default as many as there are cores. Few files, or standard input, are
            worked on in this one.

    Raises:
        WorkerDiedError: a process has ended by itself.
    """
    collect_garbage()
    processes = min(jobs or cores(), len(names))
    # Another process has another standard input.
    if processes > 1 and len(names) >= FEW and STDIN not in names:
        yield from _in_processes(work, names, processes, interrupts)
    else:
        yield from map(work, names)


def _work_on(work: Callable[[str], T], names: Sequence[str]) -> list[T]:
    return [work(name) for name in names]


def _in_processes(
    work: Callable[[str], T], names: Sequence[str], jobs: int, interrupts: Interrupts
) -> Generator[T, None, None]:
    from concurrent.futures import wait
    from concurrent.futures.process import BrokenProcessPool

    from referee.workers import worker_processes

    size = max(1, min(MAX_CHUNK, len(names) // (jobs * 4)))
    chunks = (names[start : start + size] for start in range(0, len(names), size))
    waiting: deque[Future[list[T]]] = deque()
    # Signals are only noted while the pool is at work: its locks must not be left by an exception.
    with interrupts.held():
        try:
            with worker_processes(jobs, fork=True) as pool:
                while True:
                    while len(waiting) < jobs * AHEAD:
                        chunk = next(chunks, None)
                        if chunk is None:
                            break
                        waiting.append(pool.submit(_work_on, work, chunk))
                    if not waiting:
                        break
                    while not wait((waiting[0],), timeout=POLL_SECONDS).done:
                        interrupts.check()
                    interrupts.check()
                    yield from waiting.popleft().result()
        except BrokenProcessPool as error:
            raise WorkerDiedError from error


@contextmanager
def progress(what: str, count: int, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """A bar on the terminal while many files are worked on; yields what moves it on."""
    if count < FEW or quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    import time

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    bar = Progress(
        what,
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        # No thread of its own: processes are forked while it is shown.
        auto_refresh=False,
        transient=True,
        # What is printed to the same terminal goes above the bar, but a file gets it as it is.
        redirect_stdout=sys.stdout.isatty(),
        redirect_stderr=False,
    )
    with bar:
        task = bar.add_task(what, total=count)
        shown = time.monotonic()

        def advance() -> None:
            nonlocal shown
            bar.advance(task)
            if time.monotonic() - shown > POLL_SECONDS:
                shown = time.monotonic()
                bar.refresh()

        yield advance
