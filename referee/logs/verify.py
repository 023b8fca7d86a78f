"""Verifies a match record: runs the match again and compares every line (spec/log-format.md, 2).

We take the replies of the bots from the record, and also the disqualifications that depended on
processes or clocks. The match computes everything else, and every line must be the same as in the
record, except for the time.

The verdict depends on two questions. Does the match give the same lines again, i.e. is the record
reproducible? And does the digest in the last line match the other lines?

    reproducible  digest matches
    yes           yes             valid
    yes           no              modified in a part that is not recomputed: header, exit codes,
                                  the wording of a fault
    no            yes             unmodified, so the rules have changed
    no            no              modified

Because of the second question, we read the rest of the file even after a difference. A record
without its last line is truncated, and valid up to that point. We ignore the bots' stderr.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from referee._version import __version__
from referee.errors import LogReadError
from referee.games.interface.faults import Fault
from referee.games.interface.seats import seat_id, seat_ids
from referee.logs import record
from referee.logs.files import LogFile
from referee.logs.header import Kind as Kind
from referee.logs.header import read_header
from referee.logs.parsing import entry_kinds
from referee.logs.rerun import answer_in, played
from referee.logs.source import LogReader
from referee.match.machine import Disqualified, Entry, Received, Sent
from referee.text.terminal import escaped

# We show at most this many characters of a line, with the first difference in it, and at most
# `_BEFORE` characters before the difference.
_EXCERPT = 200
_BEFORE = 60

_HEADER = b'{"entry":"header"'
_RECEIVED = b'{"entry":"received"'
# The section of spec/log-format.md about each kind of entry.
_SECTIONS = {
    Sent: "2.2",
    Received: "2.3",
    Fault: "2.4",
    Disqualified: "2.5",
    record.ExitEntry: "2.6",
}

_NO_EXIT = "the exit entry of {} must follow here"


class Verdict(Struct, frozen=True):
    """The result of verifying a file.

    Attributes:
        name: the file name as given.
        kind: the verdict.
        text: an explanation in one line, including the name.
        line: number of the first different or invalid line, from 1. For a truncated record, the
            number of its last complete line, or 0 if it doesn't have one.
        expected: the part of the expected line around the first different byte.
        found: the same part of the line in the file.
        section: section of spec/log-format.md about the expected line.
        lines: number of complete lines in the readable part of the file.
    """

    name: str
    kind: Kind
    text: str
    line: int | None = None
    expected: str | None = None
    found: str | None = None
    section: str | None = None
    lines: int = 0


class _Difference(NamedTuple):
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


def verify_record(name: str, *, log: LogFile | None = None) -> Verdict:
    """Run a recorded match again, and compare it with the record (spec/log-format.md, 2.10).

    Args:
        name: file name of the record, plain or compressed, or "-" for standard input.
        log: where to write the spectator log of the match. We stop writing it at the first
            difference.

    Raises:
        UsageError: the file can't be opened.
        LogWriteError: `log` can't be written.
    """
    with LogReader(name) as reader:
        verification = _Verification(reader, log)
        try:
            return verification.run()
        except LogReadError as error:
            return verification.unreadable(error)
        finally:
            verification.flush()


class _Stopped(Exception):
    """Raised when we have a verdict before we've reached the end entry."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict


