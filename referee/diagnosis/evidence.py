"""What is kept of a match while it is played, to tell the authors of its bots what went wrong.

It costs next to nothing for a bot that makes no mistakes: a reference to each of its first lines.
"""

from __future__ import annotations

from msgspec import Struct

from referee.diagnosis.silence import Silence
from referee.result import Stderr
from referee.seam.faults import Fault

KEPT_BYTES = 64 * 1024
"""So much of what a bot writes is looked through for fields that nobody reads."""


class LastWords(Struct, frozen=True):
    """What a process leaves behind.

    Attributes:
        stderr: what it wrote there, safe to print.
        unasked: how many whole lines of its output nobody has read, as far as was looked.
        first_unasked: the first of them; empty if there is none.
        unfinished: what follows them, which has no line end.
        silence: what a look at it showed, if it did not answer in time and was looked at.
    """

    stderr: Stderr
    unasked: int = 0
    first_unasked: bytes = b""
    unfinished: bytes = b""
    silence: Silence | None = None


class SeenFault(Struct, frozen=True):
    """A fault, and where it came.

    Attributes:
        fault: as the rules have it.
        turn: of the match; 0 in the handshake.
        request: which of those that the seat was sent; 0 is the handshake.
        asked: that request.
        line: the reply.
    """

    fault: Fault
    turn: int
    request: int
    asked: bytes
    line: bytes


class Evidence:
    """What is kept of one seat.

    Args:
        thorough: whether to keep lines, too.

    Attributes:
        to_answer: the last request that it was sent.
        asked: the last one that it has answered.
        turn: of the match, when it did.
        lines: its first ones.
        faults: the first of each code, in the order in which they came.
    """

    __slots__ = ("_line", "_room", "asked", "faults", "lines", "to_answer", "turn")

    def __init__(self, *, thorough: bool) -> None:
        self.asked = self.to_answer = b""
        self.turn = 0
        self.lines: list[bytes] = []
        self.faults: dict[str, SeenFault] = {}
        self._line = b""
        self._room = KEPT_BYTES if thorough else 0

    def note_line(self, line: bytes) -> None:
        """Take a reply."""
        self._line = line
        self.asked = self.to_answer
        if self._room > 0:
            self._room -= len(line)
            self.lines.append(line)

    def note_fault(self, fault: Fault, request: int) -> None:
        """Take a fault of the last reply."""
        if fault.code not in self.faults:
            self.faults[fault.code] = SeenFault(fault, self.turn, request, self.asked, self._line)
