"""Run a match again, round by round, with the answers that were kept or that its record has."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from referee.errors import LogReadError
from referee.games.interface.faults import Disqualification
from referee.games.interface.seats import seat_id, seat_of
from referee.logs import record
from referee.logs.entries import numbered_entries
from referee.match.decode import is_blank
from referee.match.machine import Entry, Match, Sent
from referee.text.terminal import as_text

_WITHOUT_REPLY = set(Disqualification) - {Disqualification.UNSUPPORTED_VERSION}
_IN_HANDSHAKE = _WITHOUT_REPLY - {Disqualification.TIMEOUT}
_IN_GAME = _WITHOUT_REPLY - {Disqualification.FAILED_TO_START, Disqualification.STARTUP_TIMEOUT}


class Round(NamedTuple):
    """What one round of answers led to.

    Attributes:
        entries: the lines and notes of the round, the answers first.
        time: seconds from the start of the bots to the last answer; 0 for the first requests.
        stderr: the bots' output on stderr before these answers, if the record has it.
    """

    entries: list[Entry]
    time: float
    stderr: list[record.StderrEntry]


def played(
    match: Match, answers: Iterable[tuple[int, Any, float]]
) -> Iterator[tuple[list[Entry], float]]:
    """Play a match with answers that are known, as far as they go.

    Args:
        match: not yet started.
        answers: the seat; its line, or the `code` and `detail` of why it leaves; the seconds. Each
            is taken only when the match needs it.

    Yields:
        What the start and each answer led to, and the seconds of the answer.
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
    match: Match, answers: Iterable[tuple[int, Any, float]]
) -> Iterator[tuple[list[Entry], float]]:
    """As `played`, but for each round, with the seconds of its last answer."""
    entries: list[Entry] = []
    waiting = 1  # for the start, which no answer leads to
    for more, seconds in played(match, answers):
        entries += more
        waiting -= 1
        if not waiting:
            yield entries, seconds
            entries, waiting = [], len(match.due)


def answer_in(
    entry: Struct | None, match: Match, line_limits: Sequence[int]
) -> bytes | record.DisqualifiedEntry | None:
    """The answer of the seat that is due first, if an entry of its record can be one.

    A round's answers are in the order of seats, and so are the seats that are due.

    Args:
        line_limits: for each seat the bytes of a line that its bot can have written (protocol,
            1.3).
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
    """A match that is run again.

    Args:
        name: of a match record, plain or compressed, or "-" for standard input.

    Attributes:
        match: as far as it was run.
        whole: whether the record was read to its end entry.
        digest: of its lines, once all were read, if the end entry is what follows from the match
            and has this digest. Otherwise empty.

    Raises:
        UsageError: the file cannot be opened.
        LogReadError: it is not a record.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lines = record.LinesDigest()
        self._entries = numbered_entries(name, self._lines)
        _, header = next(self._entries)
        assert isinstance(header, record.Header)  # every record begins with it
        self.header = header
        spec = record.spec_of(header)
        self._rules = spec.rules
        self.match = spec.new_match()
        self._line_limits = [limits.line_limit for limits in spec.each_limits]
        self.whole = False
        self.digest = ""
        self._sent: deque[bytes] = deque()  # what the record must have next
        self._stderr: list[record.StderrEntry] = []  # since the last round

    def rounds(self) -> Iterator[Round]:
        """Run the match to the end of its record; raises `LogReadError` where it does not fit."""
        for entries, time in rounds(self.match, self._answers()):
            self._sent.extend(entry.line for entry in entries if type(entry) is Sent)
            yield Round(entries, time, self._stderr)
            self._stderr = []
        if self.match.outcome is not None:
            end = record.end_of(self._rules, self.match, self._lines.text, 0)
            if record.is_timed(self._lines.last, record.head_of(end)):
                self.digest = self._lines.text
        if self._stderr:  # last words
            yield Round([], self._stderr[-1].time, self._stderr)

    def _answers(self) -> Iterator[tuple[int, bytes | record.DisqualifiedEntry, float]]:
        """The answers of the bots; the lines between them that were sent are compared."""
        match, sent = self.match, self._sent
        for number, entry in self._entries:
            if self.whole:  # the end entry is the last line
                raise self._unexpected(number)
            if isinstance(entry, record.SentEntry):
                if not sent or sent.popleft() != bytes(entry.message) + b"\n":
                    raise self._unexpected(number)
            elif isinstance(entry, record.ReceivedEntry | record.DisqualifiedEntry):
                if seat_of(entry.player_number, len(match.names)) in match.disqualified:
                    continue  # what it wrote has led to that
                answer = answer_in(entry, match, self._line_limits)
                if answer is None:
                    raise self._unexpected(number)
                yield match.due[0], answer, entry.time
            elif isinstance(entry, record.StderrEntry):
                self._stderr.append(entry)
            elif isinstance(entry, record.EndEntry):
                self.whole = True

    def _unexpected(self, line: int) -> LogReadError:
        problem = "does not follow from the lines before it; see referee verify"
        return LogReadError(as_text(self._name), line, problem)
