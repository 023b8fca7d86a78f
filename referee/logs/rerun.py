"""Runs a match again from recorded replies, round by round."""

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
    match: Match, answers: Iterable[tuple[int, Any, float]]
) -> Iterator[tuple[list[Entry], float]]:
    """Like `played`, but yield once per round, with the time of its last reply."""
    entries: list[Entry] = []
    waiting = 1  # the first item is for the start of the match
    for more, seconds in played(match, answers):
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
    """Runs the match of a record again.

    Args:
        name: file name of the record, plain or compressed, or "-" for standard input.

    Attributes:
        match: the match, in the state that we've reached so far.
        whole: True once we've read the end entry.
        digest: the digest of the record, which we set at the end of the record if the end entry is
            correct. Before that, it's empty.

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
        self._sent: deque[bytes] = deque()  # messages that the record must contain next
        self._stderr: list[record.StderrEntry] = []  # stderr entries since the previous round

    def rounds(self) -> Iterator[Round]:
        """Run the match to the end of the record, and yield after each round.

        Raises:
            LogReadError: a line doesn't follow from the lines before it.
        """
        redeals, left = self.header.redeals or (), self.header.opening or 0
        first_turn, is_opening = redeals[-1].turn if redeals else 0, False
        for entries, time in rounds(self.match, self._answers()):
            self._sent.extend(entry.line for entry in entries if type(entry) is Sent)
            yield Round(entries, time, self._stderr, is_opening)
            self._stderr = []
            left -= is_opening
            is_ready = not self.match.in_handshake and self.match.turns >= first_turn
            is_opening = is_ready and left > 0
        if self.match.outcome is not None:
            end = record.end_of(self._rules, self.match, self._lines.text, 0)
            if record.is_timed(self._lines.last, record.head_of(end)):
                self.digest = self._lines.text
        if self._stderr:  # some bots wrote more after the last reply
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
                    # This reply led to a disqualification, which we've already processed.
                    continue
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
