"""Calls of a game's own code: a mistake in one is reported, and does not end the check."""

from __future__ import annotations

import io
import random
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from types import FrameType
from typing import Any, TypeVar

from referee.gamecheck.findings import Findings, in_frames, in_traceback

T = TypeVar("T")
_DRAWS = ("random", "choice", "choices", "shuffle", "sample", "randint", "randrange", "uniform")


class GameStoppedError(Exception):
    """A call of the game has failed. It is reported; this match cannot continue."""


class _TooLongError(BaseException):
    """A call takes too long. No `except Exception` of an author catches it."""


class Guard:
    """Makes the calls of a game's own code.

    Args:
        seconds: that a call may take.
    """

    def __init__(self, findings: Findings, seconds: float) -> None:
        self._findings, self._seconds = findings, seconds

    def __call__(self, what: str, call: Callable[[], T]) -> T:
        """Make a call.

        Args:
            what: the name of the call, such as "advance".

        Raises:
            GameStoppedError: the call raised an exception, or took too long.
        """
        signal.setitimer(signal.ITIMER_REAL, self._seconds)
        try:
            return call()
        except _TooLongError as error:
            text = (
                f"{what} takes more than {self._seconds:g} seconds: end its loops, and wait for "
                "nothing"
            )
            self._findings.add("hangs", text, in_traceback(error.__traceback__))
        except RecursionError as error:
            text = f"{what} calls itself without an end: return before the recursion is too deep"
            self._findings.add("recursion", text, in_traceback(error.__traceback__))
        except SystemExit as error:
            text = f"{what} ends the program: a game ends with an outcome, not with an exit"
            self._findings.add("exits", text, in_traceback(error.__traceback__))
        except Exception as error:
            said = " ".join(str(error).split())
            name = type(error).__name__
            text = f"{what} raised {name}{': ' * bool(said)}{said}: correct this line"
            self._findings.add("raises", text, in_traceback(error.__traceback__))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        raise GameStoppedError


@contextmanager
def watching(findings: Findings) -> Iterator[None]:
    """Report what the game prints and draws with the module `random`, and let calls end in time."""
    old = signal.signal(signal.SIGALRM, _too_long)
    draws = {name: getattr(random, name) for name in _DRAWS}
    for name, draw in draws.items():
        setattr(random, name, _watched(findings, name, draw))
    try:
        with redirect_stdout(_Output(findings)), redirect_stderr(_Output(findings)):
            yield
    finally:
        for name, draw in draws.items():
            setattr(random, name, draw)
        signal.signal(signal.SIGALRM, old)


def _too_long(number: int, frame: FrameType | None) -> None:
    raise _TooLongError


def _watched(findings: Findings, name: str, draw: Callable[..., Any]) -> Callable[..., Any]:
    def watched(*args: Any, **kwargs: Any) -> Any:
        where = in_frames(sys._getframe(1))
        if where:
            text = (
                f"random.{name} is not the chance of the match, so a match cannot be played again: "
                "draw from the game's chance"
            )
            findings.add("random", text, where)
        return draw(*args, **kwargs)

    return watched


class _Output(io.TextIOBase):
    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def write(self, text: str) -> int:
        where = in_frames(sys._getframe(1))
        said = "it prints, and the output of the referee is for results: remove the print"
        self._findings.add("prints", said, where)
        return len(text)
