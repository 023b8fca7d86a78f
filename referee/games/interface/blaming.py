"""Call the code of games, and tell their authors about exceptions in it.

A traceback usually passes through twenty of our own functions, and the author of a game can't tell
whose mistake it is. We therefore make all calls through this module. It turns an exception into an
error that shows the author's file and line.
"""

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
# A bot's clock doesn't run while the game computes. Without this limit, a game that hangs would
# block its match and the whole tournament forever.
GAME_SECONDS = 20.0
"""Time limit for a single call to a game that isn't built in."""


class GameTimeoutError(BaseException):
    """The code of a game didn't return in time.

    It's a `BaseException`, so that an `except Exception` in the game doesn't catch it.
    """


def blaming(call: Callable[P, T]) -> Callable[P, T]:
    """Decorate a method that calls the code of the game `self.definition`.

    If the game isn't built in, its exceptions are raised as `GameError`. This includes
    `SystemExit`, because an `exit()` in somebody's game mustn't end a tournament, and every other
    `BaseException` unless a signal raised it. A call that takes longer than `GAME_SECONDS` raises
    a `GameError`, too. Our own games are called directly, because a bug in them is ours.
    """

    @functools.wraps(call)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        owner: Any = args[0]
        game: str = owner.definition.name
        if not is_from_outside(game):
            return call(*args, **kwargs)
        with as_game_errors(game), in_time():
            return call(*args, **kwargs)

    return called


@contextmanager
def as_game_errors(game: str = "") -> Iterator[None]:
    """Convert exceptions of a game that isn't built in to `GameError`.

    Args:
        game: its name. By default, only if its code is in the traceback.
    """
    try:
        yield
    except BaseException as error:
        is_ours = isinstance(error, RefereeError)
        # Most of our own errors aren't the game's fault, e.g. a wrong option given by the user, and
        # they already have a good message. The exceptions are ProtocolMisuseError and
        # InternalError: the game misused the referee or didn't follow the interface.
        if is_ours and not isinstance(error, ProtocolMisuseError | InternalError):
            raise
        ours = game_error(error, game)
        if ours is None:
            raise
        raise ours from error


@contextmanager
def in_time(seconds: float | None = None) -> Iterator[None]:
    """Raise `GameTimeoutError` if the code inside this block takes too long.

    This works only in the main thread, since that's where Python runs signal handlers. There's no
    limit in a debugger, where you may well spend longer on a single line. Anything that the code
    prints goes to stderr, because stdout may be a log that another program reads.

    Args:
        seconds: the limit, by default `GAME_SECONDS`.
    """
    # A process has only one such timer. If we're inside another in_time() block, we leave the timer
    # alone, and the limit of the outer block applies.
    has_timer = signal.getitimer(signal.ITIMER_REAL)[0] > 0
    if threading.current_thread() is not threading.main_thread() or has_timer:
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
