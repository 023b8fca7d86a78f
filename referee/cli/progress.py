"""Shows a command's progress: as a bar on a terminal, and elsewhere as a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from referee.cli.console import say
from referee.interrupts import Interrupts

if TYPE_CHECKING:
    import trio
    from rich.console import RenderableType

PROGRESS_EVERY_SECONDS = 0.2
BAR_WIDTH = 20
# Without a terminal (e.g. in a CI job), we print a line every time this many seconds have passed.
LINE_SECONDS = 10.0


@contextmanager
def status() -> Iterator[Callable[[RenderableType], None]]:
    """Context manager that yields a function for showing the current state on the terminal."""
    from rich.console import Console
    from rich.live import Live

    with Live(
        # We don't use `stderr=True`, because a check of a game replaces sys.stderr while this is
        # shown.
        console=Console(file=sys.stderr),
        # We don't want rich's own thread, because processes may be forked while this is shown.
        auto_refresh=False,
        transient=True,
        # If stdout is the same terminal, rich prints it above. If stdout is a file, rich must not
        # touch it.
        redirect_stdout=sys.stdout.isatty(),
    ) as live:
        yield partial(live.update, refresh=True)


def bar(done: int, total: int, text: str) -> RenderableType:
    """Return a progress bar with text."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    row = Table.grid(padding=(0, 1))
    shown = Text(text, no_wrap=True, overflow="ellipsis")
    row.add_row(ProgressBar(total=total or 1, completed=done, width=BAR_WIDTH), shown)
    return row


@contextmanager
def working(
    total: int,
    what: str,
    *,
    quiet: bool,
    interrupts: Interrupts | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Callable[[int], None]]:
    """Context manager that yields a function for showing how much of some work is done.

    On a terminal, it updates a bar. Otherwise it prints a line every `LINE_SECONDS`.

    Args:
        what: the things to count, e.g. "deals".
        interrupts: if given, the function raises `Interrupted` when a signal has arrived.
        clock: returns seconds.
    """
    with ExitStack() as stack:
        show, every = None, LINE_SECONDS
        if total and sys.stderr.isatty() and not quiet:
            show, every = stack.enter_context(status()), PROGRESS_EVERY_SECONDS
        show_at = clock() + every

        def look(done: int) -> None:
            nonlocal show_at
            if interrupts is not None:
                interrupts.check()
            if quiet or clock() < show_at:
                return
            show_at = clock() + every
            text = f"{done:,} of {total:,} {what}"
            if show is not None:
                show(bar(done, total, text))
            else:
                say(text)

        yield look


def clock_time(seconds: float) -> str:
    """Format a time as minutes and seconds, or with hours: "2:05", "1:00:00"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


async def show_progress(
    line: Callable[[], str], *, after: float = 0.0, task_status: trio.TaskStatus[None] | None = None
) -> None:
    """Update one line on the terminal until cancelled.

    Nothing appears before `after` seconds have passed, so short work doesn't show anything.
    """
    import trio

    await trio.sleep(after)
    from rich.text import Text

    with status() as show:
        if task_status is not None:
            task_status.started()
        while True:
            show(Text(line(), no_wrap=True, overflow="ellipsis"))
            await trio.sleep(PROGRESS_EVERY_SECONDS)
