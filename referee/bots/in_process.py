"""A bot without a process: a Python object that is given lines and gives a line back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import trio

from referee.bots.bot import Answer, Failure, split_lines
from referee.seam.faults import Disqualification


class Player(Protocol):
    """What an `InProcessBot` asks. Being deterministic makes its matches so."""

    def reply(self, lines: Sequence[bytes]) -> Answer:
        """The answer to the last of these lines, which are all that are new; without line ends.

        An exception is a bug in this program, not a fault: it ends the match.
        """


class InProcessBot:
    """A Python object as a `Bot`. It has no clock: it is taken to answer in no time."""

    started: float | None = None
    exit_code: int | None = None

    def __init__(self, player: Player) -> None:
        self._player = player
        self._lines: list[bytes] = []
        self._killed = False

    def push(self, lines: bytes) -> None:
        """Keep lines until it is asked."""
        self._lines += split_lines(lines)

    async def reply(self, deadline: float) -> Answer:
        """Ask it."""
        await trio.lowlevel.checkpoint()  # the others must not starve
        if self._killed:
            return Failure(Disqualification.EXITED, "it has left a match before")
        lines, self._lines = self._lines, []
        return self._player.reply(lines)

    async def release(self, grace: float) -> bool:
        """There is nothing to let go of."""
        await trio.lowlevel.checkpoint()
        return not self._killed

    async def finish(self, grace: float) -> None:
        """Do nothing: there is nothing to end."""
        await trio.lowlevel.checkpoint()

    async def kill(self) -> None:
        """Never ask it again."""
        self._killed = True
        await trio.lowlevel.checkpoint()

    def last_words(self, count: int) -> None:
        """It has no stderr."""
