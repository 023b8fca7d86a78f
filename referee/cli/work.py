"""What commands that work for long share: garbage, trio, signals, progress."""

from __future__ import annotations

import gc
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from referee.cli.console import say
from referee.errors import ShortageError
from referee.interrupts import Interrupted, Interrupts

if TYPE_CHECKING:
    import trio
    from rich.console import RenderableType

T = TypeVar("T")
PROGRESS_EVERY_SECONDS = 0.2
BAR_WIDTH = 20
LINE_SECONDS = 10.0
"""Seconds between two lines of progress where there is no terminal."""
NUMPY_BYTES = 256 * 1024 * 1024
"""Bytes of memory that commands that calculate need, with a reserve."""
GARBAGE_AFTER = 5_000
"""New objects after which the collector looks for garbage: there is little of it."""


def collect_garbage() -> None:
    """Let the collector run, which is off while the command starts (`referee.__main__`).

    Exclude all existing objects from garbage collection. Call this after the imports and before the
    work.
    """
    if not gc.isenabled():
        gc.freeze()
    gc.set_threshold(GARBAGE_AFTER)
    gc.enable()


def run_in_trio(work: Callable[[trio.Nursery], Awaitable[T]], interrupts: Interrupts) -> T:
    """Run `work` in a nursery. All tasks that it starts end with it.

    Raises:
        Interrupted: a signal came; the work was cancelled.
        Exception: the error of `work`, without the groups that nurseries wrap around it.
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
        while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
            (error,) = error.exceptions
        raise error from error.__cause__
    if caught:
        raise Interrupted(caught[0])
    interrupts.check()  # it came when trio had let go of the signals
    return results[0]


@contextmanager
def status() -> Iterator[Callable[[RenderableType], None]]:
    """Yields what shows the newest state of some work on the terminal, until the work ends."""
    from rich.console import Console
    from rich.live import Live

    with Live(
        console=Console(stderr=True),
        # No thread of its own: processes may be forked while it is shown.
        auto_refresh=False,
        transient=True,
        # What is printed to the same terminal goes above it, but a file gets it as it is.
        redirect_stdout=sys.stdout.isatty(),
    ) as live:
        yield partial(live.update, refresh=True)


def bar(done: int, total: int, text: str) -> RenderableType:
    """A bar, and a text beside it."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    row = Table.grid(padding=(0, 1))
    shown = Text(text, no_wrap=True, overflow="ellipsis")
    row.add_row(ProgressBar(total=total or 1, completed=done, width=BAR_WIDTH), shown)
    return row


@contextmanager
def starting(
    total: int,
    interrupts: Interrupts,
    *,
    quiet: bool,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Callable[[int], None]]:
    """Yields what shows how many bots were started; it raises `Interrupted`.

    It shows a bar on a terminal, and a line every `LINE_SECONDS` elsewhere.

    Args:
        clock: gives seconds.
    """
    with ExitStack() as stack:
        show = None
        say_at = clock() + LINE_SECONDS
        if total and sys.stderr.isatty() and not quiet:
            show = stack.enter_context(status())

        def look(started: int) -> None:
            nonlocal say_at
            interrupts.check()
            text = f"{started:,} of {total:,} bots started"
            if show is not None:
                show(bar(started, total, text))
            elif not quiet and clock() >= say_at:
                say_at = clock() + LINE_SECONDS
                say(text)

        yield look


def clock_time(seconds: float) -> str:
    """A time as minutes and seconds, with hours if there are any: "2:05", "1:00:00"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


async def show_progress(
    line: Callable[[], str], *, after: float = 0.0, task_status: trio.TaskStatus[None] | None = None
) -> None:
    """Keep one line on the terminal up to date until cancelled, from `after` seconds on."""
    import trio

    await trio.sleep(after)
    from rich.text import Text

    with status() as show:
        if task_status is not None:
            task_status.started()
        while True:
            show(Text(line(), no_wrap=True, overflow="ellipsis"))
            await trio.sleep(PROGRESS_EVERY_SECONDS)


def load_numpy() -> None:
    """Import numpy with one thread, or raise a `ShortageError`: it would end without memory."""
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
        del os.environ[name]  # it is not the bots' business
