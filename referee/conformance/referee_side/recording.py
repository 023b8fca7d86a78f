"""What the probes of a match wrote down: spec/vectors/README.md has the format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from msgspec import Struct

from referee.conformance.verdict import LAST_LINES, shown
from referee.game import player_number


class Recording(Struct):
    """A probe's record.

    Attributes:
        process: what it says of its process: pid, session, group, folder, token; empty if it was
            not started.
        received: the lines that it was sent, without their line ends.
        replies: the lines that it wrote and that are no blank lines.
        blanks: for each reply, how many blank lines were written before it.
        notes: what it noted.
        lines: everything, as it stands in the record.
        torn: the last that it was sent has no line end.
        after: for each reply, how many lines had been read when it was written.
        cut: a reply was written without its line end.
        leaves: it has left the match of its own accord.
    """

    process: dict[str, Any] = {}
    received: list[bytes] = []
    replies: list[bytes] = []
    blanks: list[int] = []
    notes: list[str] = []
    lines: list[bytes] = []
    torn: bool = False
    after: list[int] = []
    cut: bool = False
    leaves: bool = False

    def conversation(self, sent: int) -> list[str]:
        """The last lines up to the message with this number, counted from 0, and its reply."""
        place = 0
        seen = 0
        for place, line in enumerate(self.lines, start=1):  # noqa: B007 (used after the loop)
            if line.startswith(b"> "):
                seen += 1
            if seen > sent:
                break
        lines = [line for line in self.lines[:place] if not line.startswith(b"# ")]
        return [shown(line) for line in lines[-LAST_LINES:]]


class Played(Struct):
    """What was seen of a match.

    Attributes:
        match: which match was played.
        id: the same, with the seed if it was not played for the first time.
        seed: that the referee was given.
        probes: one recording a seat.
        plans: what the probes were to do.
        exit_code: the referee's; None if it was ended by force.
        error: why it could not be started; empty if it was.
        stderr: the referee's last lines.
        survivors: the seats whose process was there when the referee had ended.
        seconds: how long it took.
    """

    match: str
    id: str
    seed: int
    probes: list[Recording]
    plans: list[dict[str, object]]
    exit_code: int | None = None
    error: str = ""
    stderr: list[str] = []
    survivors: list[int] = []
    seconds: float = 0.0

    def conversation(self, seat: int, sent: int) -> list[str]:
        """The last lines of a probe, as of `Recording`, after a note that says whose they are."""
        note = f"! {player_number(seat)} of the match {self.id}"
        return [note, *self.probes[seat].conversation(sent)]


def read_recording(file: Path) -> Recording:
    """Read a record; one that is torn or not there holds what can be read of it."""
    recording = Recording()
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return recording
    blank = 0
    for line in data.split(b"\n")[:-1]:  # what follows the last line end was not written to its end
        mark, text = line[:2], line[2:]
        recording.lines.append(line)
        if mark == b"# ":
            recording.process = json.loads(text)
        elif mark == b"> ":
            recording.received.append(text)
        elif mark == b"~ ":
            recording.torn = True
        elif mark == b"< " and not text.strip():
            blank += 1
        elif mark == b"< ":
            recording.replies.append(text)
            recording.blanks.append(blank)
            recording.after.append(len(recording.received))
            blank = 0
        elif mark == b"- ":
            recording.cut = True
        elif mark == b"! ":
            recording.notes.append(text.decode(errors="replace"))
            recording.leaves = recording.leaves or text == b"leaves"
    return recording
