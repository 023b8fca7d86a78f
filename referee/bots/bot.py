"""The interface between a match and its bots."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from msgspec import Struct

from referee.bots.process_report import ProcessReport
from referee.games.interface.faults import Disqualification


class Failure(Struct, frozen=True):
    """The reason for a missing reply.

    Attributes:
        detail: an explanation for the bot's author, one clause.
    """

    code: Disqualification
    detail: str


Answer: TypeAlias = bytes | Failure


def split_lines(lines: bytes) -> list[bytes]:
    """Split complete lines, and remove their line ends.

    Text after the last line end would be an incomplete line, and is dropped.
    """
    return lines.split(b"\n")[:-1]


def as_line(data: bytes) -> bytes:
    """Turn a reply that may contain line ends, e.g. a pretty-printed object, into one line.

    The JSON value stays the same: outside of strings a carriage return is white space just like a
    line feed, and inside of strings both are invalid anyway. The result is never blank.
    """
    return data.strip(b" \t\r\n").replace(b"\n", b"\r") or b"null"


class NoProcess:
    """Base class for bots that aren't processes. It has the methods that concern a process."""

    started: float | None = None
    exit_code: int | None = None
    stdout_fd = -1

    def quick_reply(self, seconds: float) -> Answer | None:
        """Return None: the caller has to wait with `reply`."""

    def process_report(self, count: int) -> None:
        """Return None, because this bot has no process."""


class Bot(Protocol):
    """A bot that plays one match after another.

    A match only borrows its bots: the code that started a bot also stops it, by `finish`. The one
    exception is disqualification. A match kills a disqualified bot. Otherwise, the output of the
    bot could reach the next match. A killed bot fails in all later matches.
    """

    @property
    def started(self) -> float | None:
        """Start time on the clock of `time.monotonic`. None after the first request."""

    @property
    def exit_code(self) -> int | None:
        """Exit code of the bot's process, or -N if signal N killed it.

        None while the process runs, and for a bot without a process.
        """

    @property
    def stdout_fd(self) -> int:
        """A file descriptor that becomes readable when the bot replies, or -1."""

    def push(self, lines: bytes) -> None:
        """Send complete lines, or keep them until the next request. Never blocks."""

    def quick_reply(self, seconds: float) -> Answer | None:
        """Return the reply to the last request if it arrives within `seconds`, otherwise None.

        This blocks the thread and needs no event loop. None doesn't mean that anything went wrong.
        In that case, call `reply`, which waits until the deadline and reports errors.
        """

    async def reply(self, deadline: float) -> Answer:
        """Wait for the reply to the request in the last line.

        This isn't necessarily a checkpoint (a bot in this process answers right away), so if you
        wait for many replies in a loop, yield to other tasks yourself.

        Args:
            deadline: on trio's clock. It covers sending the rest of the request, too.

        Returns:
            A line that is not blank, without its line end, or the reason why the bot failed.
        """

    async def finish(self, grace: float) -> None:
        """Send the remaining lines, give the bot `grace` seconds to exit, then kill it (8.4)."""

    async def kill(self) -> None:
        """Kill the bot immediately (8.3). You can call this more than once."""

    def process_report(self, count: int) -> ProcessReport | None:
        """Describe the exited process, with `count` lines from each end of its stderr."""
