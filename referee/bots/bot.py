"""The interface between a match and its bots."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from msgspec import Struct

from referee.bots.process_report import ProcessReport
from referee.games.interface.faults import Disqualification


class Failure(Struct, frozen=True):
    """The reason for a missing reply: a code, and one clause for the author."""

    code: Disqualification
    detail: str


Answer: TypeAlias = bytes | Failure


def split_lines(lines: bytes) -> list[bytes]:
    """Split complete lines, and remove their line ends."""
    return lines.split(b"\n")[:-1]


def as_line(data: bytes) -> bytes:
    """Convert a reply that may contain line ends, such as an object, to a line that is not blank.

    The JSON value stays the same: outside strings a carriage return is white space too, and inside
    strings both are invalid.
    """
    return data.strip(b" \t\r\n").replace(b"\n", b"\r") or b"null"


class NoProcess:
    """Common implementation for bots that are not processes."""

    started: float | None = None
    exit_code: int | None = None
    stdout_fd = -1

    def quick_reply(self, seconds: float) -> Answer | None:
        """Return None: the caller has to wait with `reply`."""

    def process_report(self, count: int) -> None:
        """Return None: there is no process."""


class Bot(Protocol):
    """A bot that plays one match after the other.

    A match borrows its bots. The code that started a bot also stops it (`finish`). There is one
    exception: a match kills a bot that it disqualifies, since the bot could continue to write. It
    then fails in every later match.
    """

    @property
    def started(self) -> float | None:
        """Start time on `time.monotonic`. None from its first request on."""

    @property
    def exit_code(self) -> int | None:
        """Exit code of its process, -N after signal N. None while it runs, or without a process."""

    @property
    def stdout_fd(self) -> int:
        """A file descriptor that becomes readable when it replies. -1 without one."""

    def push(self, lines: bytes) -> None:
        """Send complete lines, or keep them until the next request. Never waits."""

    def quick_reply(self, seconds: float) -> Answer | None:
        """Return the reply to the last request if it arrives within `seconds`, otherwise None.

        Blocks without an event loop. If it returns None, call `reply`, which waits until the
        deadline and reports errors.
        """

    async def reply(self, deadline: float) -> Answer:
        """Wait for the reply to the request in the last line.

        It may not yield to other tasks. A caller that waits for many replies does that itself.

        Args:
            deadline: on trio's clock. Also applies to sending the rest of the request.

        Returns:
            A line that is not blank, without its line end, or the reason why there is none.
        """

    async def finish(self, grace: float) -> None:
        """Send the remaining lines, wait up to `grace` seconds for the exit, then kill it (8.4)."""

    async def kill(self) -> None:
        """Kill it immediately (8.3). Can be called again."""

    def process_report(self, count: int) -> ProcessReport | None:
        """Return the report on its exited process, with `count` lines of stderr from each end."""
