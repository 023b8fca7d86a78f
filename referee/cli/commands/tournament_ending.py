"""Ends a tournament early, and tells people how to continue it later."""

from __future__ import annotations

import os
import shlex
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from referee.cli.console import say
from referee.errors import UsageError
from referee.interrupts import Interrupts

if TYPE_CHECKING:
    from referee.tournament.store import Store

# After Ctrl-C, running matches get this many seconds to end.
GRACE_SECONDS = 10.0


class GraceTimeout(TimeoutError):
    """Running matches did not end within `GRACE_SECONDS` after Ctrl-C."""


class Ending:
    """Lets running matches end after the first Ctrl-C.

    A second Ctrl-C, or any other signal, raises `Interrupted` immediately.

    Args:
        stop: called after the first Ctrl-C, so that no further matches begin.
        clock: returns seconds.
    """

    def __init__(
        self,
        interrupts: Interrupts,
        stop: Callable[[], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._interrupts = interrupts
        self._stop = stop
        self._clock = clock
        self._until: float | None = None

    @property
    def is_interrupted(self) -> bool:
        """True if Ctrl-C was pressed."""
        return self._until is not None

    def check_signals(self) -> None:
        """Handle signals that have arrived. Call this often while matches are running.

        Raises:
            Interrupted: cancel the running matches.
            GraceTimeout: the matches did not end within `GRACE_SECONDS`.
        """
        if self._until is None and self._interrupts.forget(signal.SIGINT):
            self._until = self._clock() + GRACE_SECONDS
            self._stop()
            seconds = f"{GRACE_SECONDS:g} s"
            say(f"interrupted: running matches have {seconds} to end; Ctrl-C again drops them")
        self._interrupts.check()
        if self._until is not None and self._clock() > self._until:
            raise GraceTimeout


def save_unfinished(store: Store, file: str | None, words: Sequence[str]) -> None:
    """Tell people how to continue a run. A store in memory is saved to a file first.

    Args:
        file: the value of `--store`, or None if the option isn't given.
        words: the command line.
    """
    if file is None:
        if store.is_empty:
            return
        file = _save_copy(store)
        words = [*words, "--store", file]
        say(f"the finished matches are in {file}")
    say(f"continue with: referee {shlex.join(words)}")


def _save_copy(store: Store) -> str:
    name = f"referee-{store.stages[-1].seed}"
    problem: UsageError | None = None
    # People look in the current folder first, but we may not be allowed to write there.
    for folder in ("", tempfile.gettempdir()):
        for number in range(1, 100):
            file = os.path.join(folder, f"{name}{f'-{number}' * (number > 1)}.sqlite")
            try:
                store.save_copy(file)
            except FileExistsError:
                continue
            except UsageError as error:
                problem = error
                break
            return file
    raise problem or UsageError(f"cannot save the matches: {name}.sqlite and similar files exist")
