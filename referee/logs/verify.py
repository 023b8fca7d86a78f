r"""Verifying a match record: run the match again and compare every line (spec/log-format.md, 2).

The match is fed with what the record says of the bots: their `received` lines, and the
disqualifications that came from their processes or clocks. Every other line must be, but for the
value of its time field, what the match gives.

Two questions decide what a difference means: whether running the match again gives these lines,
and whether the digest in the last line fits the lines of the file:

    lines follow  digest fits
    yes           yes          it holds
    yes           no           edited where running it again cannot see it: header, exit codes,
                               the wording of a fault
    no            yes          the lines are as they were written, so the rules have changed
    no            no           edited

So the file is read to its end even after a difference, line by line. A record without its last line
is cut short, and holds as far as it goes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from referee._version import __version__
from referee.errors import LogReadError
from referee.games import GAMES
from referee.logs.files import LogFile
from referee.logs.record import (
    FORMAT,
    FORMAT_VERSION,
    DisqualifiedEntry,
    ExitEntry,
    FaultEntry,
    Header,
    ReceivedEntry,
    RecordEntry,
    end_of,
    entry_types,
    head_of,
    line_of,
)
from referee.logs.source import LogReader
from referee.match import MAX_SEED, Disqualified, Entry, Match, Received, Sent
from referee.match_spec import split
from referee.seam.faults import Disqualification, Fault
from referee.seam.seats import SEAT_IDS, seat_id
from referee.terminal import escaped
from referee.wire.decode import is_blank

_EXCERPT = 200  # characters of a line in a verdict
_BEFORE = 60  # of these, before the first byte that differs

_NUMBER = rb"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_TIME = re.compile(rb',"time":' + _NUMBER + rb"}\n")
_STARTED = re.compile(rb',"started":"[^"\\,]*"}\n')
_DIGEST = re.compile(rb'{"entry":"end",.*"digest":"(sha256:[0-9a-f]{64})"', re.DOTALL)
_HEADER = b'{"entry":"header"'
_SENT = {
    to: b'{"entry":"sent","to":"%s","message":' % name.encode()
    for to, name in ((None, "all"), *enumerate(SEAT_IDS))
}
_RECEIVED = b'{"entry":"received"'

_NOT_IN_HANDSHAKE = {Disqualification.UNSUPPORTED_VERSION, Disqualification.TIMEOUT}
_NOT_IN_GAME = {
    Disqualification.UNSUPPORTED_VERSION,  # only a reply leads to it
    Disqualification.FAILED_TO_START,
    Disqualification.STARTUP_TIMEOUT,
}

_received = msgspec.json.Decoder(ReceivedEntry)
_disqualified = msgspec.json.Decoder(DisqualifiedEntry)
_fault = msgspec.json.Decoder(FaultEntry)
_exit = msgspec.json.Decoder(ExitEntry)
_entry: msgspec.json.Decoder[RecordEntry] = msgspec.json.Decoder(RecordEntry)


class Kind(StrEnum):
    """What verifying a file has shown."""

    HOLDS = "holds"
    CUT_SHORT = "cut-short"
    EDITED = "edited"
    RULES_CHANGED = "rules-changed"
    NEWER_FORMAT = "newer-format"
    OTHER_GAME = "other-game"
    NO_RECORD = "no-record"


class Verdict(Struct, frozen=True):
    """What verifying one file has shown.

    Attributes:
        name: of the file, as it was given.
        kind: which of the cases it is.
        text: one line for people, the name included.
        line: of a difference or of what is no record, the line, counted from 1; of a record that
            was cut short, its last whole line (0 if none).
        expected: what follows from the lines before, around the first byte that differs.
        found: what the file has there.
        section: of spec/log-format.md, on the line that was expected.
        lines: how many whole lines the file has, as far as it could be read.
    """

    name: str
    kind: Kind
    text: str
    line: int | None = None
    expected: str | None = None
    found: str | None = None
    section: str | None = None
    lines: int = 0


def verify_record(name: str, *, log: LogFile | None = None) -> Verdict:
    """Run a record's match again and compare (spec/log-format.md, 2.10).

    Args:
        name: of a file, plain or compressed, or "-" for standard input.
        log: where to write the spectator log that follows, as far as the record holds.

    Raises:
        UsageError: the file cannot be opened.
        LogWriteError: `log` cannot be written.
    """
    with LogReader(name) as reader:
        return _Verification(reader, log).run()


class _CutShortError(Exception):
    """The file has no further whole line."""


class _NotOursError(Exception):
    """The file is nothing whose lines could be compared."""

    def __init__(self, kind: Kind, text: str, found: bytes = b"", section: str = "2.1") -> None:
        super().__init__(text)
        self.kind = kind
        self.found = found
        self.section = section


class _DifferenceError(Exception):
    """A line is not what follows from those before it.

    Args:
        line: its number.
        found: the line; empty where it is the digest that does not fit.
        expected: the line that follows, without its time field, or None if there is no one line.
        text: what is wrong.
        section: of spec/log-format.md.
        edited: it cannot come from a change of the rules.
    """

    def __init__(
        self,
        line: int,
        found: bytes,
        expected: bytes | None,
        text: str,
        section: str,
        *,
        edited: bool = False,
    ) -> None:
        super().__init__(text)
        self.line = line
        self.found = found
        self.expected = expected
        self.section = section
        self.edited = edited


class _Verification:
    """One file's verification."""

    def __init__(self, reader: LogReader, log: LogFile | None) -> None:
        self._reader = reader
        self._lines = iter(reader)
        self._log = log
        self._digest = hashlib.sha256()
        self._torn = False  # whether the line read last has no end
        self._header: Header | None = None
        self._wording: _DifferenceError | None = None  # the first; it counts if the digest does not

    def run(self) -> Verdict:
        try:
            return self._run()
        except _CutShortError:
            return self._cut_short()
        except _NotOursError as problem:
            found = _excerpt(problem.found, 0) if problem.found else None
            line = max(self._reader.line, 1)
            return self._verdict(
                problem.kind, str(problem), line, found=found, section=problem.section
            )
        except _DifferenceError as difference:
            return self._differs(difference)
        except LogReadError as error:
            if self._header is None:
                return self._verdict(Kind.NO_RECORD, error.problem, error.line)
            text = f"{error.problem}; it is valid up to line {error.line - 1}"
            return self._verdict(Kind.EDITED, text, error.line)

    # --- the record, from its first line to its last ------------------------------------------

    def _run(self) -> Verdict:
        line = next(self._lines, b"")
        self._header = header = self._read_header(line)
        self._digest.update(_without_time(line))
        self._rules = rules = GAMES[header.game]
        options, _ = split(rules, header.options)
        match = Match(rules, seats=len(header.bots), seed=header.seed, options=options)
        match.start()
        self._compare(match.take_entries(), self._next())
        handshakes = len(header.bots)
        while match.due:
            line = self._next()
            self._answer(match, line, _NOT_IN_HANDSHAKE if handshakes > 0 else _NOT_IN_GAME)
            self._compare(match.take_entries(), line)
            handshakes -= 1
        for seat in range(len(header.bots)):
            self._check_exit(seat, self._next())
        self._check_end(match, self._next())
        assert match.outcome is not None  # it is over
        winners = " and ".join(seat_id(seat) for seat in match.outcome.winners)
        bots = escaped(" vs ".join(bot[:_EXCERPT] for bot in header.bots))
        text = f"{self._whole} lines, seed {header.seed}, {bots}, {winners or 'nobody'} won"
        return Verdict(
            self._reader.name, Kind.HOLDS, f"{self._reader.name}: holds ({text})", lines=self._whole
        )

    def _next(self) -> bytes:
        line = next(self._lines, b"")
        self._check_whole(line)
        return line

    def _check_whole(self, line: bytes) -> None:
        if line[-1:] != b"\n":
            self._torn = bool(line)
            raise _CutShortError

    @property
    def _whole(self) -> int:
        """How many whole lines were read."""
        return self._reader.line - self._torn

    def _read_header(self, line: bytes) -> Header:
        """Take the first line, or say why this is no record to be verified."""
        if not line:
            raise _CutShortError
        if line.startswith(b"\xef\xbb\xbf"):
            raise _NotOursError(Kind.NO_RECORD, "it begins with a byte order mark", line)
        if _HEADER.startswith(line[: len(_HEADER)]):
            self._check_whole(line)
        if line.endswith(b"\r\n"):
            raise _NotOursError(Kind.NO_RECORD, r"its lines end in \r\n, a record's in \n", line)
        try:
            value = msgspec.json.decode(line)
        except (ValueError, RecursionError):
            raise _NotOursError(Kind.NO_RECORD, "no match record: no JSON", line) from None
        if isinstance(value, dict) and "entry" not in value and value.get("type") == "player-name":
            text = "this is a spectator log, no match record: `referee validate` checks those"
            raise _NotOursError(Kind.NO_RECORD, text, line, "1")
        if (
            not isinstance(value, dict)
            or value.get("entry") != "header"
            or value.get("format") != FORMAT
        ):
            text = f'no match record: the first line must be a header with "format":"{FORMAT}"'
            raise _NotOursError(Kind.NO_RECORD, text, line)
        return _checked_header(value, line)

    def _answer(self, match: Match, line: bytes, never: set[Disqualification]) -> None:
        """Give the match what a bot wrote, or what became of the bot, but for these codes."""
        seat = match.due[0]
        player = seat_id(seat)
        section = "2.3"
        try:
            if line.startswith(_RECEIVED):
                entry = _received.decode(line)
                raw = _raw(entry)
                if entry.player_number == player and self._is_possible(raw):
                    match.receive(seat, raw)
                    return
            else:
                section = "2.5"
                left = _disqualified.decode(line)
                code = Disqualification(left.code)
                if left.player_number == player and code not in never:
                    match.disqualify(seat, code, left.detail)
                    return
        except (ValueError, RecursionError):
            pass
        raise self._difference(line, None, f"an answer of {player} must follow here", section)

    def _is_possible(self, raw: bytes) -> bool:
        """Whether a bot can have written this as one line (protocol-v1, 1.1, 1.3)."""
        assert self._header is not None
        limit = self._header.options.line_limit
        return b"\n" not in raw and len(raw) <= limit and not is_blank(raw)

    def _compare(self, entries: list[Entry], line: bytes) -> None:
        """Compare the lines that the match gives, of which the first was read already."""
        lines = self._lines
        heads: list[bytes] = []
        time = b""
        try:
            for entry in entries:
                if heads:
                    line = next(lines, b"")
                if type(entry) is Sent:
                    head = _SENT[entry.to] + entry.line[:-1]
                    tail = time
                else:
                    head, tail = line_of(entry, time)
                # All that is written in one piece has one time, so this is nearly always so.
                if line != head + tail or not tail:
                    head, time = self._look_closely(entry, line, head, first=not heads)
                heads.append(head)
        finally:
            if self._log is not None:
                # Not those that were cut off or differ: as far as the record holds.
                self._log_public(self._log, entries[: len(heads)])
            heads.append(b"")
            self._digest.update(b"}\n".join(heads))

    def _look_closely(
        self, entry: Entry, line: bytes, head: bytes, *, first: bool
    ) -> tuple[bytes, bytes]:
        """Compare one line that has a time of its own, or differs.

        Returns:
            What the digest sees of it, without the closing brace, and its time field.
        """
        self._check_whole(line)
        timed = type(entry) is not Fault
        if timed and line.startswith(head) and _TIME.fullmatch(line, len(head)):
            return head, line[len(head) :]
        # The first line is what a bot or its process did; else the words are the referee's.
        if first or not _is_wording(entry, line):
            raise self._differs_from(entry, line, head)
        self._wording = self._wording or self._differs_from(entry, line, head)
        head = _without_time(line)[: -len(b"}\n")]
        return head, line[len(head) :] if timed else b""

    def _log_public(self, log: LogFile, entries: list[Entry]) -> None:
        public = [entry.line for entry in entries if type(entry) is Sent and entry.to is None]
        if public:
            log.write(b"".join(public))

    def _check_exit(self, seat: int, line: bytes) -> None:
        head = b""
        try:
            entry = _exit.decode(line)
            head = head_of(ExitEntry(seat_id(seat), entry.exit_code, 0))
        except (ValueError, RecursionError):
            pass
        if not head or not line.startswith(head) or not _TIME.fullmatch(line, len(head)):
            text = f"the exit entry of {seat_id(seat)} must follow here"
            raise self._difference(line, head or None, text, "2.6")
        self._digest.update(head + b"}\n")

    def _check_end(self, match: Match, line: bytes) -> None:
        digest = f"sha256:{self._digest.hexdigest()}"
        head = head_of(end_of(self._rules, match, digest, 0))
        number = self._reader.line
        fits = line.startswith(head) and _TIME.fullmatch(line, len(head))
        more = next(self._lines, b"")
        if more:
            raise _DifferenceError(
                number + 1, more, b"", "lines follow the end entry", "2.7", edited=True
            )
        if self._reader.cut:
            raise _CutShortError
        if fits:
            return
        claimed = _claimed_digest(line)
        with_claimed = head_of(end_of(self._rules, match, claimed or digest, 0))
        if line.startswith(with_claimed) and _TIME.fullmatch(line, len(with_claimed)):
            if self._wording is not None:
                raise self._wording
            text = (
                f"the digest over lines 1 to {number - 1} is not the one in the last line: "
                "something that running the match again cannot check was changed (header, exit "
                "codes, wording)"
            )
            raise _DifferenceError(number, line, head, text, "2.8", edited=True)
        text = "the end entry is not what follows from the match"
        raise _DifferenceError(number, line, head, text, "2.7", edited=True)

    def _differs_from(self, entry: Entry, line: bytes, head: bytes) -> _DifferenceError:
        text = "the line is not what follows from those before it"
        return self._difference(line, head, text, _section(entry))

    def _difference(
        self, line: bytes, expected: bytes | None, text: str, section: str
    ) -> _DifferenceError:
        number = self._reader.line
        try:
            _entry.decode(line)
        except (ValueError, RecursionError):
            text = "the line is no entry of a record"
            return _DifferenceError(number, line, expected, text, section, edited=True)
        return _DifferenceError(number, line, expected, text, section)

    # --- verdicts -----------------------------------------------------------------------------

    def _cut_short(self) -> Verdict:
        if not self._reader.line:
            return self._verdict(Kind.CUT_SHORT, "the file is empty: cut short after line 0", 0)
        text = f"cut short after line {self._whole}, valid so far"
        return self._verdict(Kind.CUT_SHORT, text, self._whole)

    def _differs(self, difference: _DifferenceError) -> Verdict:
        """Read on to the end for the digest, which says what the difference means."""
        fits, finished = False, True
        if not difference.edited:
            fits, finished = self._digest_of_the_rest(difference.found)
        assert self._header is not None  # only then lines are compared
        writer = escaped(self._header.referee[:_EXCERPT])
        other = writer != __version__
        if fits:
            kind = Kind.RULES_CHANGED
            text = (
                f"the digest fits, so the record is as referee {writer} wrote it, but the rules of "
                f"referee {__version__} give something else from here on"
            )
            if not other:
                text += ", of the same version: one of the two was altered"
        else:
            kind = Kind.EDITED
            text = f"edited: {difference}"
            if not finished:
                text += "; and the record is cut short, so that its digest is not there to ask"
            if other:
                text += (
                    f"; it may be the rules too: referee {writer} wrote it, this is {__version__}"
                )
        expected, found = difference.expected, difference.found
        place = 0 if expected is None else _first_difference(expected, found)
        shown = None
        if expected is not None:
            shown = _excerpt(expected, place) if expected else "the end of the file"
        return self._verdict(
            kind,
            text,
            difference.line,
            expected=shown,
            found=_excerpt(found, place),
            section=difference.section,
        )

    def _digest_of_the_rest(self, line: bytes) -> tuple[bool, bool]:
        """Whether the digest of the file fits its lines, and whether it is there."""
        last = line
        try:
            for later in self._lines:
                self._digest.update(_without_time(last))
                last = later
        except LogReadError:
            return False, False
        self._torn = last[-1:] != b"\n"
        claimed = _claimed_digest(last)
        if claimed is None or self._reader.cut:
            return False, False
        return claimed == f"sha256:{self._digest.hexdigest()}", True

    def _verdict(
        self,
        kind: Kind,
        text: str,
        line: int,
        *,
        expected: str | None = None,
        found: str | None = None,
        section: str | None = None,
    ) -> Verdict:
        name = self._reader.name
        where = name if kind is Kind.CUT_SHORT else f"{name}, line {line}"
        return Verdict(
            name, kind, f"{where}: {text}", line, expected, found, section, lines=self._whole
        )


