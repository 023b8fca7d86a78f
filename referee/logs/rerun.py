"""Run a recorded match again with the answers that its record has, round by round."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from referee.errors import LogReadError, ProtocolMisuseError
from referee.games import GAMES
from referee.games.interface.faults import Disqualification
from referee.games.interface.seats import seat_of
from referee.logs.read import numbered_entries
from referee.logs.record import (
    DisqualifiedEntry,
    EndEntry,
    Header,
    ReceivedEntry,
    SentEntry,
    StderrEntry,
    line_received,
)
from referee.match.machine import Entry, Match, Sent
from referee.match.spec import split
from referee.text.terminal import as_text


class Round(NamedTuple):
    """What one round of answers led to.

    Attributes:
        entries: what was said and noted, the answers first.
        time: seconds from the start of the bots to the last answer; 0 for the first requests.
        stderr: what bots wrote to stderr before these answers, if the record has it.
    """

    entries: list[Entry]
    time: float
    stderr: list[StderrEntry]


class Rerun:
    """A match that is run again.

    Args:
        name: of a match record, plain or compressed, or "-" for standard input.

    Attributes:
        header: of the record.
        match: as far as it was run.
        whole: whether the record was read to its end entry.

    Raises:
        UsageError: the file cannot be opened.
        LogReadError: it is no record.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._entries = numbered_entries(name)
        _, header = next(self._entries)
        assert isinstance(header, Header)  # every record begins with it
        self.header = header
        rules = GAMES[header.game]
        options, _ = split(rules, header.options)
        self.match = Match(rules, seats=len(header.bots), seed=header.seed, options=options)
        self.whole = False

    def rounds(self) -> Iterator[Round]:
        """Run the match on, to the end of its record.

        Raises:
            LogReadError: a line does not follow from those before it.
        """
        match = self.match
        match.start()
        entries = match.take_entries()
        yield Round(entries, 0.0, [])
        stderr: list[StderrEntry] = []
        sent = deque(entry.line for entry in entries if type(entry) is Sent)
        waiting = len(match.due)
        for number, entry in self._entries:
            if isinstance(entry, SentEntry):
                if not sent or sent.popleft() != bytes(entry.message) + b"\n":
                    raise self._unexpected(number)
            elif isinstance(entry, ReceivedEntry | DisqualifiedEntry):
                seat = seat_of(entry.player_number, len(match.names))
                if seat in match.disqualified:  # what it wrote has led to that
                    continue
                if seat is None or seat not in match.due:
                    raise self._unexpected(number)
                try:
                    if isinstance(entry, ReceivedEntry):
                        match.receive(seat, line_received(entry))
                    else:
                        match.disqualify(seat, Disqualification(entry.code), entry.detail)
                except (ProtocolMisuseError, ValueError):  # no line, no code
                    raise self._unexpected(number) from None
                waiting -= 1
                if not waiting:
                    entries = match.take_entries()
                    sent.extend(entry.line for entry in entries if type(entry) is Sent)
                    yield Round(entries, entry.time, stderr)
                    stderr = []
                    waiting = len(match.due)
            elif isinstance(entry, StderrEntry):
                stderr.append(entry)
            elif isinstance(entry, EndEntry):
                self.whole = True
        if stderr:  # last words
            yield Round([], stderr[-1].time, stderr)

    def _unexpected(self, line: int) -> LogReadError:
        problem = "does not follow from the lines before it; see referee verify"
        return LogReadError(as_text(self._name), line, problem)
