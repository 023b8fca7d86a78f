"""Lines of match records and spectator logs as typed objects: all that read logs read them here.

A line may have an unknown kind, or be cut, or not be an entry or message. The caller decides about
such lines: `verify` and `validate` are strict, `replay` is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, reduce
from operator import or_
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from referee.errors import LogReadError
from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.logs.record import entry_types
from referee.match.messages import SHARED_PUBLIC, PlayerNameRequest

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
BOM = b"\xef\xbb\xbf"
_LOOK_AHEAD = 256 * 1024
"""Bytes of a spectator log in which it must show its game; names need much less."""


class Line(Struct, frozen=True):
    """One line.

    Attributes:
        number: counted from 1.
        raw: as it is in the file, with its line end; a torn line has none.
        text: without its line end, and without a byte order mark.
        content: the entry or message; None if the line is not a known one.
        kind: its `entry` or `type`; None if it has none.
        value: for a line without content, its JSON value; UNSET if it is not JSON.
        error: of a line without content, the decoder's error.
    """

    number: int
    raw: bytes
    text: bytes
    content: Struct | None
    kind: str | None
    value: Any = UNSET
    error: str = ""

    @property
    def torn(self) -> bool:
        """Whether its end is missing."""
        return self.raw[-1:] != b"\n"


class Kinds:
    """Decodes lines of some kinds, distinguished by the field "entry" or "type"."""

    def __init__(self, field: str, union: Any) -> None:
        self.structs: dict[str, type[Struct]] = {
            str(struct.__struct_config__.tag): struct for struct in union.__args__
        }
        self.field = field
        self._decode = msgspec.json.Decoder(union).decode

    def decode(self, text: bytes | msgspec.Raw) -> Struct | None:
        """Return the entry or message; None if the line is not a known one."""
        try:
            return self._decode(text)  # type: ignore[no-any-return]
        except (ValueError, RecursionError):
            return None

    def line(self, number: int, raw: bytes) -> Line:
        """A line with its content."""
        text = raw.strip(b"\r\n").removeprefix(BOM) if number == 1 else raw.strip()
        try:
            text.decode()  # the decoder skips unknown fields without looking at their text
            content = self._decode(text)
        except (ValueError, RecursionError) as error:
            value = json_of(text)
            kind = value.get(self.field) if isinstance(value, dict) else None
            kind = kind if isinstance(kind, str) else None
            return Line(number, raw, text, None, kind, value, str(error))
        return Line(number, raw, text, content, str(content.__struct_config__.tag))


def has_spaces(line: bytes) -> bool:
    """Whether there is white space between the parts of the JSON."""
    return len(line.split(maxsplit=1)) > 1 and re.search(rb"\s", _STRING.sub(b"", line)) is not None


def json_of(text: bytes) -> Any:
    """Return the JSON value of a line; UNSET if it is not JSON."""
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return UNSET


@cache
def entry_kinds(rules: GameDefinition) -> Kinds:
    """The entries of a game's records."""
    return Kinds("entry", entry_types(rules).any)


@cache
def message_kinds(rules: GameDefinition | None) -> Kinds:
    """The messages that the referee sends in a game; without a game, the shared ones."""
    structs: tuple[type[Struct], ...] = (*SHARED_PUBLIC, PlayerNameRequest)
    if rules is not None:
        structs += (*rules.public, *rules.requests)
    return Kinds("type", reduce(or_, structs))


class Messages:
    """The messages of a spectator log, from its first line on; to be iterated over once.

    Attributes:
        rules: of its game; known with the first line. None if the log shows no game that the
            referee knows.
    """

    def __init__(self, lines: Iterable[bytes], rules: GameDefinition | None = None) -> None:
        self.rules = rules
        self._lines = iter(lines)

    def __iter__(self) -> Iterator[Line]:
        """The lines; raises `LogReadError` as `LogReader` does."""
        ahead: list[bytes] = []
        error = None
        if self.rules is None:
            try:
                self._look_ahead(ahead)
            except LogReadError as raised:
                error = raised  # which is of a line after these
        read = message_kinds(self.rules).line
        for number, raw in enumerate(ahead, 1):
            yield read(number, raw)
        if error is not None:
            raise error
        for number, raw in enumerate(self._lines, len(ahead) + 1):
            yield read(number, raw)

    def _look_ahead(self, ahead: list[bytes]) -> None:
        """Find the game, by lines that are kept to be read."""
        size = 0
        for raw in self._lines:
            ahead.append(raw)
            size += len(raw)
            message = json_of(raw.strip())
            if isinstance(message, dict):
                self.rules = _game_of(message)
                if self.rules or (message.get("type") == "game-info" and "game" in message):
                    return
            if size > _LOOK_AHEAD:
                return


def _game_of(message: Mapping[str, Any]) -> GameDefinition | None:
    """The game that a message is of: a `game-info`, or of a type that no other game has."""
    kind = message.get("type")
    if kind == "game-info":  # most logs: the games behind the right one need not be loaded
        return next((rules for rules in GAMES.values() if _is_game_info(rules, message)), None)
    if not isinstance(kind, str) or kind in message_kinds(None).structs:
        return None
    public = {
        game: {struct.__struct_config__.tag for struct in game.public} for game in GAMES.values()
    }
    games = [rules for rules, tags in public.items() if kind in tags]
    return games[0] if len(games) == 1 else None


def _is_game_info(rules: GameDefinition, message: Mapping[str, Any]) -> bool:
    if rules.is_game_info is not None:
        return rules.is_game_info(message)
    return message.get("game") == rules.name


def max_seats(rules: GameDefinition | None) -> int:
    """How many players a log of this game can have; of an unknown game, as many as any."""
    return max(game.max_seats for game in (GAMES.values() if rules is None else (rules,)))
