"""What a bot is to a match, whatever it is made of."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from msgspec import Struct

from referee.bots.process_report import ProcessReport
from referee.games.interface.faults import Disqualification


class Failure(Struct, frozen=True):
    """Why a bot gave no reply.

    Attributes:
        code: what it is disqualified for.
        detail: one clause for its author.
    """

    code: Disqualification
    detail: str


Answer: TypeAlias = bytes | Failure


def split_lines(lines: bytes) -> list[bytes]:
    """Whole lines one by one, without their line ends."""
    return lines.split(b"\n")[:-1]


def as_line(data: bytes) -> bytes:
    """What a bot answered in another form than a line, as a line that is not blank.

    As JSON it is worth what it was: outside strings a carriage return is white space as well, and
    inside one neither may stand.
    """
    return data.strip(b" \t\r\n").replace(b"\n", b"\r") or b"null"


class NoProcess:
    """The part of a `Bot` without a process that is the same for all of them."""

    started: float | None = None
    exit_code: int | None = None

    def process_report(self, count: int) -> None:
        """None: it has no stderr that could be read."""


class Bot(Protocol):
    """A bot, for one match after the other.

    Who plays a match with it borrows it: who started it ends it (`finish`). One thing alone ends a
    borrowed bot: it is killed when it is disqualified, since nobody knows what it would still say.
    It then fails in every later match.
    """

    @property
    def started(self) -> float | None:
        """Since when it has been starting up, on trio's clock; None once it was asked."""

    @property
    def exit_code(self) -> int | None:
        """Of its process, once that has ended: -N after signal N; None if it has none."""

    def push(self, lines: bytes) -> None:
        """Hand over whole lines, or put them by until it is asked; never waits."""

    async def reply(self, deadline: float) -> Answer:
        """Wait for its answer to the request that is the last of the lines it was handed.

        Args:
            deadline: on trio's clock; it bounds handing over the rest of the request as well.

        Returns:
            A line that is not blank, without its line end, or why there is none.
        """

    async def finish(self, grace: float) -> None:
        """Let it have its last lines and end by itself, then make it (8.4).

        Args:
            grace: seconds to end by itself.
        """

    async def kill(self) -> None:
        """End it at once (8.3). Safe more than once."""

    def process_report(self, count: int) -> ProcessReport | None:
        """What its process leaves behind, once it has ended; None if it has none.

        Args:
            count: lines of stderr to keep from either end.
        """
