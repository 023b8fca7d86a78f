"""Call code of games, and attribute exceptions to the author of a game from outside."""

from __future__ import annotations

import functools
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from types import FrameType
from typing import Any, ParamSpec, TypeVar

from referee.errors import (
    InternalError,
    ProtocolMisuseError,
    RefereeError,
    game_error,
    is_from_outside,
)

P = ParamSpec("P")
T = TypeVar("T")
GAME_SECONDS = 20.0
"""Maximum seconds of one call of a game from outside."""


class GameTimeoutError(BaseException):
    """The code of a game did not return in time. `except Exception` does not catch it."""


def blaming(call: Callable[P, T]) -> Callable[P, T]:
    """Decorate a method that calls the code of a game, the `definition` of its object.

    If the game is from outside, any exception is raised as a `GameError`, including `SystemExit`. A
    `GameError` is also raised if the call takes longer than `GAME_SECONDS`.
    """

    @functools.wraps(call)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        owner: Any = args[0]
        game: str = owner.definition.name
        if not is_from_outside(game):
            return call(*args, **kwargs)
        try:
            with in_time():
                return call(*args, **kwargs)
        except (Exception, SystemExit, GameTimeoutError) as error:
            is_ours = isinstance(error, RefereeError)
            if is_ours and not isinstance(error, ProtocolMisuseError | InternalError):
                raise
            raise game_error(error, game) or error from error

    return called


@contextmanager
def in_time(seconds: float | None = None) -> Iterator[None]:
    """Raise `GameTimeoutError` if the code inside this block takes too long.

    This works only in the main thread, and not in a debugger. Text that the code prints goes to
    stderr, because stdout may be a log that another program reads.

    Args:
        seconds: maximum duration. None: `GAME_SECONDS`.
    """
    if threading.current_thread() is not threading.main_thread() or _has_timer():
        yield
        return
    most = GAME_SECONDS if seconds is None else seconds

    def late(number: int, frame: FrameType | None) -> None:
        if sys.gettrace() is None:
            raise GameTimeoutError(f"this takes longer than {most:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, most)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _has_timer() -> bool:
    """True if an outer block, or other code, already uses the timer."""
    return signal.getitimer(signal.ITIMER_REAL)[0] > 0
