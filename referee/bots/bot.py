"""The interface between a match and its bots."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from msgspec import Struct

from referee.bots.process_report import ProcessReport
from referee.games.interface.faults import Disqualification


class Failure(Struct, frozen=True):
    """Why a bot gave no reply: a code, and one clause for its author."""

    code: Disqualification
    detail: str


Answer: TypeAlias = bytes | Failure


def split_lines(lines: bytes) -> list[bytes]:
    """Whole lines one by one, without their line ends."""
    return lines.split(b"\n")[:-1]


def as_line(data: bytes) -> bytes:
    """An answer that is not a line, such as an object, as a line that is not blank.

    As JSON it is worth what it was: outside strings a carriage return is white space as well, and
    inside one neither may stand.
    """
    return data.strip(b" \t\r\n").replace(b"\n", b"\r") or b"null"


class NoProcess:
    """The part of a `Bot` without a process that is the same for all of them."""

    started: float | None = None
    exit_code: int | None = None
    stdout_fd = -1

    def quick_reply(self, seconds: float) -> Answer | None:
        """None: it has to be waited for."""

    def process_report(self, count: int) -> None:
        """None: it has no stderr that could be read."""


class Bot(Protocol):
    """A bot, for one match after the other.

    A match borrows its bots; the code that started a bot also ends it (`finish`). There is one
    exception: a match kills a bot that it disqualifies, since the bot could still write anything.
    It then fails in every later match.
    """

    @property
    def started(self) -> float | None:
        """Start time on `time.monotonic`, while it starts up; None from its first request on."""

    @property
    def exit_code(self) -> int | None:
        """Exit code of its process: -N after signal N; None while it runs or without a process."""

    @property
    def stdout_fd(self) -> int:
        """A file descriptor that is readable once it has answered; -1 without one."""

    def push(self, lines: bytes) -> None:
        """Hand over whole lines, or keep them until the next request; never waits."""

    def quick_reply(self, seconds: float) -> Answer | None:
        """The usual reply to the last request, if it comes within so many seconds.

        Blocks for this time, without an event loop. If it returns None, call `reply`, which waits
        until the deadline and reports errors.
        """

    async def reply(self, deadline: float) -> Answer:
        """Wait for its answer to the request that is the last of the lines it was handed.

        It does not have to let other tasks run: the code that waits for many replies does that.

        Args:
            deadline: on trio's clock; it bounds handing over the rest of the request as well.

        Returns:
            A line that is not blank, without its line end, or why there is none.
        """

    async def finish(self, grace: float) -> None:
        """Hand over its last lines, give it `grace` seconds to end, then kill it (8.4)."""

    async def kill(self) -> None:
        """End it immediately (8.3). Safe more than once."""

    def process_report(self, count: int) -> ProcessReport | None:
        """The report on its process, once it has ended, with `count` lines of stderr per end."""
