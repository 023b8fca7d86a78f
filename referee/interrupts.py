"""Ctrl-C, SIGTERM and SIGHUP as something that cannot leave a bot behind.

A signal may come at any instruction, also between the start of a process and the line that
remembers it. So the handlers here only note the signal while they are told to hold, and raise
`Interrupted` otherwise.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """The user or the system wants the program to end.

    Attributes:
        number: the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(
            "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
        )
        self.number = number

    @property
    def exit_code(self) -> int:
        """As a shell reports it: 130 after Ctrl-C, 143 after SIGTERM."""
        return 128 + self.number


class Interrupts:
    """Catches the signals while it is entered.

    One that is ignored stays ignored, as under nohup; but nobody means to ignore SIGTERM.
    """

    def __init__(self) -> None:
        self._holding = False
        self._noted: int | None = None
        self._before: dict[int, object] = {}

    def __enter__(self) -> Interrupts:
        for number in SIGNALS:
            if number == signal.SIGTERM or signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *exc_info: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    @property
    def caught(self) -> tuple[int, ...]:
        """The signals that are caught."""
        return tuple(self._before)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Only note signals in this block; raise for one at its end."""
        self._holding = True
        try:
            yield
        finally:
            self._holding = False
        self.check()

    def check(self) -> None:
        """Raise `Interrupted` if a signal was noted."""
        if self._noted is not None:
            raise Interrupted(self._noted)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._noted = number
        if not self._holding:
            raise Interrupted(number)
