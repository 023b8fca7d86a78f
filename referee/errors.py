"""Every error that the referee raises.

A bot's mistake is never one of these: it is a value with a code (`referee.game.Fault`, or a
disqualification), because a match goes on or ends by the rules when a bot is wrong. An exception
means that the caller asked for something impossible, that the machine failed, or that the referee
itself has a bug.

    RefereeError
    |-- UsageError            the caller asked for something impossible; nothing was started
    |   `-- BotNotFoundError  a BOT argument names nothing that can be run
    |-- LogWriteError         a log could not be written (disk full, reader gone)
    |-- LogReadError          a log cannot be read from some line on
    `-- ProtocolMisuseError   code drove a game or a match out of turn: a bug in that code
"""

from __future__ import annotations


class RefereeError(Exception):
    """The root of all errors of this package."""


class UsageError(RefereeError):
    """The caller asked for something impossible; nothing was started."""


class BotNotFoundError(UsageError):
    """A BOT argument names nothing that can be run."""


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


class LogReadError(RefereeError):
    """A log cannot be read from some line on: damaged, or no log at all.

    Attributes:
        name: the file's name as the caller gave it, or "standard input".
        line: the line at which it could not be read on, counted from 1.
        problem: what is wrong there.
    """

    def __init__(self, name: str, line: int, problem: str) -> None:
        super().__init__(f"{name}, line {line}: {problem}")
        self.name = name
        self.line = line
        self.problem = problem


class ProtocolMisuseError(RefereeError):
    """A game or a match was driven out of turn: a bug in the code that drives it."""
