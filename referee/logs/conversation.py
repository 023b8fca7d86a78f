"""Reads the replies and requests of a match from its record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from referee.errors import UsageError
from referee.games.interface.counts import plural
from referee.games.interface.seats import seat_id, seat_ids, seat_of
from referee.logs import record
from referee.logs.entries import read_record
from referee.logs.rerun import rerun_of
from referee.match.limits import SANDBOXED
from referee.match.machine import Disqualified, Received
from referee.match.position import Position
from referee.text.terminal import as_text


class RecordedAnswers(NamedTuple):
    """The replies that were given in a match before one of its turns.

    Attributes:
        answers: for each seat, its replies in order. The first is None, because a new bot answers
            the handshake itself, unless the seat left during the handshake.
        left: the seats that had left the match before that turn.
        can_redeal: True if the game can deal hidden cards again.
        opening: length of the record's opening if all of it comes before that turn, otherwise 0.
    """

    header: record.Header
    answers: list[list[record.RecordedAnswer]]
    left: frozenset[int] = frozenset()
    can_redeal: bool = False
    opening: int = 0

    @property
    def settings(self) -> dict[str, Any]:
        """The match's options and limits, as keyword arguments for `match_spec`."""
        return record.spec_of(self.header).by_name

    @property
    def limits_of_bots(self) -> list[dict[str, Any]]:
        """For each seat, the limits that the record only sets for this seat's bot.

        We ignore entries that lift a limit of the sandbox. A record may come from a stranger, and
        resuming it mustn't weaken the sandbox.
        """
        each = self.header.limits_of_bots or [{} for _ in self.header.bots]
        return [
            {name: most for name, most in own.items() if most is not None or name not in SANDBOXED}
            for own in each
        ]

    def position(self, name: str, turn: int) -> Position:
        """Return a position from which new matches can start.

        Args:
            name: file name of the record, for messages.
            turn: number of the turn.

        Raises:
            UsageError: a seat had left the match, or the game can't redeal hidden cards.
        """
        if self.left:
            left = seat_id(min(self.left))
            hint = "give an earlier turn" if turn > 1 else "no turn can be played again"
            raise UsageError(f"{name}: {left} left the match before turn {turn}; {hint}")
        if not self.can_redeal:
            raise UsageError(f"{self.header.game} cannot deal hidden cards again")
        before = tuple(each for each in self.header.redeals or () if each.turn < turn)
        answers = tuple(
            tuple(line for line in lines if not isinstance(line, record.DisqualifiedEntry))
            for lines in self.answers
        )
        return Position(as_text(name), turn, self.header.seed, before, answers)


def answers_before(name: str, turn: int | None) -> RecordedAnswers:
    """Run a recorded match up to a turn, and return the replies that came before it.

    Args:
        name: file name of the record, plain or compressed, or "-" for standard input.
        turn: stop before this turn, counting the turns of all players from 1. If it's None, the
            record must be truncated, and we return all its replies.

    Raises:
        UsageError: the file can't be opened, the match has no such turn, or the record isn't
            truncated.
        LogReadError: the file isn't a valid record.
    """
    rerun = rerun_of(name)
    header, match = rerun.header, rerun.match
    answers: list[list[record.RecordedAnswer]] = [[] for _ in header.bots]
    drawn = 0
    for entries, time, _, is_opening in rerun.rounds():
        drawn += is_opening
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
        raise UsageError(
            f"{name}: turn {turn} does not exist, the match has {plural(match.turns, 'turn')}"
        )
    opening = drawn if drawn == header.opening else 0
    gone = frozenset(match.disqualified)
    return RecordedAnswers(header, answers, gone, match.can_redeal, opening)


def position_at(name: str, turn: int) -> tuple[record.Header, Position]:
    """Return the position of a recorded match at the start of a turn.

    Args:
        name: file name of the record, plain or compressed, or "-" for standard input.
        turn: number of the turn, from 1, counting the turns of all players.

    Raises:
        UsageError: the file can't be opened, the match has no such turn, a player left before it,
            or the game can't redeal hidden cards.
        LogReadError: the file isn't a valid record.
    """
    resumed = answers_before(name, turn)
    return resumed.header, resumed.position(name, turn)


def input_of(name: str, player: str) -> Iterator[bytes]:
    """Yield the lines that the referee sent to one bot of a recorded match.

    The lines are always in protocol version 1. If the bot speaks a dialect, it received their
    translation, which isn't recorded.

    Args:
        name: file name of the record, plain or compressed, or "-" for standard input.
        player: the player number of the bot, such as "player2".

    Raises:
        UsageError: the file can't be opened, or the match has no such player.
        LogReadError: the file isn't a valid record.
    """
    entries = read_record(name)
    header = next(entries)
    assert isinstance(header, record.Header)  # read_record() always yields the header first
    if seat_of(player, len(header.bots)) is None:
        names = " ".join(seat_ids(len(header.bots)))
        raise UsageError(f"{name}: {player!r} does not exist; there are: {names}")
    for entry in entries:
        if isinstance(entry, record.SentEntry) and entry.to in ("all", player):
            yield bytes(entry.message) + b"\n"
        elif isinstance(entry, record.DisqualifiedEntry) and entry.player_number == player:
            return
