"""Parses a match record or a spectator log into players, turns and an end.

If a log is damaged, people still want to see as much of it as possible. We skip and count
invalid lines. Use `referee verify` or `referee validate` for a strict check.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, TypeAlias

from msgspec import Struct

from referee.errors import LogReadError, UnknownGameError, UsageError
from referee.games import ADD_GAME
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Fault, describe
from referee.games.interface.seats import seat_id, seat_of
from referee.games.interface.turns import MAX_KEPT
from referee.logs.header import Kind, NoHeader, first_line, read_header
from referee.logs.parsing import Line, Messages, entry_kinds, max_seats, message_kinds
from referee.logs.record import DisqualifiedEntry, FaultEntry, SentEntry, StderrEntry
from referee.logs.source import LogReader
from referee.logs.stderr import lines_of, read_stderr
from referee.match.messages import GameEnd, PlayerDisqualified, PlayerName
from referee.names import shown_names

_ALL = "all"
# The first line of a spectator log has either type, because the names may be missing.
_FIRST_TYPES = ("player-name", "game-info")


class Start(Struct, frozen=True):
    """The players and the settings of the match, which come before its first turn."""

    game: str  # a key of `GAMES`
    names: list[str]  # displayed names, in seat order (`referee.names`)
    own_names: list[str]  # names from the handshakes
    seed: int | None  # None for a spectator log
    bots: list[str]  # the BOT arguments; empty for a spectator log


class TurnOver(Struct, frozen=True):
    """A finished turn. `turn` is the game's own kind of `referee.games.interface.turns.Turn`."""

    turn: Any


class CutShort(Struct, frozen=True):
    """The log ended before the match did.

    `line` is the number of the log's last complete line, and `why` is a clause for the message.
    """

    line: int
    why: str


class Skipped(Struct, frozen=True):
    """Reports that we skipped `count` lines, starting at number `line`."""

    line: int
    count: int


Item: TypeAlias = Start | TurnOver | GameEnd | CutShort | Skipped


