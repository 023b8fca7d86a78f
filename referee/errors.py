"""Defines every error that the referee raises.

A bot's mistake doesn't raise an exception, because the rules define how the match continues. Such
mistakes are values with a code: faults and disqualifications. An exception means that the caller
asked for something impossible, that the machine failed, or that the referee or a game has a bug.

    RefereeError
    |-- UsageError            the caller asked for something impossible; nothing was started
    |   |-- UsageErrors       several problems together
    |   |-- UnknownOptionError  an environment has no option of this name
    |   |-- BotNotFoundError  a BOT argument names nothing that can be run
    |   `-- NotBuiltError     folders of bots must be built first
    |-- LogWriteError         a log could not be written (disk full, reader gone)
    |-- LogReadError          a log is damaged, or is not a log
    |   `-- UnknownGameError  this referee does not have the game of a log, or its version
    |-- BotError              a bot that is a Python object raised an exception, which is its cause
    |-- GameError             the code of a game that is not built in has a mistake
    |-- ShortageError         the system is short of processes, memory or file descriptors
    |-- ProtocolMisuseError   the methods of a game or match were called in the wrong order
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

from referee.interrupts import may_be_signal

SHORTAGES = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM})
"""Error codes of system calls that failed because a resource is exhausted."""
# ENOSPC is included because it doesn't only mean a full disk. It's also the error for the limit of
# epoll watches per user.
_FULL = SHORTAGES | {errno.ENOSPC}
# A message contains at most this many characters of an exception's text.
_MOST_TEXT = 300


class RefereeError(Exception):
    """The base class of all errors of this package, so you can catch any of them."""


class UsageError(RefereeError):
    """The caller asked for something impossible. Nothing was started.

    The command line prints the text and exits with 2. The text should therefore tell the user what
    to do instead.
    """

    @property
    def lines(self) -> Sequence[str]:
        """One line per problem."""
        return (str(self),)


class UsageErrors(UsageError):
    """Several problems that are reported together, for example all wrong keys of a file."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))
        self._lines = tuple(lines)

    @property
    def lines(self) -> Sequence[str]:
        """One line per problem."""
        return self._lines


class UnknownOptionError(UsageError, TypeError):
    """An environment has no option of this name.

    It's also a `TypeError`, because libraries that try out keyword arguments expect this exception
    from a constructor.
    """


class BotNotFoundError(UsageError):
    """A BOT argument doesn't name anything that can be run."""


class NotBuiltError(UsageError):
    """Folders of bots have to be built (again) before they can play.

    Attributes:
        folders: the folders, as the caller gave them.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        some = ", ".join(folders[:3]) + (f" and {len(folders) - 3} more" if folders[3:] else "")
        are = "is" if len(folders) == 1 else "are"
        super().__init__(
            f"{some} {are} not built, or changed since: referee build {shlex.join(folders)}"
        )
        self.folders = tuple(folders)


class LogWriteError(RefereeError):
    """A log could not be written completely.

    Attributes:
        target: the file name as given, or "standard output".
        reader_gone: True if a pipe was closed by its reader. That isn't really a failure, because
            `referee play --log - ... | head` normally ends this way.
    """

    def __init__(self, target: str, cause: OSError) -> None:
        super().__init__(f"cannot write {target}: {cause.strerror or cause}")
        self.target = target
        self.reader_gone = isinstance(cause, BrokenPipeError)


def why(error: OSError | ValueError) -> str:
    """Return the reason why a file can't be opened.

    Python raises `ValueError` if the file's name contains a NUL.
    """
    return f"{error.strerror}" if isinstance(error, OSError) else "there is a NUL in its name"


def cannot_write(name: str, error: OSError | ValueError) -> UsageError:
    """Create the error for a file or folder that can't be written."""
    reason, folder = why(error), Path(name).parent
    if isinstance(error, FileNotFoundError) and not folder.is_dir():
        reason = f"the folder does not exist: {folder}"
    elif isinstance(error, FileExistsError) and not Path(name).is_dir():
        reason = "it exists, and is not a folder"
    return UsageError(f"cannot write {name}: {reason}")


