"""Handle Ctrl-C, SIGTERM and SIGHUP without leaving bots behind.

A signal may arrive at any instruction. If an exception were raised just after we have started a
process, nobody would know about the process and stop it. In the middle of an import, it would leave
a module half initialised. Therefore our handlers only note the signal, and `Interrupted` is raised
where a command allows it: in a `raising` block, or by `check`.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """The program received the signal `number` and should end."""

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
    """Context manager that catches SIGINT, SIGTERM and SIGHUP, and only takes note of them.

    A signal that was ignored before stays ignored, because nohup relies on that. We only make an
    exception for SIGTERM, which nobody ignores on purpose.
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
        """The signals that we catch: SIGTERM, and the other two unless they were ignored before."""
        return tuple(self._before)

    @contextmanager
    def raising(self, raising: bool = True) -> Iterator[None]:
        """Allow signals to raise `Interrupted` in this block.

        This also raises it for a signal that was noted before. Use it around code that may wait for
        a long time, but doesn't start a process or import anything. If a part of such a block
        mustn't be interrupted, wrap that part in `raising(False)`. The exception is then raised
        when the part ends.
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
        """Raise `Interrupted` if a signal has arrived."""
        if self._noted is not None:
            raise Interrupted(self._noted)

    def forget(self, number: int) -> bool:
        """Forget the last noted signal if it's this one. Returns False if it isn't."""
        if self._noted != number:
            return False
        self._noted = None
        return True

    def _handle(self, number: int, frame: FrameType | None) -> None:
        # A tournament forgets the first Ctrl-C, which must not hide a SIGTERM that came before it.
        if self._noted is None or number != signal.SIGINT:
            self._noted = number
        if self._raising:
            self._raising = False  # a second signal mustn't interrupt the clean-up
            raise Interrupted(number)


# The active handlers. A process has only one handler per signal, so only the last entry is in
# effect.
_entered: list[Interrupts] = []


@contextmanager
def ending_waits() -> Iterator[None]:
    """Allow signals to interrupt a wait, like `Interrupts.raising`.

    Use it deep inside a command, where you don't have the `Interrupts` object. It does nothing in
    other threads. It also does nothing if a program uses this package as a library, since the
    program has its own signal handlers.
    """
    if _entered and threading.current_thread() is threading.main_thread():
        with _entered[-1].raising():
            yield
    else:
        yield


def may_be_signal(error: BaseException) -> bool:
    """Return True if a signal may have raised an exception, and not the code that it came from.

    While we handle the signals, they only raise `Interrupted`, so a KeyboardInterrupt comes from
    somebody's code. Otherwise Python's handler raises it, anywhere in the main thread.
    """
    if not isinstance(error, KeyboardInterrupt) or _entered:
        return isinstance(error, Interrupted)
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and callable(signal.getsignal(signal.SIGINT))


def signal_name(number: int) -> str:
    """Return the name of a signal, such as "SIGSEGV", or "signal 50" if it doesn't have one."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
