"""The evidence that is collected during a match, for the reports to the authors of its bots.

It costs next to nothing for a bot that makes no mistakes: a reference to each of its first lines.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from referee.games.interface.faults import Fault

KEPT_BYTES = 64 * 1024
"""Bytes of a bot's output that are searched for fields that nobody reads."""


class SeenFault(Struct, frozen=True):
    """A fault, and where it came.

    Attributes:
        turn: of the match; 0 in the handshake.
        request: which of those that the seat was sent; 0 is the handshake.
        asked: that request.
        line, said: the reply, as the record has it and as the bot gave it.
    """

    fault: Fault
    turn: int
    request: int
    asked: bytes
    line: bytes
    said: bytes


class Evidence:
    """The evidence of one seat: its first lines, and the first fault of each code.

    Attributes:
        to_answer: the last request that it was sent.
        asked: the last one that it has answered, in the turn `turn` of the match.
    """

    __slots__ = ("_line", "_room", "_said", "asked", "faults", "lines", "to_answer", "turn")

    def __init__(self) -> None:
        self.asked = self.to_answer = b""
        self.turn = 0
        self.lines: list[bytes] = []
        self.faults: dict[str, SeenFault] = {}
        self._line = self._said = b""
        self._room = KEPT_BYTES

    def note_line(self, line: bytes, said: bytes = b"") -> None:
        """Take a reply as the record has it, and as the bot gave it if that differs."""
        self._line, self._said = line, said or line
        self.asked = self.to_answer
        if self._room > 0:
            self._room -= len(line)
            self.lines.append(line)

    def note_fault(self, fault: Fault, request: int) -> None:
        """Take a fault of the last reply."""
        if fault.code not in self.faults:
            self.faults[fault.code] = SeenFault(
                fault, self.turn, request, self.asked, self._line, self._said
            )

    def is_plain(self, replies: Sequence[type[Struct]]) -> bool:
        """Whether it is clear that there is nothing to tell: no fault, and no unknown field.

        This check is quick. `referee.diagnosis.fields` examines the lines that it is not sure
        about.
        """
        known = {
            f'"{struct.__struct_config__.tag}"'.encode(): {"type", *struct.__struct_encode_fields__}
            for struct in replies
        }
        try:
            replied = [_fields(line) for line in self.lines[1:]]  # the first is the handshake's
        except (ValueError, RecursionError):
            return False
        return not self.faults and not any(
            fields.keys() - known.get(bytes(fields.get("type", b"")), set())
            or any(b"{" in bytes(raw) for raw in fields.values())
            for fields in replied
        )


_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