class LogReadError(RefereeError):
    """A log can't be read any further, because it's damaged or isn't a log.

    Attributes:
        name: the file name as given, or "standard input".
        line: the line number of the problem, from 1.
        problem: describes the problem in that line.
    """

    def __init__(self, name: str, line: int, problem: str) -> None:
        super().__init__(f"{name}, line {line}: {problem}")
        self.name = name
        self.line = line
        self.problem = problem


class UnknownGameError(LogReadError):
    """This referee doesn't have the game of a log, or its version. The log may still be valid."""


class BotError(RefereeError):
    """A bot that is a Python object raised an exception. You find it in the `__cause__`.

    It's also raised if an opponent in an environment can't begin a match. We could treat that as a
    fault of the bot, like the crash of a process, but people who play with their own objects want
    to see where these objects fail.
    """


class GameError(RefereeError):
    """A game that isn't built in has a mistake in its code, so its matches don't count.

    This is neither the fault of the bots nor of the referee. The message contains the file and the
    line, if we know them.
    """


class ProtocolMisuseError(RefereeError):
    """Methods of a game or match were called in the wrong order. That's a bug in the caller."""


class ShortageError(RefereeError):
    """The system lacks a resource that the referee needs. Nobody is at fault.

    Args:
        what: the action that failed, such as "cannot start ./my_bot".
        cause: the exception, or None if `what` already contains the reason.
    """

    def __init__(self, what: str, cause: OSError | MemoryError | None = None) -> None:
        if cause is not None:
            what += f": {cause.strerror if isinstance(cause, OSError) else 'no memory'}"
        super().__init__(what)


class InternalError(RefereeError):
    """The referee has a bug. The `__cause__` is the exception that revealed it."""


# Maps the file or folder with a game's code to the game's name, for games that aren't built in.
_games: dict[str, str] = {}


def note_game(place: str, name: str) -> None:
    """Remember where the code of a game is, so that `as_ours` recognises its exceptions."""
    _games[place] = name


def game_of_file(file: str) -> str:
    """Return the name of the added game that a source file belongs to, or "" if there isn't one."""
    for root, name in _games.items():
        if file == root or file.startswith(root + os.sep):
            return name
    return ""


def is_from_outside(game: str) -> bool:
    """Return True if the game of this name isn't built in."""
    return game in _games.values()


def game_error(error: BaseException, game: str = "") -> GameError | None:
    """Return a `GameError` if an exception involves the code of a game that isn't built in.

    A game is involved if its code appears anywhere in the traceback. If no game is involved, or if
    a signal may have interrupted the game, this returns None.

    Args:
        game: name of a game, if the exception comes from a call of its methods. Then this game is
            always involved.
    """
    place = (game, "") if is_from_outside(game) else None
    for frame, line in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        if name := game_of_file(code.co_filename):
            place = name, f"{code.co_filename}, line {line}, in {code.co_name}: "
    if place is None or may_be_signal(error):
        return None
    name, where = place
    ours = GameError(f"the game {name} has a mistake: {where}{in_short(error)}")
    ours.__cause__ = error
    return ours


def in_short(error: BaseException) -> str:
    """Return the type and the text of an exception in one short line."""
    text = " ".join(str(error).split())[:_MOST_TEXT]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def as_ours(error: BaseException) -> RefereeError:
    """Convert an exception of a match or of a test case to an error of this package.

    If tasks of trio have failed, `error` is an exception group. One of our own errors is usually
    the cause, because trio cancels the other tasks when one fails. We return the first one. If
    there aren't any, we convert the first exception in the group. It becomes a `GameError` if it
    comes from a game that isn't built in.
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
    """Context manager that converts exceptions to errors of this package (`as_ours`)."""
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


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error
