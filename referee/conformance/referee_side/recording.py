"""The record of a match: the input and the output of each seat. Pure.

The conversation of a seat is kept line by line, with a mark before each line: "> " it was sent,
"< " it wrote, "! " a note.
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
    """A line that was sent.

    Attributes:
        message: the JSON object with a type; empty if the line is not one.
        wrong: the mistake in the form of the line; empty if it is correct.
    """

    text: bytes
    message: dict[str, Any] = {}
    wrong: str = ""

    @property
    def kind(self) -> str:
        """The type of the message; empty without one."""
        return str(self.message.get("type", ""))


def read_line(line: bytes) -> Line:
    """Read a line, without its line end."""
    try:
        value = json.loads(line.decode(), parse_float=_number)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return Line(line, wrong="it is not a JSON object with a type")
    if has_spaces(line.removesuffix(b"\r")):
        return Line(line, value, SPACES)
    return Line(line, value, "it ends with \\r\\n" if line.endswith(b"\r") else "")


def request_types(rules: GameDefinition) -> set[str]:
    """The types of a game's requests."""
    return {str(struct.__struct_config__.tag) for struct in rules.requests}


def _number(digits: str) -> float:
    """A number with a point; in JSON 1.0 is 1."""
    number = float(digits)
    return int(number) if number.is_integer() else number


class Reply(NamedTuple):
    """A line that a probe wrote, without its line end, and the action that it belongs to."""

    line: bytes
    action: ProbeAction


class Seat(Struct):
    """What one seat of a match was sent and did.

    Attributes:
        stays: how it is to end (`Plan`).
        replies: the lines that it wrote, without blank lines.
        left: why it left of its own accord; None if it did not.
        group, folder: the ids of its process's session and group, and its working directory.
        ended: its input ended.
        killed: its process ended, though neither by itself nor by us.
        outlived: its process was still there when the referee had ended.
        waited: whether the condition of its first conditional reply was met, if it has one.
        patience: seconds from the last line to the end of its input, SIGTERM, or its death.
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
        """Note a line that it was sent."""
        self.received.append(read_line(line))
        self.lines.append(b"> " + line)
        return self.received[-1]

    def write(self, action: ProbeAction) -> None:
        """Note what an action writes; whole lines are replies."""
        *lines, torn = action.data.split(b"\n")
        self.lines += [b"< " + line for line in [*lines, *filter(None, [torn])]]
        self.replies += [Reply(line, action) for line in lines if line.strip(b" \t\r")]
        if action.then:
            self.left = action
            self.note({"exit": "exits", "close": "closes its output"}.get(action.then, "blocks"))

    def end(self, torn: bytes) -> None:
        """Note the end of the input, and any bytes before it without a line end."""
        self.ended = True
        if torn:
            self.lines.append(b"> " + torn)
            self.received.append(Line(torn, wrong="it has no line end"))
        self.note("its input ended")

    def note(self, text: str) -> None:
        """Note an extra observation."""
        self.lines.append(b"! " + text.encode())


class RecordedMatch(Struct):
    """A match that was played.

    Attributes:
        id: which match; with the seed if it was not the first time.
        exit_code: the referee's; None if it was ended by force.
        error: why it could not be started; empty if it was.
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
        """A mistake for the report, with the seat's last lines up to this message."""
        lines = self.seats[seat].lines
        places = [place for place, line in enumerate(lines) if line.startswith(b"> ")]
        last = places[received] + 1 if 0 <= received < len(places) else len(lines)
        note = f"! {seat_id(seat)} of the match {self.id}"
        conversation = [note, *map(shown, lines[max(0, last - LAST_LINES) : last])]
        return Violation(kind, "", expected, actual, conversation=conversation)

    def ending(self) -> str:
        """Why nothing more was sent."""
        if self.error:
            return f"nothing: the referee could not be started: {self.error}"
        if self.exit_code is None:
            return f"nothing more, until the referee was ended after {self.seconds:.1f} s"
        return f"nothing more; the referee ended with exit code {self.exit_code}"

    def keep(self, folder: Path) -> None:
        """Write the conversations to files, FOLDER/MATCH/PLAYER.txt, or raise a `UsageError`."""
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
    """Raise a `UsageError` if `RecordedMatch.keep` cannot write, or would replace another file."""
    if not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write {folder}: Permission denied")
    for pattern in ("player[1-4].txt", _STDERR):
        for path in sorted(folder.glob(f"*/{pattern}")):
            check_output(str(path), TEXT, force=force)
