"""Collects evidence about bots during a match, for the reports to their authors.

Most bots don't make mistakes, so this has to be cheap. As long as a bot makes no mistakes, we only
keep references to its first lines.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from referee.games.interface.faults import Fault
from referee.match.result import FirstFault

# We look for misspelt fields in the first lines of a bot, up to this many bytes.
KEPT_BYTES = 64 * 1024
# A report cuts a reply after this many bytes.
_MOST_LINE = 2000


class SeenFault(Struct, frozen=True):
    """A fault, and the request and reply that led to it.

    Attributes:
        turn: the turn of the match, or 0 in the handshake.
        request: number of the request, counted per seat. The handshake is number 0.
        asked: the request.
        line: the reply, in protocol version 1.
        said: the reply as the bot wrote it. This only differs from `line` if the bot speaks a
            dialect.
    """

    fault: Fault
    turn: int
    request: int
    asked: bytes
    line: bytes
    said: bytes

    def reported(self, detail: str, *, follows: bool = False) -> FirstFault:
        """Return the entry of the report. `detail` explains the fault."""
        line = self.said[:_MOST_LINE].decode(errors="backslashreplace")
        fault = self.fault
        return FirstFault(fault.code, fault.section, detail, self.turn, self.request, line, follows)


class Evidence:
    """Collects one bot's first lines, and its first fault with each code.

    Attributes:
        to_answer: the request that the bot got last.
        asked: the request that it answered last.
        turn: the turn of the match.
        lines: the first lines of the bot.
        faults: for each fault code, the first fault.
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
        """Add a reply. If the bot speaks a dialect, `said` is the reply as the bot wrote it."""
        self._line, self._said = line, said or line
        self.asked = self.to_answer
        if self._room > 0:
            self._room -= len(line)
            self.lines.append(line)

    def note_fault(self, fault: Fault, request: int) -> None:
        """Add a fault in the last reply. We ignore it if we already have one with the same code."""
        if fault.code not in self.faults:
            self.faults[fault.code] = SeenFault(
                fault, self.turn, request, self.asked, self._line, self._said
            )

    def is_plain(self, replies: Sequence[type[Struct]]) -> bool:
        """Return True if there's certainly nothing to report: no faults and no misspelt fields.

        This is a quick check. If it returns False, use `referee.diagnosis.fields` to make sure.
        """
        known = {
            f'"{struct.__struct_config__.tag}"'.encode(): {"type", *struct.__struct_encode_fields__}
            for struct in replies
        }
        try:
            replied = [_fields(line) for line in self.lines[1:]]  # skip the handshake
        except (ValueError, RecursionError):
            return False
        return not self.faults and not any(
            fields.keys() - known.get(bytes(fields.get("type", b"")), set())
            or any(b"{" in bytes(raw) for raw in fields.values())
            for fields in replied
        )


_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