def _checked_header(value: dict[str, Any], line: bytes) -> Header:
    """The header, if it is one that this referee can run."""
    version, game, protocol = value.get("version"), value.get("game"), value.get("protocol")
    if isinstance(version, int) and version > FORMAT_VERSION:
        text = (
            f"version {version} of the record format; this referee ({__version__}) reads versions "
            f"up to {FORMAT_VERSION}: get a newer referee"
        )
        raise _NotOursError(Kind.NEWER_FORMAT, text, line)
    if isinstance(game, str) and game not in GAMES:
        text = f'the game is "{escaped(game[:_EXCERPT])}"; there are: {", ".join(GAMES)}'
        raise _NotOursError(Kind.OTHER_GAME, text, line)
    if isinstance(game, str) and type(protocol) is int and protocol != GAMES[game].protocol:
        text = f"protocol version {protocol} of {game}; this referee speaks {GAMES[game].protocol}"
        raise _NotOursError(Kind.OTHER_GAME, text, line)
    try:
        header = msgspec.convert(value, Header)
        rules = GAMES[header.game]
        header = msgspec.convert(value, entry_types(rules).header)
    except msgspec.ValidationError as error:
        text = f"edited: no possible header: {escaped(str(error))}"
        raise _NotOursError(Kind.EDITED, text, line) from None
    started = line.rfind(b',"started":')
    problem = None
    if header.version != FORMAT_VERSION:
        problem = f"there is no version {header.version} of the format"
    elif not rules.min_seats <= len(header.bots) <= rules.max_seats:
        problem = f"{header.game} takes {rules.min_seats} to {rules.max_seats} bots"
    elif not 0 <= header.seed < MAX_SEED:
        problem = "the seed is not an integer from 0 to 2**53 - 1"
    elif started < 0 or not _STARTED.fullmatch(line, started):
        problem = "`started` is not the last field, or no time"
    if problem is not None:
        raise _NotOursError(Kind.EDITED, f"edited: no possible header: {problem}", line)
    return header


