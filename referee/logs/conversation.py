"""What the bots of a recorded match answered and were sent, to debug a bot with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from referee.errors import LogReadError, UsageError
from referee.games import GAMES
from referee.games.interface.faults import Disqualification
from referee.games.interface.seats import seat_ids, seat_of
from referee.logs.read import numbered_entries, read_record
from referee.logs.record import (
    DisqualifiedEntry,
    Header,
    ReceivedEntry,
    RecordedAnswer,
    SentEntry,
    line_received,
)
from referee.match.machine import Match
from referee.match.spec import split
from referee.text.terminal import as_text


class RecordedAnswers(NamedTuple):
    """The answers of a match before one of its turns.

    Attributes:
        header: of the record.
        answers: for each seat, in order. The handshake is left to the bot, which may have another
            name, unless its seat was lost in it.
    """

    header: Header
    answers: list[list[RecordedAnswer]]

    @property
    def settings(self) -> dict[str, Any]:
        """The game's options and the limits of the bots, by name."""
        return msgspec.structs.asdict(self.header.options)


def answers_before(name: str, turn: int) -> RecordedAnswers:
    """Read a match record up to a turn, running its match again.

    Args:
        name: of a file, plain or compressed, or "-" for standard input.
        turn: the first that is not read, counted from 1; all players' turns count.

    Raises:
        UsageError: the file cannot be opened, or the match has no such turn.
        LogReadError: it is no record, or its lines do not follow from each other.
    """
    entries = numbered_entries(name)
    _, header = next(entries)
    assert isinstance(header, Header)  # every record begins with it
    rules = GAMES[header.game]
    options, _ = split(rules, header.options)
    match = Match(rules, seats=len(header.bots), seed=header.seed, options=options)
    match.start()
    answers: list[list[RecordedAnswer]] = [[] for _ in header.bots]
    for line, entry in entries:
        if match.turns >= turn or not match.due:
            break
        if not isinstance(entry, ReceivedEntry | DisqualifiedEntry):
            continue
        seat = seat_of(entry.player_number, len(header.bots))
        if seat in match.disqualified:  # what it wrote has led to that
            continue
        if seat is None or seat not in match.due:
            problem = "does not follow from the lines before it; see referee verify"
            raise LogReadError(as_text(name), line, problem)
        if isinstance(entry, ReceivedEntry):
            raw = line_received(entry)
            match.receive(seat, raw)
            answers[seat].append(raw)
        else:
            match.disqualify(seat, Disqualification(entry.code), entry.detail)
            answers[seat].append(entry)
        match.take_entries()
    for seat, given in enumerate(answers):
        if len(given) > 1 or seat not in match.disqualified:
            given[:1] = [None]
    if match.turns < turn:
        turns = "1 turn" if match.turns == 1 else f"{match.turns} turns"
        raise UsageError(f"{name}: there is no turn {turn}, the match has {turns}")
    return RecordedAnswers(header, answers)


def input_of(name: str, player: str) -> Iterator[bytes]:
    """The lines that a bot was sent in a recorded match, as they were.

    A bot that spoke a dialect was sent their translation.

    Args:
        name: of a file, plain or compressed, or "-" for standard input.
        player: whose input, such as "player2".

    Raises:
        UsageError: the file cannot be opened, or the match has no such player.
        LogReadError: it is no record, or cannot be read on.
    """
    entries = read_record(name)
    header = next(entries)
    assert isinstance(header, Header)  # every record begins with it
    if seat_of(player, len(header.bots)) is None:
        names = " ".join(seat_ids(len(header.bots)))
        raise UsageError(f"{name}: there is no {player!r}; there are: {names}")
    for entry in entries:
        if isinstance(entry, SentEntry) and entry.to in ("all", player):
            yield bytes(entry.message) + b"\n"
        elif isinstance(entry, DisqualifiedEntry) and entry.player_number == player:
            return