class Replay:
    """Parses one log.

    You need `turn_reader` to format the turns. It's set when `items` yields the `Start`.
    """

    def __init__(self, reader: LogReader) -> None:
        self._reader = reader
        self._rules: GameDefinition | None = None
        self._names: dict[int, str] = {}  # maps seats to names
        self._seats = 0  # 0 before the match starts
        self._header: Mapping[str, Any] | None = None  # None for a spectator log
        self._early: list[
            tuple[int, FaultEntry | DisqualifiedEntry]
        ] = []  # entries from the handshake
        self._said: dict[int | None, StderrEntry] = {}  # maps seats to their last stderr output
        self._skipped = self._first_skipped = 0
        self._started = False  # True once the match has started
        self._complete = False  # True after the last line of the log

    def items(self) -> Iterator[Item]:
        """Read the log, and yield the start, the turns and the end of the match.

        Raises:
            LogReadError: the file isn't a log of a match.
            UsageError: the game has no turn reader.
        """
        why = "the log ends here"
        try:
            for line in self._lines():
                if line.torn:
                    break
                if self._header is None:
                    yield from self._message(line, _ALL)
                else:
                    yield from self._line_of_record(line)
                if self._complete:
                    break
        except LogReadError as error:
            if not self._started:
                raise
            why = error.problem
        if not self._reader.whole:
            raise LogReadError(self._reader.name, 1, "the file is empty")
        if not self._complete:
            if self._started:
                yield from map(TurnOver, self.turn_reader.end())
            torn = "the line after it is truncated" if self._reader.torn else why
            yield CutShort(self._reader.whole, torn)
        if self._skipped:
            yield Skipped(self._first_skipped, self._skipped)

    def _lines(self) -> Iterator[Line]:
        lines = iter(self._reader)
        raw = next(lines, b"")
        if not raw.endswith(b"\n"):
            return
        value, definition = first_line(raw)
        is_log = isinstance(value, dict) and "entry" not in value
        if is_log and value.get("type") in _FIRST_TYPES:
            messages = Messages(chain((raw,), lines))
            for line in messages:
                self._rules = messages.definition
                yield line
            return
        if definition is None or not isinstance(value.get("seed"), int):
            raise _problem(raw, value).error(self._reader.name)
        self._header, self._rules = value, definition
        read = entry_kinds(definition).line
        for raw in lines:
            yield read(self._reader.line, raw)

    def _skip(self, number: int) -> None:
        self._first_skipped = min(number, self._first_skipped or number)
        self._skipped += 1

    def _seat(self, player: str) -> int | None:
        return seat_of(player, self._seats or max_seats(self._rules))

    def _line_of_record(self, line: Line) -> Iterator[Item]:
        entry = line.content
        if line.kind == "end":
            self._complete = True
        elif isinstance(entry, SentEntry):
            message = message_kinds(self._rules).line(line.number, bytes(entry.message))
            yield from self._message(message, entry.to)
        elif isinstance(entry, FaultEntry | DisqualifiedEntry):
            if self._started:
                yield from self._entry(line.number, entry)
            elif len(self._early) < MAX_KEPT:  # there's no turn reader yet, so keep it for later
                self._early.append((line.number, entry))
            else:
                self._skip(line.number)
        elif isinstance(entry, StderrEntry):
            self._said[self._seat(entry.player_number)] = entry
        elif line.kind not in ("received", "exit"):
            self._skip(line.number)

    def _entry(self, number: int, entry: FaultEntry | DisqualifiedEntry) -> Iterator[Item]:
        seat = self._seat(entry.player_number)
        if seat is None:
            self._skip(number)
        elif isinstance(entry, FaultEntry):
            self.turn_reader.fault(Fault(seat, entry.code, entry.section, entry.detail))
        else:
            said = self._said.get(seat) or read_stderr(self._reader.path, seat)
            why = f"{entry.code}, {entry.detail}"
            yield from map(TurnOver, self.turn_reader.disqualify(seat, why, lines_of(said)))

    def _message(self, line: Line, to: str) -> Iterator[Item]:
        message = line.content
        if line.kind == "player-name-request":
            return
        if isinstance(message, PlayerName):
            self._name(line.number, message)
        elif self._rules is None and line.kind is not None:
            problem = f"the log is of a game that this referee does not know; {ADD_GAME}"
            raise UnknownGameError(self._reader.name, line.number, problem)
        elif self._rules is None or message is None:
            self._skip(line.number)
        else:
            if not self._started:
                yield from self._start(self._rules)
            yield from self._message_of_match(line.number, message, to)

    def _name(self, number: int, message: PlayerName) -> None:
        seat = self._seat(message.player_number)
        if seat is None or self._started:
            self._skip(number)
        else:
            self._names[seat] = message.name

    def _message_of_match(self, number: int, message: Struct, to: str) -> Iterator[Item]:
        player = getattr(message, "player_number", seat_id(0))
        seat, of = self._seat(to), self._seat(player)
        if of is None or (to != _ALL and seat is None):
            self._skip(number)
        elif isinstance(message, GameEnd):
            yield from map(TurnOver, self.turn_reader.end())
            self._complete = self._header is None  # in a record, we wait for the `end` entry
            yield message
        elif not isinstance(message, PlayerDisqualified):
            yield from map(TurnOver, self.turn_reader.read(message, seat))
        elif self._header is None:  # in a record, the `disqualified` entry has more details
            yield from map(TurnOver, self.turn_reader.disqualify(of, message.reason))

    def _start(self, definition: GameDefinition) -> Iterator[Item]:
        if definition.turns is None:
            problem = "has no turn reader: its records can be verified, not replayed"
            raise UsageError(f"{definition.name} {problem}")
        self._started = True
        self._seats = max(definition.min_seats, 1 + max(self._names, default=0))
        own = [self._names.get(seat, seat_id(seat)) for seat in range(self._seats)]
        header = self._header or {}
        bots = header.get("bots")
        commands = bots if isinstance(bots, list) else []
        shown = [bot if isinstance(bot, str) else describe(bot) for bot in commands]
        names = shown_names(own, _names(header.get("names"), self._seats), shown)
        self.turn_reader = definition.turns(names)
        yield Start(definition.name, names, own, header.get("seed"), shown)
        for entry in self._early:
            yield from self._entry(*entry)


def _names(value: Any, seats: int) -> list[str]:
    fits = isinstance(value, list) and len(value) == seats
    return value if fits and all(isinstance(name, str) for name in value) else []


def _problem(raw: bytes, value: Any) -> NoHeader:
    if not isinstance(value, dict) or not value.keys() & {"entry", "type"}:
        return NoHeader(Kind.NOT_A_RECORD, "this is not a match record or a spectator log")
    if "entry" not in value:
        text = "this is not a spectator log: it does not begin with a player-name"
        return NoHeader(Kind.NOT_A_RECORD, text)
    header = read_header(raw)
    assert isinstance(header, NoHeader)  # the caller found something wrong with the header
    return header
