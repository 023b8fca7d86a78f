"""Handle Ctrl-C, SIGTERM and SIGHUP without leaving bots behind.

A signal may arrive at any instruction: between the start of a process and the line that stores it
(then nobody would ever stop that process), or during an import, which would leave half a module
behind. Therefore our handlers only note the signal. `Interrupted` is raised where a command allows
it and nowhere else: inside `raising`, and at `check`.
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
        """The exit code that a shell would report, e.g. 130 after Ctrl-C and 143 after SIGTERM."""
        return 128 + self.number


class Interrupts:
    """Context manager that catches the signals and notes them.

    Ignored signals stay ignored, since that's what nohup relies on. SIGTERM is the exception.
    Nobody ignores that on purpose.
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
        """The caught signals."""
        return tuple(self._before)

    @contextmanager
    def raising(self, raising: bool = True) -> Iterator[None]:
        """Raise `Interrupted` in this block when a signal arrives, or for a signal noted before.

        Use it for blocks that may wait for long, but neither start a process nor import anything.
        With False, suspend it inside of such a block, and raise at the end.
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
        """Forget the last noted signal. Returns False if the last one was another."""
        if self._noted != number:
            return False
        self._noted = None
        return True

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._noted = number
        if self._raising:
            self._raising = False  # the clean-up mustn't be interrupted by a second signal
            raise Interrupted(number)


# The active handlers. A process only has one handler per signal, so the last entry counts.
_entered: list[Interrupts] = []


@contextmanager
def ending_waits() -> Iterator[None]:
    """Raise `Interrupted` in this block like `Interrupts.raising`, if signals are caught.

    This is for waits deep inside a command. A program that uses us as a library has its own
    handlers for signals, and we don't interfere with those.
    """
    if _entered and threading.current_thread() is threading.main_thread():
        with _entered[-1].raising():
            yield
    else:
        yield


def signal_name(number: int) -> str:
    """Return the name of a signal, such as "SIGSEGV", or "signal 50" if it doesn't have one."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
