"""Records the input and output of each seat while another referee plays a match.

The conversation of a seat is a list of lines. Lines that the bot received start with "> ", lines
that it wrote with "< ", and our own notes with "! ".
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
    """A line that a bot received from the referee.

    Attributes:
        message: the JSON object, or {} if the line isn't a JSON object with a type.
        wrong: the reason why the line is badly formatted (for example, because it contains spaces),
            or "" if it isn't.
    """

    text: bytes
    message: dict[str, Any] = {}
    wrong: str = ""

    @property
    def kind(self) -> str:
        """The type of the message, or ""."""
        return str(self.message.get("type", ""))


def read_line(line: bytes) -> Line:
    """Parse a line. `line` doesn't include the newline."""
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
    # Other referees may write 1 as 1.0, which is the same number in JSON.
    number = float(digits)
    return int(number) if number.is_integer() else number


class Reply(NamedTuple):
    """A line that a probe wrote, without the newline, and the action that wrote it."""

    line: bytes
    action: ProbeAction


class RecordedSeat(Struct):
    """Everything that we know about one seat of a match: its lines and its process.

    Attributes:
        stays: when the process should exit (see `ProbePlan`).
        received: the lines that the bot received.
        replies: the lines that it wrote, without blank lines.
        left: the action with which the probe left the match, e.g. by exiting, or None if it stayed.
        group: the ids of the session and the process group, separated by a space, or "" if the
            process has never connected to us.
        folder: the working directory of the process.
        ended: True if the referee has closed the bot's stdin.
        terminated: True if the process has received SIGTERM.
        killed: True if the process didn't exit by itself: it was killed, or the probe left.
        outlived: True if the process was still running after the referee had exited.
        waited: if a reply had to wait for messages to other seats (`ProbeAction.awaits`), True if
            these messages were sent in time. It's None if no reply had to wait.
        patience: seconds from the last line to the end of stdin, SIGTERM or SIGKILL.
        lines: the conversation, with prefixes.
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
        """Record the end of stdin. `torn` is an incomplete line at the end, or b""."""
        self.ended = True
        if torn:
            self.lines.append(b"> " + torn)
            self.received.append(Line(torn, wrong="it has no line end"))
        self.note("its input ended")

    def note(self, text: str) -> None:
        """Add a note to the conversation."""
        self.lines.append(b"! " + text.encode())


class RecordedMatch(Struct):
    """A match that the tested referee has played.

    Attributes:
        id: the id of the `ProbeMatch`. If it was repeated with another seed, the seed is appended.
        exit_code: exit code of the referee, or None if we had to kill it.
        error: the reason why the referee couldn't be started, or "".
    """

    id: str
    seed: int
    seats: list[RecordedSeat]
    exit_code: int | None = 0
    error: str = ""
    stderr: list[str] = []
    seconds: float = 0.0

    def violation(
        self, kind: str, seat: int, received: int, expected: str, actual: str
    ) -> Violation:
        """Create a violation for the report.

        It shows the conversation of the seat up to the line with the index `received`.
        """
        lines = self.seats[seat].lines
        places = [place for place, line in enumerate(lines) if line.startswith(b"> ")]
        last = places[received] + 1 if received < len(places) else len(lines)
        note = f"! {seat_id(seat)} of the match {self.id}"
        conversation = [note, *map(shown, lines[max(0, last - LAST_LINES) : last])]
        return Violation(kind, "", expected, actual, conversation=conversation)

    def ending(self) -> str:
        """Describe how the referee ended, for the report on a missing message."""
        if self.error:
            return f"nothing: the referee could not be started: {self.error}"
        if self.exit_code is None:
            return f"nothing more, until the referee was ended after {self.seconds:.1f} s"
        return f"nothing more; the referee ended with exit code {self.exit_code}"

    def keep(self, folder: Path) -> None:
        """Write the conversation of each seat to a file FOLDER/MATCH/PLAYER.txt.

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
    """Check, before a run, that we'll be able to write the transcripts to a folder.

    Raises:
        UsageError: we can't write there, or would replace a file that isn't ours.
    """
    if not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write {folder}: Permission denied")
    for pattern in ("player[1-4].txt", _STDERR):
        for path in sorted(folder.glob(f"*/{pattern}")):
            check_output(str(path), TEXT, force=force)
