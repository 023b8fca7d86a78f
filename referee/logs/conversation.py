"""The lines of a recorded match, to and from its bots, to debug a bot with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from referee.errors import UsageError
from referee.games.interface.seats import seat_id, seat_ids, seat_of
from referee.logs import record
from referee.logs.entries import read_record
from referee.logs.rerun import Rerun
from referee.match.machine import Disqualified, Received
from referee.match.position import Position
from referee.text.terminal import as_text


class RecordedAnswers(NamedTuple):
    """The answers of a match before one of its turns.

    Attributes:
        answers: for each seat, in order. The handshake is left to the bot, which may have another
            name, unless its seat was lost in it.
        left: the seats that had left the match.
        can_reshuffle: whether the game can deal again what no seat knows.
    """

    header: record.Header
    answers: list[list[record.RecordedAnswer]]
    left: frozenset[int] = frozenset()
    can_reshuffle: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """The game's options and the limits of the bots, as `match_spec` takes them."""
        return record.spec_of(self.header).by_name

    def position(self, name: str, turn: int) -> Position:
        """The position at this turn, before which all answers were given.

        Args:
            name: of the record.

        Raises:
            UsageError: a seat had left the match, or the game cannot deal hidden cards again.
        """
        if self.left:
            left = seat_id(min(self.left))
            raise UsageError(
                f"{name}: {left} left the match before turn {turn}; give an earlier turn"
            )
        if not self.can_reshuffle:
            raise UsageError(f"{self.header.game} cannot deal hidden cards again")
        before = tuple(each for each in self.header.redeals or () if each.turn < turn)
        answers = tuple(
            tuple(line for line in lines if not isinstance(line, record.DisqualifiedEntry))
            for lines in self.answers
        )
        return Position(as_text(name), turn, self.header.seed, before, answers)


def answers_before(name: str, turn: int | None) -> RecordedAnswers:
    """Read a match record up to a turn, running its match again.

    Args:
        name: of a file, plain or compressed, or "-" for standard input.
        turn: the first that is not read, counted from 1; all players' turns count. None: all
            is read of a match that was cut off.

    Raises:
        UsageError: the file cannot be opened, the match has no such turn, or it was not cut off.
        LogReadError: it is not a record, or its lines do not follow from each other.
    """
    rerun = Rerun(name)
    header, match = rerun.header, rerun.match
    answers: list[list[record.RecordedAnswer]] = [[] for _ in header.bots]
    for entries, time, _ in rerun.rounds():
        written = set()
        for entry in entries:
            if type(entry) is Received:
                written.add(entry.seat)
                answers[entry.seat].append(entry.line)
            elif type(entry) is Disqualified and entry.seat not in written:
                left = record.DisqualifiedEntry(seat_id(entry.seat), entry.code, entry.detail, time)
                answers[entry.seat].append(left)
        if turn is not None and match.turns >= turn:
            break
    if turn is None and match.outcome is not None:
        raise UsageError(f"{name}: the match is over; --turn N says from where it is played again")
    for seat, given in enumerate(answers):
        if len(given) > 1 or seat not in match.disqualified:
            given[:1] = [None]
    if turn is not None and match.turns < turn:
        turns = "1 turn" if match.turns == 1 else f"{match.turns} turns"
        raise UsageError(f"{name}: turn {turn} does not exist, the match has {turns}")
    return RecordedAnswers(header, answers, frozenset(match.disqualified), match.can_reshuffle)


def position_at(name: str, turn: int) -> tuple[record.Header, Position]:
    """Read a turn of a match record, from which other matches are played.

    Args:
        name: of a file, plain or compressed, or "-" for standard input.
        turn: counted from 1; all players' turns count.

    Raises:
        UsageError: the file cannot be opened, the match has no such turn, a player had left it
            before, or its game cannot deal again what no seat knows.
        LogReadError: it is not a record, or its lines do not follow from each other.
    """
    resumed = answers_before(name, turn)
    return resumed.header, resumed.position(name, turn)


def input_of(name: str, player: str) -> Iterator[bytes]:
    """The lines that a bot was sent in a recorded match, as they were.

    A bot that spoke a dialect was sent their translation.

    Args:
        name: of a file, plain or compressed, or "-" for standard input.
        player: whose input, such as "player2".

    Raises:
        UsageError: the file cannot be opened, or the match has no such player.
        LogReadError: it is not a record, or a later line cannot be read.
    """
    entries = read_record(name)
    header = next(entries)
    assert isinstance(header, record.Header)  # every record begins with it
    if seat_of(player, len(header.bots)) is None:
        names = " ".join(seat_ids(len(header.bots)))
        raise UsageError(f"{name}: {player!r} does not exist; there are: {names}")
    for entry in entries:
        if isinstance(entry, record.SentEntry) and entry.to in ("all", player):
            yield bytes(entry.message) + b"\n"
        elif isinstance(entry, record.DisqualifiedEntry) and entry.player_number == player:
            return
