"""The record of a match: input and output of each seat. No I/O.

A seat's conversation is a list of lines with prefixes. "> " means received, "< " means written, and
"! " marks a note.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct, field

from referee.conformance.verdict import LAST_LINES, Violation, shown
from referee.errors import UsageError, cannot_write
from referee.games.interface.definition import GameDefinition
from referee.games.interface.probing import ProbeAction
from referee.games.interface.seats import seat_id
from referee.logs.outputs import TEXT, check_output, note_output
from referee.logs.parsing import has_spaces

_STDERR = "stderr.txt"
SPACES = "there are spaces between the parts of the JSON"


class Line(Struct, frozen=True):
    """A received line.

    Attributes:
        message: the JSON object if it has a type, otherwise empty.
        wrong: the mistake in the form of the line. Empty if it is correct.
    """

    text: bytes
    message: dict[str, Any] = {}
    wrong: str = ""

    @property
    def kind(self) -> str:
        """The type of the message, or ""."""
        return str(self.message.get("type", ""))


def read_line(line: bytes) -> Line:
    """Parse a line without its line end."""
    try:
        value = json.loads(line.decode(), parse_float=_number)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return Line(line, wrong="it is not a JSON object with a type")
    if has_spaces(line.removesuffix(b"\r")):
        return Line(line, value, SPACES)
    return Line(line, value, "it ends with \\r\\n" if line.endswith(b"\r") else "")


def request_types(definition: GameDefinition) -> set[str]:
    """Return the types of a game's requests."""
    return {str(struct.__struct_config__.tag) for struct in definition.requests}


def _number(digits: str) -> float:
    # 1.0 equals 1 in JSON, so another referee may write either of them.
    number = float(digits)
    return int(number) if number.is_integer() else number


class Reply(NamedTuple):
    """A line that a probe wrote, without its line end, and the action that wrote it."""

    line: bytes
    action: ProbeAction


class Seat(Struct):
    """The input and output of one seat.

    Attributes:
        stays: when its process is supposed to exit (`Plan`).
        replies: the lines that it wrote, without blank lines.
        left: the reason if it left on purpose. None if it didn't.
        group, folder: ids of the session and group of its process, and its working directory.
        ended: True if its input ended.
        killed: True if its process was killed and didn't exit by itself.
        outlived: True if its process was still running after the referee's exit.
        waited: True if the condition of its first conditional reply was met. None without one.
        patience: seconds between its last line and the end of its input, SIGTERM or SIGKILL.
        lines: its conversation.
    """

    stays: str = ""
    received: list[Line] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    left: ProbeAction | None = None
    group: str = ""
    folder: str = ""
    ended: bool = False
    terminated: bool = False
    killed: bool = False
    outlived: bool = False
    waited: bool | None = None
    patience: float = 0.0
    lines: list[bytes] = field(default_factory=list)

    def read(self, line: bytes) -> Line:
        """Record a received line."""
        self.received.append(read_line(line))
        self.lines.append(b"> " + line)
        return self.received[-1]

    def write(self, action: ProbeAction) -> None:
        """Record the output of an action. Complete lines are replies."""
        *lines, torn = action.data.split(b"\n")
        self.lines += [b"< " + line for line in [*lines, *filter(None, [torn])]]
        self.replies += [Reply(line, action) for line in lines if line.strip(b" \t\r")]
        if action.then:
            self.left = action
            self.note({"exit": "exits", "close": "closes its output"}.get(action.then, "blocks"))

    def end(self, torn: bytes) -> None:
        """Record the end of the input, and the bytes of an incomplete line before it."""
        self.ended = True
        if torn:
            self.lines.append(b"> " + torn)
            self.received.append(Line(torn, wrong="it has no line end"))
        self.note("its input ended")

    def note(self, text: str) -> None:
        """Record an extra observation."""
        self.lines.append(b"! " + text.encode())


class RecordedMatch(Struct):
    """A match that was played.

    Attributes:
        id: id of the match, with its seed if it was repeated.
        exit_code: exit code of the referee. None if it was killed.
        error: the reason if it could not be started, otherwise empty.
    """

    id: str
    seed: int
    seats: list[Seat]
    exit_code: int | None = 0
    error: str = ""
    stderr: list[str] = []
    seconds: float = 0.0

    def violation(
        self, kind: str, seat: int, received: int, expected: str, actual: str
    ) -> Violation:
        """Create a violation for the report, with the seat's last lines up to this message."""
        lines = self.seats[seat].lines
        places = [place for place, line in enumerate(lines) if line.startswith(b"> ")]
        last = places[received] + 1 if 0 <= received < len(places) else len(lines)
        note = f"! {seat_id(seat)} of the match {self.id}"
        conversation = [note, *map(shown, lines[max(0, last - LAST_LINES) : last])]
        return Violation(kind, "", expected, actual, conversation=conversation)

    def ending(self) -> str:
        """Explain why the referee didn't send anything more."""
        if self.error:
            return f"nothing: the referee could not be started: {self.error}"
        if self.exit_code is None:
            return f"nothing more, until the referee was ended after {self.seconds:.1f} s"
        return f"nothing more; the referee ended with exit code {self.exit_code}"

    def keep(self, folder: Path) -> None:
        """Write the conversations to files FOLDER/MATCH/PLAYER.txt.

        Raises:
            UsageError: a file can't be written.
        """
        into = folder / self.id.replace(" ", "-seed-")
        try:
            self._write(into)
        except OSError as error:
            raise cannot_write(str(into), error) from error

    def _write(self, into: Path) -> None:
        into.mkdir(parents=True, exist_ok=True)
        files = {f"{seat_id(number)}.txt": seat.lines for number, seat in enumerate(self.seats)}
        files[_STDERR] = [line.encode() for line in self.stderr]
        for name, lines in files.items():
            path = into / name
            path.write_bytes(b"".join(line + b"\n" for line in lines))
            note_output(str(path), TEXT)


def check_transcripts(folder: Path, *, force: bool) -> None:
    """Check that `RecordedMatch.keep` can write, and doesn't replace anybody else's file.

    Raises:
        UsageError: files can't be written, or somebody else's file would be replaced.
    """
    if not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write {folder}: Permission denied")
    for pattern in ("player[1-4].txt", _STDERR):
        for path in sorted(folder.glob(f"*/{pattern}")):
            check_output(str(path), TEXT, force=force)
