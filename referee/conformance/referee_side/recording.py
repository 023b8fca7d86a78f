"""What was seen of a match: what each seat was sent and wrote. Pure.

The conversation of a seat is kept line by line, with a mark before each line: "> " it was sent,
"< " it wrote, "! " a note.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from referee.conformance.referee_side.lines import Line
from referee.conformance.verdict import LAST_LINES, Violation, shown
from referee.seam.probing import Deed
from referee.seam.seats import seat_id

TOKEN = "REFEREE_PROBE"
"""A variable of the environment, by which a probe shows whose environment it has (8.5)."""


class Hello(Struct, frozen=True):
    """What a probe's process says of itself.

    Attributes:
        pid, session, group: ids.
        folder: its working directory.
        environment: its variables.
    """

    pid: int
    session: int
    group: int
    folder: str
    environment: Mapping[str, str]

    @classmethod
    def read(cls, data: bytes) -> tuple[int, Hello]:
        """A relay's first frame: its seat, and what it says of itself."""
        words = data.decode(errors="surrogateescape").split("\0")
        seat, pid, session, group = map(int, words[:4])
        environment = dict(each.split("=", 1) for each in words[5:])
        return seat, cls(pid, session, group, words[4], environment)


class Reply(Struct, frozen=True):
    """A line that a probe wrote.

    Attributes:
        line: without its line end.
        deed: what it belongs to.
    """

    line: bytes
    deed: Deed


class Seat(Struct):
    """What one seat of a match was sent and did.

    Attributes:
        stays: how it is to end (`Plan`).
        received: the lines that it was sent.
        replies: the lines that it wrote and that are no blank lines.
        left: why it left of its own accord; None if it did not.
        torn: what it was sent last, without a line end.
        hello: what its process said of itself; None if there was none.
        ended: its input ended.
        terminated: SIGTERM came to it.
        killed: its process ended, though neither by itself nor by us.
        outlived: its process was still there when the referee had ended.
        waited: whether its first reply with a condition saw it met; None if there was none.
        gave_up: why it could make nothing of what it was sent; empty if it could.
        patience: seconds from the last line that it was sent to what ended it: the end of its
            input, SIGTERM, or its death.
        lines: its conversation.
    """

    stays: str = ""
    received: list[Line] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    left: Deed | None = None
    torn: bytes = b""
    hello: Hello | None = None
    ended: bool = False
    terminated: bool = False
    killed: bool = False
    outlived: bool = False
    waited: bool | None = None
    patience: float = 0.0
    gave_up: str = ""
    lines: list[bytes] = field(default_factory=list)

    def write(self, deed: Deed) -> None:
        """Note what a deed writes; whole lines are replies."""
        *lines, torn = deed.data.split(b"\n")
        for line in lines:
            self.lines.append(b"< " + line)
            if line.strip(b" \t\r"):
                self.replies.append(Reply(line, deed))
        if torn:
            self.lines.append(b"< " + torn)
            self.note("without a line end")
        if deed.then:
            self.left = deed
            self.note({"exit": "exits", "close": "closes its output"}.get(deed.then, "blocks"))

    def terminate(self) -> None:
        """Note that SIGTERM came."""
        self.terminated = True
        self.note("SIGTERM came")

    def end(self, torn: bytes) -> None:
        """Note the end of the input, and what came before it without a line end."""
        self.ended = True
        self.note("its input ended")
        if torn:
            self.torn = torn
            self.lines.append(b"> " + torn)
            self.note("without a line end")

    def note(self, text: str) -> None:
        """Note something besides."""
        self.lines.append(b"! " + text.encode())


class RecordedMatch(Struct):
    """A match that was played.

    Attributes:
        id: which match; with the seed if it was not the first time.
        seed: that the referee was given.
        seats: what each seat was sent and did.
        exit_code: the referee's; None if it was ended by force.
        error: why it could not be started; empty if it was.
        stderr: what is to be shown of the referee's.
        seconds: how long it took.
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

    def keep(self, folder: Path) -> None:
        """Write the conversations to files: FOLDER/MATCH/PLAYER.txt."""
        into = folder / self.id.replace(" ", "-seed-")
        into.mkdir(parents=True, exist_ok=True)
        for number, seat in enumerate(self.seats):
            data = b"".join(line + b"\n" for line in seat.lines)
            (into / f"{seat_id(number)}.txt").write_bytes(data)
        (into / "stderr.txt").write_text("".join(line + "\n" for line in self.stderr))
