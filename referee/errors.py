"""Every error that the referee raises.

A bot's mistake is never an exception. It is a value with a code (a `Fault` of a game, or a
disqualification), because a match continues or ends by the rules when a bot is wrong. An exception
means that the caller requested something impossible, that the machine failed, or that the referee
itself has a bug.

    RefereeError
    |-- UsageError            the caller asked for something impossible; nothing was started
    |   |-- UsageErrors       several problems together
    |   |-- UnknownOptionError  an environment has no option of this name
    |   |-- BotNotFoundError  a BOT argument names nothing that can be run
    |   `-- NotBuiltError     folders of bots must be built first
    |-- LogWriteError         a log could not be written (disk full, reader gone)
    |-- LogReadError          a log cannot be read from some line on
    |-- BotError              a bot that is a Python object raised an exception, which is its cause
    |-- GameError             the code of a game from outside has a mistake
    |-- ShortageError         the system is short of processes, memory or file descriptors
    |-- ProtocolMisuseError   code called a game or a match in the wrong order: a bug in that code
    `-- InternalError         the referee has a bug; its cause is the exception that showed it
"""

from __future__ import annotations

import errno
import os
import shlex
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

SHORTAGES = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM})
"""What a system call fails with when the system, or this process's share of it, is used up."""
_FULL = SHORTAGES | {errno.ENOSPC}
"""Also what is no file of ours: Linux counts the epoll watches of a user."""
_MOST_TEXT = 300
"""Characters of the text of an exception that are shown, at most."""


class RefereeError(Exception):
    """The root of all errors of this package."""


class UsageError(RefereeError):
    """The caller asked for something impossible; nothing was started."""

    @property
    def lines(self) -> Sequence[str]:
        """The problems, one line each."""
        return (str(self),)


class UsageErrors(UsageError):
    """Several problems together."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))
        self._lines = tuple(lines)

    @property
    def lines(self) -> Sequence[str]:
        """The problems, one line each."""
        return self._lines


class UnknownOptionError(UsageError, TypeError):
    """An environment has no option of this name.

    It is a `TypeError` too, since libraries that try keywords expect that of a constructor.
    """


class BotNotFoundError(UsageError):
    """A BOT argument names nothing that can be run."""


class NotBuiltError(UsageError):
    """Folders of bots are to be built first, since they never were, or have changed since.

    Attributes:
        folders: as the caller gave them.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        some = ", ".join(folders[:3]) + (f" and {len(folders) - 3} more" if folders[3:] else "")
        are = "is" if len(folders) == 1 else "are"
        super().__init__(
            f"{some} {are} not built, or changed since: referee build {shlex.join(folders)}"
        )
        self.folders = tuple(folders)


class LogWriteError(RefereeError):
    """A log could not be written to its end.

    Attributes:
        target: the file's name as the caller gave it, or "standard output".
        reader_gone: True when it was a pipe whose reader has closed it, which is how
            `referee play --log - ... | head` ends and no failure.
    """

    def __init__(self, target: str, cause: OSError) -> None:
        super().__init__(f"cannot write {target}: {cause.strerror or cause}")
        self.target = target
        self.reader_gone = isinstance(cause, BrokenPipeError)


def why(error: OSError | ValueError) -> str:
    """Why a file cannot be opened. A `ValueError` comes of a NUL in its name."""
    return f"{error.strerror}" if isinstance(error, OSError) else "there is a NUL in its name"


def cannot_write(name: str, error: OSError | ValueError) -> UsageError:
    """The error of a caller who named a file or a folder that cannot be written."""
    reason, folder = why(error), Path(name).parent
    if isinstance(error, FileNotFoundError) and not folder.is_dir():
        reason = f"the folder does not exist: {folder}"
    return UsageError(f"cannot write {name}: {reason}")


