"""Runs the match of a record again, and compares every line (spec/log-format.md, 2.10).

We take the replies of the bots from the record, and also the disqualifications that depended on
processes or clocks. The match computes everything else, and every line must be the same as in the
record, except for the time. `verify`, the pages of matches, `--resume` and the decisions of rule
files all read records with `Rerun`, so they accept the same lines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from referee.errors import LogReadError
from referee.games.interface.faults import Disqualification, Fault
from referee.games.interface.seats import seat_id, seat_ids
from referee.logs import record
from referee.logs.files import LogFile
from referee.logs.header import read_header
from referee.logs.parsing import entry_kinds
from referee.logs.source import LogReader
from referee.match.decode import is_blank
from referee.match.machine import Disqualified, Entry, Match, Received, Sent

_WITHOUT_REPLY = set(Disqualification) - {Disqualification.UNSUPPORTED_VERSION}
_IN_HANDSHAKE = _WITHOUT_REPLY - {Disqualification.TIMEOUT}
_IN_GAME = _WITHOUT_REPLY - {Disqualification.FAILED_TO_START, Disqualification.STARTUP_TIMEOUT}
# The section of spec/log-format.md about each kind of entry.
_SECTIONS = {
    Sent: "2.2",
    Received: "2.3",
    Fault: "2.4",
    Disqualified: "2.5",
    record.ExitEntry: "2.6",
}
_RECEIVED = b'{"entry":"received"'
_NO_EXIT = "the exit entry of {} must follow here"


class Difference(NamedTuple):
    """A line that differs from the expected one.

    Attributes:
        found: the line in the file.
        expected: the right line without its time field, b"" if the file should end here, or None if
            more than one line would be right.
        section: section of spec/log-format.md.
        edited: True if somebody must have changed the file, because even other rules couldn't
            explain the difference.
    """

    line: int
    found: bytes
    expected: bytes | None
    section: str
    text: str
    edited: bool


class DifferenceError(LogReadError):
    """A line of a record doesn't follow from the lines before it."""

    def __init__(self, name: str, difference: Difference, *, is_other_game: bool) -> None:
        game = " in this version of the game: give the file of the game that was played, or"
        problem = f"does not follow from the lines before it{game if is_other_game else ';'}"
        super().__init__(name, difference.line, f"{problem} see referee verify")
        self.difference = difference


class _CutShortError(Exception):
    """The record ends before the match does, or in the middle of a line."""


class Round(NamedTuple):
    """One round of a match: the replies to all requests that were due, and what followed.

    The first round has no replies. It contains the messages from the start of the match up to the
    first requests.

    Attributes:
        entries: the replies, and the entries that they led to.
        time: when the last reply arrived, in seconds after the bots were started. It's 0 for the
            first round.
        stderr: output of the bots before these replies, if stderr was recorded. Output after the
            last reply comes in a round without entries.
        is_opening: True if the replies were drawn at random.
    """

    entries: list[Entry]
    time: float
    stderr: list[record.StderrEntry]
    is_opening: bool = False


def played(
    match: Match, answers: Iterable[tuple[int, Any, float]]
) -> Iterator[tuple[list[Entry], float]]:
    """Play a match with known replies until there are no more of them.

    Args:
        match: a new match, which this starts.
        answers: tuples of a seat, its reply or disqualification, and the time in seconds. You can
            pass a generator that looks at `match` to decide on the next answer.

    Yields:
        The new entries and the time, once after the start and then after each answer.
    """
    match.start()
    yield match.take_entries(), 0.0
    for seat, answer, seconds in answers:
        if isinstance(answer, bytes):
            match.receive(seat, answer)
        else:
            match.disqualify(seat, Disqualification(answer.code), answer.detail)
        yield match.take_entries(), seconds


def rounds(
    match: Match, steps: Iterable[tuple[list[Entry], float]]
) -> Iterator[tuple[list[Entry], float]]:
    """Put the items of `played` together: one per round, with the time of its last reply."""
    entries: list[Entry] = []
    waiting = 1  # the first item is for the start of the match
    for more, seconds in steps:
        entries += more
        waiting -= 1
        if not waiting:
            yield entries, seconds
            entries, waiting = [], len(match.due)


def answer_in(
    entry: Struct | None, match: Match, line_limits: Sequence[int]
) -> bytes | record.DisqualifiedEntry | None:
    """If an entry is the next answer that the match needs, return this answer, otherwise None.

    Records list the replies of a round in seat order, so the next one must come from the first
    seat that's due. We also return None if a referee couldn't have written the entry. For example,
    a bot is disqualified for a line that's too long, so such a line is never recorded as a reply.

    Args:
        line_limits: for each seat, the maximum bytes of a line (protocol, 1.3).
    """
    if not isinstance(entry, record.ReceivedEntry | record.DisqualifiedEntry):
        return None
    if not match.due or entry.player_number != seat_id(match.due[0]):
        return None
    if isinstance(entry, record.DisqualifiedEntry):
        return entry if entry.code in (_IN_HANDSHAKE if match.in_handshake else _IN_GAME) else None
    line = record.line_received(entry)
    fits = len(line) <= line_limits[match.due[0]]
    return line if fits and b"\n" not in line and not is_blank(line) else None