def _raw(entry: ReceivedEntry) -> bytes:
    """The line that a bot wrote; empty, which none can be, if the entry has none or two."""
    if isinstance(entry.line, str):
        return entry.line.encode() if entry.base64 is msgspec.UNSET else b""
    if isinstance(entry.base64, str):
        return base64.b64decode(entry.base64, validate=True)
    return b""


def _is_wording(entry: Entry, line: bytes) -> bool:
    """Whether a line differs from this entry in its `detail` alone."""
    try:
        if type(entry) is Fault:
            detail = _fault.decode(line).detail
            return line == b"".join(line_of(msgspec.structs.replace(entry, detail=detail), b""))
        if type(entry) is Disqualified:
            detail = _disqualified.decode(line).detail
            head, _ = line_of(msgspec.structs.replace(entry, detail=detail), b"")
            return line.startswith(head) and _TIME.fullmatch(line, len(head)) is not None
    except (ValueError, RecursionError):
        pass
    return False


def _without_time(line: bytes) -> bytes:
    """What the digest sees of a line (spec/log-format.md, 2.8)."""
    for field, pattern in ((b',"time":', _TIME), (b',"started":', _STARTED)):
        start = line.rfind(field)
        if start >= 0 and pattern.fullmatch(line, start):
            return line[:start] + b"}\n"
    return line


def _claimed_digest(line: bytes) -> str | None:
    """The digest in an end entry; None if the line is no whole end entry."""
    found = _DIGEST.match(line) if line[-1:] == b"\n" else None
    return found[1].decode() if found else None


def _section(entry: Entry) -> str:
    """The section of spec/log-format.md on such an entry."""
    if type(entry) is Sent:
        return "2.2"
    if type(entry) is Received:
        return "2.3"
    return "2.4" if type(entry) is Fault else "2.5"


def _first_difference(one: bytes, other: bytes) -> int:
    """The index of the first byte in which they differ."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _excerpt(line: bytes, place: int) -> str:
    """A line around a place in it, printable and not long."""
    start = max(0, place - _BEFORE)
    if start < 20:
        start = 0
    end = start + _EXCERPT
    text = escaped(line[start:end].rstrip(b"\n").decode(errors="backslashreplace"))
    cut = len(text) > _EXCERPT or end < len(line)
    return ("..." if start else "") + text[:_EXCERPT] + ("..." if cut else "")