class LogReadError(RefereeError):
    """A log cannot be read from some line on: damaged, or no log at all.

    Attributes:
        name: the file's name as the caller gave it, or "standard input".
        line: the line at which it could not be read on, counted from 1.
        problem: the problem at that place.
    """

    def __init__(self, name: str, line: int, problem: str) -> None:
        super().__init__(f"{name}, line {line}: {problem}")
        self.name = name
        self.line = line
        self.problem = problem


class BotError(RefereeError):
    """A bot that is a Python object raised an exception, which is the `__cause__`.

    Or an opponent in an environment cannot begin a match.

    This is neither a fault nor a disqualification: if you play with objects, you want to see where
    they fail.
    """


class GameError(RefereeError):
    """The code of a game from outside has a mistake, and no match of it can be trusted.

    Neither a bot nor the referee is at fault. The text names the file and the line.
    """


class ProtocolMisuseError(RefereeError):
    """A game or a match was driven out of turn: a bug in the code that drives it."""


class ShortageError(RefereeError):
    """The system is short of something that the referee needs. That is nobody's fault.

    Args:
        what: was to be done, such as "cannot start ./my_bot".
        cause: why it could not; None if `what` says it already.
    """

    def __init__(self, what: str, cause: OSError | MemoryError | None = None) -> None:
        if cause is not None:
            what += f": {cause.strerror if isinstance(cause, OSError) else 'no memory'}"
        super().__init__(what)


class InternalError(RefereeError):
    """The referee has a bug. The exception that showed it is the `__cause__`."""


_games: dict[str, str] = {}
"""File or folder of a game from outside -> its name. The code there is its author's."""


def note_game(place: str, name: str) -> None:
    """Remember whose code the file or the folder `place` has, for `as_ours`."""
    _games[place] = name


def is_from_outside(game: str) -> bool:
    """Whether the code of the game of this name is not the referee's."""
    return game in _games.values()


def game_error(error: BaseException, game: str = "") -> GameError | None:
    """The error of the game from outside whose code raised `error`, or called what raised it.

    Args:
        game: the name of a game, if the error comes from using its objects.

    Returns:
        None if it is not the error of such a game.
    """
    place = (game, "") if is_from_outside(game) else None
    for frame, line in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        for root, name in _games.items():
            if code.co_filename == root or code.co_filename.startswith(root + os.sep):
                place = name, f"{code.co_filename}, line {line}, in {code.co_name}: "
    if place is None:
        return None
    name, where = place
    ours = GameError(f"the game {name} has a mistake: {where}{in_short(error)}")
    ours.__cause__ = error
    return ours


def in_short(error: BaseException) -> str:
    """The type and the text of an exception, in one line that is not long."""
    text = " ".join(str(error).split())[:_MOST_TEXT]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def as_ours(error: Exception) -> RefereeError:
    """An exception that came out of a match or a run of cases as one of this package.

    Nurseries raise groups. The first error of ours in a group counts, because it made the others
    fail; without one, the first of all. An exception in the code of a game from outside is a
    `GameError`.
    """
    errors = list(_leaves(error))
    for leaf in errors:
        if isinstance(leaf, RefereeError):
            return leaf
    first = errors[0]
    if (of_game := game_error(first)) is not None:
        return of_game
    if isinstance(first, MemoryError) or (isinstance(first, OSError) and first.errno in _FULL):
        return ShortageError("the system has not enough left for this", first)
    if isinstance(first, FileNotFoundError) and not _has_folder():
        return UsageError("the folder in which this was started is gone: go to one that is there")
    ours = InternalError(f"{type(first).__name__}: {first}")
    ours.__cause__ = first
    return ours


@contextmanager
def raising_ours() -> Iterator[None]:
    """Raise an exception that comes out of this block as one of this package (`as_ours`)."""
    try:
        yield
    except Exception as error:
        ours = as_ours(error)
        raise ours from ours.__cause__


def _has_folder() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _leaves(error: Exception) -> Iterator[Exception]:
    if isinstance(error, ExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error