class _Verification:
    def __init__(self, reader: LogReader, log: LogFile | None) -> None:
        self._reader = reader
        self._all_lines = iter(reader)
        self._lines = self._without_stderr()
        self._log = log
        self._header: record.Header | None = None
        self._ahead = b""  # the next line, if we've peeked at it
        self._time = b""  # the time field of the last line that had one
        # The first line in which only the `detail` differs. Other versions of the referee may word
        # the `detail` differently, so we only report this line if the digest is wrong as well.
        self._wording: _Difference | None = None
        self._digest = hashlib.sha256()
        # lines that we haven't hashed yet, without their closing braces
        self._heads: list[bytes] = []
        self._public: list[bytes] = []  # lines that we haven't written to the spectator log yet

    def run(self) -> Verdict:
        line = next(self._lines, b"")
        if not line or (self._reader.torn and _HEADER.startswith(line[: len(_HEADER)])):
            return self._cut_short()
        header = read_header(line)
        if not isinstance(header, record.Header):
            found, section = _excerpt(line), header.section
            return self._verdict(header.kind, header.text, 1, found=found, section=section)
        self._begin(header, line)
        try:
            for entries, _ in played(self._match, self._answers()):
                self._compare(entries)
            self._compare(self._exits())
            return self._end(self._peek())
        except _Stopped as stopped:
            return stopped.verdict

    def _peek(self) -> bytes:
        """Return the next complete line without consuming it. At the end, raise `_Stopped`."""
        self._ahead = self._ahead or next(self._lines, b"")
        if not self._ahead or self._reader.torn:
            raise _Stopped(self._cut_short())
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

        Raises `_Stopped` if they differ in more than the time or the wording of a fault or a
        disqualification.
        """
        if not line or self._reader.torn:
            raise _Stopped(self._cut_short())
        if type(entry) is Received and not line.startswith(head):
            # Older versions of the referee only used Base64 for replies that weren't UTF-8.
            older = record.received_head(entry, most_escaped=math.inf)
            head = older if line.startswith(older) else head
        if type(entry) is not Fault and record.is_timed(line, head):
            self._time = line[len(head) :]
            return head
        text = "the line is not what follows from those before it"
        if type(entry) is record.ExitEntry:
            text = _NO_EXIT.format(entry.player_number)
        difference = self._difference(line, head, type(entry), text)
        if not _is_wording(entry, line, self._decode(line)):
            raise _Stopped(self._differs(difference))
        self._wording = self._wording or difference
        return record.without_time(line)[: -len(b"}\n")]

    def _without_stderr(self) -> Iterator[bytes]:
        reader = self._reader
        for line in self._all_lines:
            if not line.startswith(record.STDERR) or self._header is None:
                yield line
            elif not reader.torn and self._decode(line) is None:
                raise LogReadError(reader.name, reader.line, "the line is not an entry of a record")

    def _begin(self, header: record.Header, line: bytes) -> None:
        self._header = header
        self._heads.append(record.without_time(line)[: -len(b"}\n")])
        spec = record.spec_of(header)
        self._rules = spec.definition
        self._line_limits = [limits.line_limit for limits in spec.each_limits]
        self._decode = entry_kinds(spec.definition).decode
        self._players = seat_ids(len(spec.bots))
        self._begins = {to: record.sent_to(to) for to in (None, *range(len(spec.bots)))}
        self._match = spec.new_match()

    def flush(self) -> None:
        self._heads.append(b"")
        self._digest.update(b"}\n".join(self._heads))
        self._heads.clear()
        if self._log is not None and self._public:
            public = b"".join(self._public)
            self._public.clear()
            self._log.write(public)

    def _answers(self) -> Iterator[tuple[int, bytes | record.DisqualifiedEntry, float]]:
        while self._match.due:
            self.flush()
            line = self._peek()
            answer = answer_in(self._decode(line), self._match, self._line_limits)
            if answer is None:
                text = f"an answer of {seat_id(self._match.due[0])} must follow here"
                kind = Received if line.startswith(_RECEIVED) else Disqualified
                raise _Stopped(self._differs(self._difference(line, None, kind, text)))
            yield self._match.due[0], answer, 0.0

    def _exits(self) -> Iterator[record.ExitEntry]:
        # We can't compute exit codes, so we take them from the record.
        for player in self._players:
            self.flush()
            line = self._peek()
            entry = self._decode(line)
            if not isinstance(entry, record.ExitEntry):
                text = _NO_EXIT.format(player)
                raise _Stopped(self._differs(self._difference(line, None, record.ExitEntry, text)))
            yield record.ExitEntry(player, entry.exit_code, 0)
        self.flush()

    def _end(self, line: bytes) -> Verdict:
        reader, number = self._reader, self._reader.line
        more = next(self._all_lines, b"")
        if more:
            text = "lines follow the end entry"
            return self._differs(_Difference(number + 1, more, b"", "2.7", text, True))
        if reader.cut:
            return self._cut_short()
        digest = f"sha256:{self._digest.hexdigest()}"
        head = record.head_of(record.end_of(self._rules, self._match, digest, 0))
        if record.is_timed(line, head):
            assert self._header is not None
            assert self._match.outcome is not None  # no seat has to reply any more
            winners = " and ".join(seat_id(seat) for seat in self._match.outcome.winners)
            bots = escaped(" vs ".join(bot[:_EXCERPT] for bot in self._header.bots))
            text = f"{number} lines, seed {self._header.seed}, {bots}, {winners or 'nobody'} won"
            return Verdict(reader.name, Kind.VALID, f"{reader.name}: valid ({text})", lines=number)
        claimed = record.claimed_digest(line) or digest
        end = record.end_of(self._rules, self._match, claimed, 0)
        if not record.is_timed(line, record.head_of(end)):
            text = "the end entry is not what follows from the match"
            assert self._header is not None
            edited = not record.is_of_other_game(self._header)
            return self._differs(_Difference(number, line, head, "2.7", text, edited))
        text = (
            f"the digest over lines 1 to {number - 1} is not the one in the last line: something "
            "that running the match again cannot check was changed (header, exit codes, wording)"
        )
        return self._differs(self._wording or _Difference(number, line, head, "2.8", text, True))

    def unreadable(self, error: LogReadError) -> Verdict:
        if self._header is None:
            return self._verdict(Kind.NOT_A_RECORD, error.problem, error.line)
        text = f"{error.problem}; it is valid up to line {error.line - 1}"
        return self._verdict(Kind.MODIFIED, text, error.line)

    def _cut_short(self) -> Verdict:
        whole = self._reader.whole
        text = f"truncated after line {whole}, valid so far"
        if not self._reader.line:
            text = "the file is empty: truncated after line 0"
        return self._verdict(Kind.TRUNCATED, text, whole)

    def _difference(
        self, line: bytes, expected: bytes | None, kind: type[Entry | record.ExitEntry], text: str
    ) -> _Difference:
        edited = self._decode(line) is None
        if edited:
            text = "the line is not an entry of a record"
        return _Difference(self._reader.line, line, expected, _SECTIONS[kind], text, edited)

    def _differs(self, difference: _Difference) -> Verdict:
        """Read the rest of the file to check its digest, and return the verdict."""
        self.flush()
        line, found, expected, section, problem, edited = difference
        fits, finished = (False, True) if edited else self._digest_of_the_rest(found)
        assert self._header is not None  # run() has read it
        writer = escaped(self._header.referee[:_EXCERPT])
        other = writer != __version__
        is_other_game = record.is_of_other_game(self._header)
        kind = Kind.RULES_CHANGED if fits else Kind.MODIFIED
        if is_other_game and not edited and (fits or not finished):
            kind = Kind.RULES_CHANGED
            text = "it is of another version of the game, which gives something else from here on"
            text += "" if fits else "; and the record is truncated, so its digest is missing"
        elif is_other_game:
            text = f"modified: {problem}; it is also of another version of the game"
        elif fits:
            text = (
                f"the digest fits, so the record is as referee {writer} wrote it, but the rules of "
                f"referee {__version__} give something else from here on"
            )
            text += "" if other else ", of the same version: one of the two was altered"
        else:
            rules = f"; it may be the rules too: referee {writer} wrote it, this is {__version__}"
            cut = "" if finished else "; and the record is truncated, so its digest is missing"
            text = f"modified: {problem}{cut}{rules if other else ''}"
        place, shown = 0, None
        if expected is not None:
            equal = (due == is_there for due, is_there in zip(expected, found, strict=False))
            place = next((i for i, same in enumerate(equal) if not same), len(expected))
            shown = _excerpt(expected, place) if expected else "the end of the file"
        parts = {"expected": shown, "found": _excerpt(found, place), "section": section}
        return self._verdict(kind, text, line, **parts)

    def _digest_of_the_rest(self, line: bytes) -> tuple[bool, bool]:
        """Return whether the record's digest is right, and whether there is a digest at all."""
        try:
            for later in self._lines:
                self._digest.update(record.without_time(line))
                line = later
        except LogReadError:
            return False, False
        claimed = None if self._reader.cut else record.claimed_digest(line)
        return claimed == f"sha256:{self._digest.hexdigest()}", claimed is not None

    def _verdict(self, kind: Kind, text: str, line: int, **difference: str | None) -> Verdict:
        name = self._reader.name
        where = name if kind is Kind.TRUNCATED else f"{name}, line {line}"
        # If the file isn't a record, we've only read one line. Count that line even if it's
        # truncated.
        lines = self._reader.line if kind is Kind.NOT_A_RECORD else self._reader.whole
        return Verdict(name, kind, f"{where}: {text}", line, lines=lines, **difference)


def _is_wording(entry: Entry | record.ExitEntry, line: bytes, found: Struct | None) -> bool:
    """Return True if a line differs from the expected entry only in its `detail`."""
    if type(entry) is Fault and isinstance(found, record.FaultEntry):
        return line == b"".join(record.line_of(replace(entry, detail=found.detail), b""))
    if type(entry) is Disqualified and isinstance(found, record.DisqualifiedEntry):
        return record.is_timed(line, record.line_of(replace(entry, detail=found.detail), b"")[0])
    return False


def _excerpt(line: bytes, place: int = 0) -> str:
    start = max(0, place - _BEFORE)
    if start < 20:
        start = 0
    end = start + _EXCERPT
    text = escaped(line[start:end].rstrip(b"\n").decode(errors="backslashreplace"))
    cut = len(text) > _EXCERPT or end < len(line)
    return ("..." if start else "") + text[:_EXCERPT] + ("..." if cut else "")
