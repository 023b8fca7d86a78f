"""Run a match again, round by round, with the answers that were kept or that its record has."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from referee.errors import LogReadError
from referee.games.interface.faults import Disqualification
from referee.games.interface.seats import seat_of
from referee.logs import record
from referee.logs.read import numbered_entries
from referee.match.decode import is_blank
from referee.match.machine import Entry, Match, Sent
from referee.text.terminal import as_text


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


def rounds(
    match: Match, answers: Iterable[tuple[int, Any, float]]
) -> Iterator[tuple[list[Entry], float]]:
    """Play a match with answers that are known, as far as they go.

    Args:
        match: not yet started.
        answers: the seat; its line, or the `code` and `detail` of why it leaves; the seconds. Each
            is taken only when the match needs it.

    Yields:
        For each round what it led to, and the seconds of its last answer.
    """
    match.start()
    yield match.take_entries(), 0.0
    waiting = len(match.due)
    for seat, answer, seconds in answers:
        if isinstance(answer, bytes):
            match.receive(seat, answer)
        else:
            match.disqualify(seat, Disqualification(answer.code), answer.detail)
        waiting -= 1
        if not waiting:
            yield match.take_entries(), seconds
            waiting = len(match.due)


class Rerun:
    """A match that is run again.

    Args:
        name: of a match record, plain or compressed, or "-" for standard input.

    Attributes:
        match: as far as it was run.
        whole: whether the record was read to its end entry.

    Raises:
        UsageError: the file cannot be opened.
        LogReadError: it is not a record.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._entries = numbered_entries(name)
        _, header = next(self._entries)
        assert isinstance(header, record.Header)  # every record begins with it
        self.header = header
        self.match = record.spec_of(header).new_match()
        self.whole = False
        self._sent: deque[bytes] = deque()  # what the record must have next
        self._stderr: list[record.StderrEntry] = []  # since the last round

    def rounds(self) -> Iterator[Round]:
        """Run the match on, to the end of its record.

        Raises:
            LogReadError: a line does not follow from those before it.
        """
        for entries, time in rounds(self.match, self._answers()):
            self._sent.extend(entry.line for entry in entries if type(entry) is Sent)
            yield Round(entries, time, self._stderr)
            self._stderr = []
        if self._stderr:  # last words
            yield Round([], self._stderr[-1].time, self._stderr)

    def _answers(self) -> Iterator[tuple[int, bytes | record.DisqualifiedEntry, float]]:
        """The answers of the bots; the lines between them that were sent are compared."""
        match, sent = self.match, self._sent
        for number, entry in self._entries:
            if isinstance(entry, record.SentEntry):
                if not sent or sent.popleft() != bytes(entry.message) + b"\n":
                    raise self._unexpected(number)
            elif isinstance(entry, record.ReceivedEntry | record.DisqualifiedEntry):
                seat = seat_of(entry.player_number, len(match.names))
                if seat in match.disqualified:  # what it wrote has led to that
                    continue
                if seat is None or seat not in match.due:
                    raise self._unexpected(number)
                if isinstance(entry, record.ReceivedEntry):
                    line = record.line_received(entry)
                    if b"\n" in line or is_blank(line):
                        raise self._unexpected(number)
                    yield seat, line, entry.time
                elif entry.code in set(Disqualification):
                    yield seat, entry, entry.time
                else:
                    raise self._unexpected(number)
            elif isinstance(entry, record.StderrEntry):
                self._stderr.append(entry)
            elif isinstance(entry, record.EndEntry):
                self.whole = True

    def _unexpected(self, line: int) -> LogReadError:
        problem = "does not follow from the lines before it; see referee verify"
        return LogReadError(as_text(self._name), line, problem)
