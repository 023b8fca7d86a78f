"""Read a match record or a spectator log as a match: its players, its turns, its end.

It is lenient, because a person wants to see what is there: what does not fit is left out and
counted. `referee verify` and `referee validate` are those that are strict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from referee.errors import LogReadError, UsageError
from referee.games import GAMES
from referee.logs.record import (
    FORMAT,
    FORMAT_VERSION,
    DisqualifiedEntry,
    FaultEntry,
    SentEntry,
)
from referee.logs.source import LogReader
from referee.seam.faults import Fault, describe
from referee.seam.rules import Rules
from referee.seam.seats import SEAT_IDS, seat_id
from referee.wire.messages import SHARED_PUBLIC, GameEnd, PlayerDisqualified, PlayerName

_BOM = b"\xef\xbb\xbf"
_ALL = "all"


class Start(Struct, frozen=True):
    """The players are known.

    Attributes:
        game: a key of `GAMES`.
        names: in seat order.
        seed: of a record; None for a spectator log, which has no hands either.
        bots: the BOT arguments of a record.
    """

    game: str
    names: list[str]
    seed: int | None
    bots: list[str]


class TurnOver(Struct, frozen=True):
    """A turn.

    Attributes:
        turn: a struct of the game's own, see `referee.seam.capabilities.TurnReader`.
    """

    turn: Any


class End(Struct, frozen=True):
    """The match is over."""

    reason: str
    winners: list[str]
    scores: list[int]


class CutShort(Struct, frozen=True):
    """The log ends before the match.

    Attributes:
        line: the last line that was read.
        why: one clause.
    """

    line: int
    why: str


class Skipped(Struct, frozen=True):
    """Lines that are none of such a log.

    Attributes:
        line: the first of them.
        count: how many.
    """

    line: int
    count: int


Item: TypeAlias = Start | TurnOver | End | CutShort | Skipped


class _Other(Struct, tag_field="type", tag=""):
    """Lets the decoder ask for `type` in every object."""


_Telling: TypeAlias = SentEntry | FaultEntry | DisqualifiedEntry
"""The entries of a record that there is something to be told of."""

_decode_entry: Callable[[bytes], _Telling] = msgspec.json.Decoder(_Telling).decode


class Replay:
    """One log.

    Attributes:
        turn_reader: of its match, once the players are known; it shows the turns.
    """

    def __init__(self, reader: LogReader, rules: Rules = GAMES["dominion"]) -> None:
        self._reader = reader
        self._set_rules(rules)
        self._names: dict[int, str] = {}  # by seat
        self._header: dict[str, Any] | None = None
        self._early: list[tuple[int, FaultEntry | DisqualifiedEntry]] = []  # of the handshakes
        self._skipped = self._first_skipped = 0
        self._started = self._ended = False  # the match
        self._complete = False  # the log

    def items(self) -> Iterator[Item]:
        """The match, as it is read.

        Raises:
            LogReadError: this is no log of a match.
            UsageError: it is one of a game that has no turn reader.
        """
        why = "the log ends here"
        try:
            for line in self._reader:
                if not line.endswith(b"\n"):
                    why = "the line after it is torn"
                    self._reader.line -= 1
                    break
                number = self._reader.line
                yield from self._line(number, line.strip().removeprefix(_BOM))
                if self._complete:
                    break
        except LogReadError as error:
            if not self._started:
                raise
            why = error.problem
        if not self._reader.line:
            raise LogReadError(self._reader.name, 1, "the file is empty")
        if not self._complete:
            if self._started and not self._ended:
                yield from self._turns(self.turn_reader.end())
            yield CutShort(self._reader.line, why)
        if self._skipped:
            yield Skipped(self._first_skipped, self._skipped)

    def _set_rules(self, rules: Rules) -> None:
        self._rules = rules
        if rules.turns is None:
            problem = "has no turn reader: its records can be verified, not replayed"
            raise UsageError(f"{rules.name} {problem}")
        self._new_turn_reader = rules.turns
        self._seats = rules.max_seats  # as long as the players are not known
        structs: tuple[type[Struct], ...] = (
            *SHARED_PUBLIC,
            *rules.public,
            *rules.requests,
        )
        union: Any = reduce(or_, (*structs, _Other))
        self._decode = msgspec.json.Decoder(union).decode

    def _line(self, number: int, line: bytes) -> Iterator[Item]:
        try:
            value = msgspec.json.decode(line)
        except (ValueError, RecursionError) as error:
            if number == 1:
                problem = "this is no match record and no spectator log (no JSON)"
                raise LogReadError(self._reader.name, 1, problem) from error
            self._skip(number)
            return
        if number == 1:
            self._begin(value)
            if self._header is not None:
                return
        if self._header is not None:
            yield from self._line_of_record(number, line, value)
        else:
            yield from self._message(number, line, _ALL)

    def _begin(self, first: Any) -> None:
        """See what this is from its first line."""
        name = self._reader.name
        if not isinstance(first, dict) or not first.keys() & {"entry", "type"}:
            problem = "this is no match record and no spectator log"
            raise LogReadError(name, 1, problem)
        if "entry" not in first:
            if first.get("type") not in ("player-name", "game-info"):
                problem = "this is no spectator log: it does not begin with a player-name"
                raise LogReadError(name, 1, problem)
            return
        if first.get("format") != FORMAT or not isinstance(first.get("version"), int):
            raise LogReadError(name, 1, "this is no match record: it has no right header")
        if first["version"] > FORMAT_VERSION:
            problem = f"the record has version {first['version']}; this referee reads version "
            raise LogReadError(name, 1, f"{problem}{FORMAT_VERSION}: get a newer one")
        game = first.get("game")
        if not isinstance(game, str) or game not in GAMES:
            raise LogReadError(name, 1, "the record is of a game that this referee does not know")
        if not isinstance(first.get("seed"), int):
            raise LogReadError(name, 1, "this is no match record: its header has no seed")
        self._set_rules(GAMES[game])
        self._header = first

    def _skip(self, number: int) -> None:
        self._first_skipped = min(number, self._first_skipped or number)
        self._skipped += 1

    def _seat(self, player: str) -> int | None:
        """The seat of a player number; None if this match has no such player."""
        numbers = SEAT_IDS[: self._seats]
        return numbers.index(player) if player in numbers else None

    def _line_of_record(self, number: int, line: bytes, value: Any) -> Iterator[Item]:
        """A line after the header."""
        kind = value.get("entry") if isinstance(value, dict) else None
        if kind == "end":
            self._complete = True
        elif kind not in ("received", "exit"):
            try:
                entry = _decode_entry(line)
            except (ValueError, RecursionError):
                self._skip(number)
                return
            if isinstance(entry, SentEntry):
                yield from self._message(number, bytes(entry.message), entry.to)
            elif self._started:
                yield from self._entry(number, entry)
            else:
                self._early.append((number, entry))  # the players are not known yet

    def _entry(self, number: int, entry: FaultEntry | DisqualifiedEntry) -> Iterator[Item]:
        """What is told of a player in the record alone."""
        seat = self._seat(entry.player_number)
        if seat is None:
            self._skip(number)
        elif isinstance(entry, FaultEntry):
            fault = Fault(seat, entry.code, entry.section, entry.detail)
            yield from self._turns(self.turn_reader.fault(fault))
        else:
            yield from self._turns(
                self.turn_reader.disqualify(seat, f"{entry.code}, {entry.detail}")
            )

    def _message(self, number: int, line: bytes, to: str) -> Iterator[Item]:
        """A message, of a record with whom it was sent to."""
        try:
            message = self._decode(line)
        except (ValueError, RecursionError):
            if b'"player-name-request"' not in line:
                self._skip(number)
            return
        if isinstance(message, PlayerName):
            seat = self._seat(message.player_number)
            if seat is None or self._started:
                self._skip(number)
            else:
                self._names[seat] = message.name
            return
        if type(message) is _Other:
            self._skip(number)
            return
        if not self._started:
            yield self._start()
            for entry in self._early:
                yield from self._entry(*entry)
        # From here on nothing is about, or for, a player that there is not.
        about = getattr(message, "player_number", seat_id(0))
        if self._seat(about) is None or (to != _ALL and self._seat(to) is None):
            self._skip(number)
        elif isinstance(message, GameEnd):
            yield from self._turns(self.turn_reader.end())
            self._ended = True
            self._complete = self._header is None  # a record goes on after it
            yield End(message.reason, message.winners, message.scores)
        elif isinstance(message, PlayerDisqualified):
            if self._header is None:
                seat = SEAT_IDS.index(message.player_number)
                yield from self._turns(self.turn_reader.disqualify(seat, message.reason))
        else:
            yield from self._turns(self.turn_reader.read(message, self._seat(to)))

    def _start(self) -> Start:
        self._started = True
        self._seats = max(self._rules.min_seats, 1 + max(self._names, default=0))
        names = [self._names.get(seat, seat_id(seat)) for seat in range(self._seats)]
        self.turn_reader = self._new_turn_reader(names)
        header = self._header or {}
        bots = header.get("bots")
        return Start(
            self._rules.name,
            names,
            header.get("seed"),
            [bot if isinstance(bot, str) else describe(bot) for bot in bots]
            if isinstance(bots, list)
            else [],
        )

    @staticmethod
    def _turns(turns: Sequence[Any]) -> Iterator[Item]:
        for turn in turns:
            yield TurnOver(turn)
