"""Evidence about bots, collected during a match for the reports to their authors.

Most bots don't make mistakes, so collecting must be cheap. For a bot without mistakes, only
references to its first lines are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from referee.games.interface.faults import Fault

# Maximum bytes of output that are searched for fields that nobody reads.
KEPT_BYTES = 64 * 1024


class SeenFault(Struct, frozen=True):
    """A fault with its context.

    Attributes:
        turn: turn of the match; 0 in the handshake.
        request: number of the request to this seat; 0 is the handshake.
        asked: the request.
        line, said: the reply in the record, and as the bot wrote it. They only differ in a dialect.
    """

    fault: Fault
    turn: int
    request: int
    asked: bytes
    line: bytes
    said: bytes


class Evidence:
    """The evidence about one seat: its first lines, and its first fault of each code.

    Attributes:
        to_answer: the last request.
        asked: the last answered request, in turn `turn` of the match.
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
        """Add a reply. `said` is the reply as the bot wrote it, if that differs."""
        self._line, self._said = line, said or line
        self.asked = self.to_answer
        if self._room > 0:
            self._room -= len(line)
            self.lines.append(line)

    def note_fault(self, fault: Fault, request: int) -> None:
        """Add a fault of the last reply."""
        if fault.code not in self.faults:
            self.faults[fault.code] = SeenFault(
                fault, self.turn, request, self.asked, self._line, self._said
            )

    def is_plain(self, replies: Sequence[type[Struct]]) -> bool:
        """Return True if there's certainly nothing to report, i.e. no fault and no unknown field.

        This check is fast. If it returns False, `referee.diagnosis.fields` checks more closely.
        """
        known = {
            f'"{struct.__struct_config__.tag}"'.encode(): {"type", *struct.__struct_encode_fields__}
            for struct in replies
        }
        try:
            replied = [_fields(line) for line in self.lines[1:]]  # the first line is the handshake
        except (ValueError, RecursionError):
            return False
        return not self.faults and not any(
            fields.keys() - known.get(bytes(fields.get("type", b"")), set())
            or any(b"{" in bytes(raw) for raw in fields.values())
            for fields in replied
        )


_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
