"""Ctrl-C, SIGTERM and SIGHUP as something that cannot leave a bot behind.

A signal may come at any instruction: between the start of a process and the line that remembers it,
or in the middle of an import, which leaves half a module behind. Therefore the handlers only note a
signal. `Interrupted` is raised where a command allows it: inside `raising`, and at `check`.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """The user or the system wants the program to end, by the signal `number`."""

    def __init__(self, number: int) -> None:
        super().__init__(
            "interrupted" if number == signal.SIGINT else f"ended by {signal_name(number)}"
        )
        self.number = number

    @property
    def exit_code(self) -> int:
        """As a shell reports it: 130 after Ctrl-C, 143 after SIGTERM."""
        return 128 + self.number


class Interrupts:
    """Catches the signals while it is entered, and notes them.

    One that is ignored stays ignored, as under nohup; but nobody means to ignore SIGTERM.
    """

    def __init__(self) -> None:
        self._raising = False
        self._noted: int | None = None
        self._before: dict[int, object] = {}

    def __enter__(self) -> Interrupts:
        _entered.append(self)
        for number in SIGNALS:
            if number == signal.SIGTERM or signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *exc_info: object) -> None:
        _entered.remove(self)
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    @property
    def caught(self) -> tuple[int, ...]:
        """The signals that are caught."""
        return tuple(self._before)

    @contextmanager
    def raising(self, raising: bool = True) -> Iterator[None]:
        """Raise `Interrupted` in this block as soon as a signal comes, or for one noted before.

        For a block that may wait for long, starts no process and imports nothing. If false, only
        note signals in this part of such a block, and raise for one at its end.
        """
        before = self._raising
        self._raising = raising
        try:
            if raising:
                self.check()
            yield
        finally:
            self._raising = before
        if before:
            self.check()

    def check(self) -> None:
        """Raise `Interrupted` if a signal was noted."""
        if self._noted is not None:
            raise Interrupted(self._noted)

    def forget(self, number: int) -> bool:
        """Forget a signal if it was noted last. Returns: whether it was noted last."""
        if self._noted != number:
            return False
        self._noted = None
        return True

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._noted = number
        if self._raising:
            self._raising = False  # a second signal must not tear what cleans up after the first
            raise Interrupted(number)


_entered: list[Interrupts] = []
"""The handlers of this process, as the system has one handler per signal; the last one counts."""


@contextmanager
def ending_waits() -> Iterator[None]:
    """Raise `Interrupted` in this block as `Interrupts.raising` does, if signals are caught.

    For a wait deep below a command. Otherwise, as in a program that uses the library, the wait ends
    as the program's own handlers decide.
    """
    if _entered and threading.current_thread() is threading.main_thread():
        with _entered[-1].raising():
            yield
    else:
        yield


def signal_name(number: int) -> str:
    """A signal's name, such as "SIGSEGV"; "signal 50" for one that has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