class Rerun:
    """Runs the match of a record again, and compares its lines.

    Args:
        reader: the file, which has been read up to the header.
        lines: the rest of its lines.
        header: the header, and its line as `first`.
        log: where to write the spectator log of the match. It ends before the first difference.

    Attributes:
        match: the match, in the state that we've reached so far.
        whole: True once we've read the end entry.
        digest: the digest of the lines, which we set at the end of the record. It's empty before
            that, and if the end entry isn't correct.
        wrong_end: what is wrong with the end entry, or with the digest in it.
    """

    def __init__(
        self,
        reader: LogReader,
        lines: Iterator[bytes],
        header: record.Header,
        first: bytes,
        log: LogFile | None = None,
    ) -> None:
        self.header = header
        spec = record.spec_of(header)
        self.match = spec.new_match()
        self.whole = False
        self.digest = ""
        self.wrong_end: Difference | None = None
        self._decode = entry_kinds(spec.definition).decode
        self._line_limits = [limits.line_limit for limits in spec.each_limits]
        self._begins = {to: record.sent_to(to) for to in (None, *range(len(spec.bots)))}
        self._reader = reader
        self._all_lines = lines
        self._lines = self._without_stderr()
        self._log = log
        self._ahead = b""  # the next line, if we've peeked at it
        self._time = b""  # the time field of the last line that had one
        # stderr entries since the previous round, or None if nobody wants them
        self._stderr: list[record.StderrEntry] | None = None
        # The first line in which only the `detail` differs. Other versions of the referee may word
        # the `detail` differently, so this only matters if the digest is wrong as well.
        self._wording: Difference | None = None
        self._hash = hashlib.sha256()
        # lines that we haven't hashed yet, without their closing braces
        self._heads = [record.without_time(first)[: -len(b"}\n")]]
        self._public: list[bytes] = []  # lines that we haven't written to the spectator log yet

    def rounds(self) -> Iterator[Round]:
        """Run the match to the end of the record, and yield after each round.

        We compare the lines that follow from a reply after we've yielded its round.

        Raises:
            DifferenceError: a line doesn't follow from the lines before it.
            LogReadError: see `LogReader`.
        """
        redeals, left = self.header.redeals or (), self.header.opening or 0
        first_turn, is_opening = redeals[-1].turn if redeals else 0, False
        self._stderr = []
        for entries, time in rounds(self.match, self.steps()):
            yield Round(entries, time, self._take_stderr(), is_opening)
            left -= is_opening
            is_ready = not self.match.in_handshake and self.match.turns >= first_turn
            is_opening = is_ready and left > 0
        if self._stderr:  # some bots wrote more after the last reply
            yield Round([], self._stderr[-1].time, self._take_stderr())

    def rest_fits(self, line: bytes) -> tuple[bool, bool]:
        """Read the rest of the file after a difference in `line`, to check its digest.

        Returns:
            Whether the record's digest is right, and whether there is a digest at all.
        """
        try:
            for later in self._lines:
                self._hash.update(record.without_time(line))
                line = later
        except LogReadError:
            return False, False
        claimed = record.claimed_digest(line)
        return claimed == self._digest, claimed is not None

    def flush(self) -> None:
        """Hash the compared lines, and write those of the spectator log."""
        self._heads.append(b"")
        self._hash.update(b"}\n".join(self._heads))
        self._heads.clear()
        if self._log is not None and self._public:
            public = b"".join(self._public)
            self._public.clear()
            self._log.write(public)

    @property
    def _digest(self) -> str:
        return f"sha256:{self._hash.hexdigest()}"

    def _take_stderr(self) -> list[record.StderrEntry]:
        taken, self._stderr = self._stderr or [], []
        return taken

    def _without_stderr(self) -> Iterator[bytes]:
        for line in self._all_lines:
            if line.startswith(record.STDERR):
                entry = self._decode(line)
                if isinstance(entry, record.StderrEntry):
                    if self._stderr is not None:
                        self._stderr.append(entry)
                    continue
            yield line

    def steps(self) -> Iterator[tuple[list[Entry], float]]:
        """Like `rounds`, but yield the items of `played`, and ignore stderr."""
        try:
            for entries, time in played(self.match, self._answers()):
                yield entries, time
                self._compare(entries)
            self._compare(self._exits())
            self._end(self._peek())
        except _CutShortError:
            pass

    def _answers(self) -> Iterator[tuple[int, bytes | record.DisqualifiedEntry, float]]:
        while self.match.due:
            self.flush()
            line = self._peek()
            entry = self._decode(line)
            answer = answer_in(entry, self.match, self._line_limits)
            if answer is None:
                text = f"an answer of {seat_id(self.match.due[0])} must follow here"
                kind = Received if line.startswith(_RECEIVED) else Disqualified
                raise self._differs(self._difference(line, None, kind, text))
            yield self.match.due[0], answer, entry.time  # type: ignore[union-attr]

    def _exits(self) -> Iterator[record.ExitEntry]:
        # We can't compute exit codes, so we take them from the record.
        for player in seat_ids(len(self.header.bots)):
            self.flush()
            line = self._peek()
            entry = self._decode(line)
            if not isinstance(entry, record.ExitEntry):
                text = _NO_EXIT.format(player)
                raise self._differs(self._difference(line, None, record.ExitEntry, text))
            yield record.ExitEntry(player, entry.exit_code, 0)
        self.flush()

    def _end(self, line: bytes) -> None:
        number = self._reader.line
        if more := next(self._all_lines, b""):
            text = "lines follow the end entry"
            raise self._differs(Difference(number + 1, more, b"", "2.7", text, True))
        if self._reader.cut:
            return
        self.whole, digest = True, self._digest
        head, claimed = (
            record.head_of(record.end_of(self.match, each, 0))
            for each in (digest, record.claimed_digest(line) or digest)
        )
        if record.is_timed(line, head):
            self.digest = digest
        elif record.is_timed(line, claimed):
            text = (
                f"the digest over lines 1 to {number - 1} is not the one in the last line: "
                "something that running the match again cannot check was changed (header, exit "
                "codes, wording)"
            )
            self.wrong_end = self._wording or Difference(number, line, head, "2.8", text, True)
        else:
            text = "the end entry is not what follows from the match"
            edited = not record.is_of_other_game(self.header)
            self.wrong_end = Difference(number, line, head, "2.7", text, edited)

    def _peek(self) -> bytes:
        """Return the next complete line without consuming it."""
        self._ahead = self._ahead or next(self._lines, b"")
        if not self._ahead or self._reader.torn:
            raise _CutShortError
        return self._ahead

    def _compare(self, entries: Iterable[Entry | record.ExitEntry]) -> None:
        begin, lines, log = self._begins, self._lines, self._log is not None
        for entry in entries:
            line, self._ahead = self._ahead or next(lines, b""), b""
            if type(entry) is Sent:
                head, end = begin[entry.to] + entry.line[:-1], self._time
            else:
                head, end = record.line_of(entry, self._time)
            # We try the previous line's time first, which saves us a regular expression. It's
            # nearly always right, because all lines of a batch have the same time.
            if line != head + end:
                head = self._compared(entry, line, head)
            self._heads.append(head)
            if log and type(entry) is Sent and entry.to is None:
                self._public.append(entry.line)

    def _compared(self, entry: Entry | record.ExitEntry, line: bytes, head: bytes) -> bytes:
        """Compare a line with the expected entry, and return the part of the line to hash.

        Raises `DifferenceError` if they differ in more than the time, the form, or the wording of a
        fault or a disqualification.
        """
        if not line or self._reader.torn:
            raise _CutShortError
        if not line.startswith(head):
            older = record.older_heads(entry, self.match.definition)
            head = next((each for each in older if line.startswith(each)), head)
        if type(entry) is not Fault and record.is_timed(line, head):
            self._time = line[len(head) :]
            return head
        text = "the line is not what follows from those before it"
        if type(entry) is record.ExitEntry:
            text = _NO_EXIT.format(entry.player_number)
        difference = self._difference(line, head, type(entry), text)
        if not _is_wording(entry, line, self._decode(line)):
            raise self._differs(difference)
        self._wording = self._wording or difference
        return record.without_time(line)[: -len(b"}\n")]

    def _difference(
        self, line: bytes, expected: bytes | None, kind: type[Entry | record.ExitEntry], text: str
    ) -> Difference:
        edited = self._decode(line) is None
        if edited:
            text = "the line is not an entry of a record"
        return Difference(self._reader.line, line, expected, _SECTIONS[kind], text, edited)

    def _differs(self, difference: Difference) -> DifferenceError:
        is_other_game = record.is_of_other_game(self.header)
        return DifferenceError(self._reader.name, difference, is_other_game=is_other_game)


def rerun_of(name: str) -> Rerun:
    """Open a record to run its match again.

    Args:
        name: file name of the record, plain or compressed, or "-" for standard input.

    Raises:
        UsageError: the file can't be opened.
        LogReadError: the file isn't a record.
    """
    reader = LogReader(name)
    lines = _lines_of(reader)
    first = next(lines, b"")
    header = read_header(first)
    if not isinstance(header, record.Header):
        raise header.error(reader.name)
    return Rerun(reader, lines, header, first)


def _lines_of(reader: LogReader) -> Iterator[bytes]:
    with reader:
        yield from reader


def _is_wording(entry: Entry | record.ExitEntry, line: bytes, found: Struct | None) -> bool:
    """Return True if a line differs from the expected entry only in its `detail`."""
    if type(entry) is Fault and isinstance(found, record.FaultEntry):
        return line == b"".join(record.line_of(replace(entry, detail=found.detail), b""))
    if type(entry) is Disqualified and isinstance(found, record.DisqualifiedEntry):
        return record.is_timed(line, record.line_of(replace(entry, detail=found.detail), b"")[0])
    return False
