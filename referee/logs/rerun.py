"""Run a match again from recorded replies, round by round."""

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
    """The effects of one round of replies.

    Attributes:
        entries: the entries of the round, beginning with the replies.
        time: seconds from the start of the bots to the last reply. 0 for the first requests.
        stderr: the bots' stderr output before these replies, if recorded.
    """

    entries: list[Entry]
    time: float
    stderr: list[record.StderrEntry]


def played(
    match: Match, answers: Iterable[tuple[int, Any, float]]
) -> Iterator[tuple[list[Entry], float]]:
    """Play a match with known replies until they run out.

    Args:
        match: a match that wasn't started yet.
        answers: (seat, line or disqualification, seconds). The next answer is only taken when the
            match needs it.

    Yields:
        The entries after the start and after each reply, and the seconds of the reply.
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
    """Like `played`, but yields once per round, with the seconds of the last reply."""
    entries: list[Entry] = []
    waiting = 1  # the start, which isn't a reply
    for more, seconds in played(match, answers):
        entries += more
        waiting -= 1
        if not waiting:
            yield entries, seconds
            entries, waiting = [], len(match.due)


def answer_in(
    entry: Struct | None, match: Match, line_limits: Sequence[int]
) -> bytes | record.DisqualifiedEntry | None:
    """Return the reply of the first due seat if the entry contains it, otherwise None.

    It's enough to look at the first due seat, because the replies of a round and the due seats are
    both in seat order. An entry that no referee would have written isn't accepted, such as a line
    that is too long, which would have been a disqualification.

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
    """Runs the match of a record again.

    Args:
        name: file name of the record, plain or compressed, or "-" for standard input.

    Attributes:
        match: the match in its current state.
        whole: True once the end entry was read.
        digest: the digest of the record, once everything was read and the digest equals the end
            entry's. Otherwise empty.

    Raises:
        UsageError: the file can't be opened.
        LogReadError: the file isn't a record.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lines = record.LinesDigest()
        self._entries = numbered_entries(name, self._lines)
        _, header = next(self._entries)
        assert isinstance(header, record.Header)  # the first entry of a record
        self.header = header
        spec = record.spec_of(header)
        self._rules = spec.definition
        self.match = spec.new_match()
        self._line_limits = [limits.line_limit for limits in spec.each_limits]
        self.whole = False
        self.digest = ""
        self._sent: deque[bytes] = deque()  # lines that must follow in the record
        self._stderr: list[record.StderrEntry] = []  # since the previous round

    def rounds(self) -> Iterator[Round]:
        """Run the match to the end of the record.

        Raises:
            LogReadError: a line doesn't follow from the lines before it.
        """
        for entries, time in rounds(self.match, self._answers()):
            self._sent.extend(entry.line for entry in entries if type(entry) is Sent)
            yield Round(entries, time, self._stderr)
            self._stderr = []
        if self.match.outcome is not None:
            end = record.end_of(self._rules, self.match, self._lines.text, 0)
            if record.is_timed(self._lines.last, record.head_of(end)):
                self.digest = self._lines.text
        if self._stderr:  # the bots wrote this after the last reply
            yield Round([], self._stderr[-1].time, self._stderr)

    def _answers(self) -> Iterator[tuple[int, bytes | record.DisqualifiedEntry, float]]:
        match, sent = self.match, self._sent
        for number, entry in self._entries:
            if self.whole:  # nothing may follow the end entry
                raise self._unexpected(number)
            if isinstance(entry, record.SentEntry):
                if not sent or sent.popleft() != bytes(entry.message) + b"\n":
                    raise self._unexpected(number)
            elif isinstance(entry, record.ReceivedEntry | record.DisqualifiedEntry):
                if seat_of(entry.player_number, len(match.names)) in match.disqualified:
                    continue  # this reply led to a disqualification, which was already processed
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
        if record.is_of_other_game(self.header):
            problem = (
                "does not follow from the lines before it in this version of the game: give the "
                "file of the game that was played, or see referee verify"
            )
        return LogReadError(as_text(self._name), line, problem)
