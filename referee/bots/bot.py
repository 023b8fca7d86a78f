"""Defines the interface between a match and its bots."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from msgspec import Struct

from referee.bots.process_report import ProcessReport
from referee.games.interface.faults import Disqualification


class Failure(Struct, frozen=True):
    """The reason why a bot didn't reply. We return it in place of the reply.

    Attributes:
        detail: explains the failure to the bot's author, in one clause.
    """

    code: Disqualification
    detail: str


Answer: TypeAlias = bytes | Failure


def split_lines(lines: bytes) -> list[bytes]:
    """Split data into lines, without the newlines.

    Anything after the last newline is dropped, because that line isn't complete.
    """
    return lines.split(b"\n")[:-1]


def as_line(data: bytes) -> bytes:
    """Turn a reply that may have several lines, e.g. a pretty-printed object, into one line.

    The JSON value stays the same: outside of strings a carriage return is white space just like a
    line feed, and inside of strings both are invalid anyway. A blank reply becomes `null`, because
    a blank line isn't a reply.
    """
    return data.strip(b" \t\r\n").replace(b"\n", b"\r") or b"null"


class NoProcess:
    """Base class for bots that aren't processes, with defaults for everything about processes."""

    started: float | None = None
    exit_code: int | None = None
    stdout_fd = -1

    def quick_reply(self, seconds: float) -> Answer | None:
        """Return None, so that the caller waits with `reply` instead."""

    def process_report(self, count: int) -> None:
        """Return None, because this bot has no process."""


class Bot(Protocol):
    """A player in a match: a process, a web server, a Python object or a person.

    A match only borrows its bots. The code that started a bot also has to stop it, with `finish`.
    The one exception is a disqualified bot, which the match kills immediately, because its late
    output could end up in the next match. Once it's killed, a bot fails in every later match.
    """

    @property
    def started(self) -> float | None:
        """When the bot was started, on `time.monotonic`. The start-up limit counts from there.

        This is None after the first request, and for bots without a process, because then the
        limits count from the request.
        """

    @property
    def exit_code(self) -> int | None:
        """Exit code of the bot's process, or -N if signal N killed it.

        This is None while the process runs, and for a bot without a process.
        """

    @property
    def stdout_fd(self) -> int:
        """A file descriptor that becomes readable when the bot replies, or -1."""

    def push(self, lines: bytes) -> None:
        """Send complete lines without blocking. The bot may only get them with the next request."""

    def quick_reply(self, seconds: float) -> Answer | None:
        """Return the reply to the last request if it arrives within `seconds`, otherwise None.

        This blocks the thread and doesn't need an event loop. None doesn't mean that anything is
        wrong with the bot: call `reply`, which waits until the deadline and reports errors.
        """

    async def reply(self, deadline: float) -> Answer:
        """Wait for the bot's reply to the request, which is the last line that we pushed.

        This isn't necessarily a checkpoint, since a bot in this process replies right away. If you
        wait for many replies in a loop, yield to other tasks yourself.

        Args:
            deadline: a time on trio's clock. If the bot hasn't read the whole request yet, reading
                takes part of this time, too.

        Returns:
            The reply, which isn't blank and has no line ending, or the reason why there isn't one.
        """

    async def finish(self, grace: float) -> None:
        """Send the remaining lines, give the bot `grace` seconds to exit, then kill it (8.4)."""

    async def kill(self) -> None:
        """Kill the bot immediately (8.3). You can call this more than once."""

    def process_report(self, count: int) -> ProcessReport | None:
        """Report on a process that has exited, with `count` lines from each end of its stderr."""
