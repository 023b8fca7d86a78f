"""Decodes lines of match records and spectator logs. All readers of logs use this module.

Lines that are truncated, unknown or invalid are also returned, and each reader decides how to
handle them. `verify` and `validate` are strict, while `replay` shows as much as possible.
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

# White space after JSON tokens without any. (Nothing is tried twice, and no part is copied.)
_SPACE = re.compile(rb'(?:[^"\s]++|"(?:[^"\\]++|\\.)*+")*+\s')
BOM = b"\xef\xbb\xbf"
# If we can't detect the game of a spectator log in this many bytes, we give up. Only the names of
# the players come before the message that shows the game, and they are much shorter.
_LOOK_AHEAD = 256 * 1024


class Line(Struct, frozen=True):
    """One line of a log.

    Attributes:
        number: line number, from 1.
        raw: the bytes in the file. A truncated line has no newline.
        text: `raw` without the newline and a byte order mark.
        content: the decoded entry or message, or None if it's invalid or of an unknown kind.
        kind: the value of the `entry` or `type` field, or None if the line has no such field.
        value: if `content` is None, the JSON value of the line, or UNSET if it isn't JSON.
        error: if `content` is None, the error message of the decoder.
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
        """True if the line has no newline, usually because the referee was killed."""
        return self.raw[-1:] != b"\n"


class Kinds:
    """Decodes the lines of a log into structs.

    `field` is the field that identifies the struct: "entry" in a record, "type" in messages.
    """

    def __init__(self, field: str, union: Any) -> None:
        self.structs: dict[str, type[Struct]] = {
            str(struct.__struct_config__.tag): struct for struct in union.__args__
        }
        self.field = field
        self._decode = msgspec.json.Decoder(union).decode

    def decode(self, text: bytes | msgspec.Raw) -> Struct | None:
        """Decode an entry or message, or return None if it's invalid or of an unknown kind."""
        try:
            return self._decode(text)  # type: ignore[no-any-return]
        except (ValueError, RecursionError):
            return None

    def line(self, number: int, raw: bytes) -> Line:
        """Decode a line. This never raises, because decoding errors are stored in the result."""
        text = raw.strip(b"\r\n").removeprefix(BOM) if number == 1 else raw.strip()
        try:
            text.decode()  # msgspec doesn't check the text of unknown fields
            content = self._decode(text)
        except (ValueError, RecursionError) as error:
            value = json_of(text)
            kind = value.get(self.field) if isinstance(value, dict) else None
            kind = kind if isinstance(kind, str) else None
            return Line(number, raw, text, None, kind, value, str(error))
        return Line(number, raw, text, content, str(content.__struct_config__.tag))


def has_spaces(line: bytes) -> bool:
    """Return True if there is white space between JSON tokens."""
    return len(line.split(maxsplit=1)) > 1 and _SPACE.match(line) is not None


def json_of(text: bytes) -> Any:
    """Return the JSON value of a line, or UNSET if it isn't JSON."""
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return UNSET


@cache
def entry_kinds(definition: GameDefinition) -> Kinds:
    """Return the decoder for entries of a game's records."""
    return Kinds("entry", entry_types(definition).any)


@cache
def message_kinds(definition: GameDefinition | None) -> Kinds:
    """Return the decoder for the messages that the referee sends in a game.

    If the game isn't known, this only decodes the messages that all games share.
    """
    structs: tuple[type[Struct], ...] = (*SHARED_PUBLIC, PlayerNameRequest)
    if definition is not None:
        structs += (*definition.public, *definition.requests)
    return Kinds("type", reduce(or_, structs))


class Messages:
    """Iterates over the messages of a spectator log, once.

    Attributes:
        definition: the game of the log. Unless you pass it, it's detected before the first
            message is yielded, and stays None if that fails.
    """

    def __init__(self, lines: Iterable[bytes], definition: GameDefinition | None = None) -> None:
        self.definition = definition
        self._lines = iter(lines)

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines."""
        ahead: list[bytes] = []
        error = None
        if self.definition is None:
            try:
                self._look_ahead(ahead)
            except LogReadError as raised:
                # We've read some lines before the bad one. Yield these first.
                error = raised
        read = message_kinds(self.definition).line
        for number, raw in enumerate(ahead, 1):
            yield read(number, raw)
        if error is not None:
            raise error
        for number, raw in enumerate(self._lines, len(ahead) + 1):
            yield read(number, raw)

    def _look_ahead(self, ahead: list[bytes]) -> None:
        """Detect the game. The lines that we have to read for this are appended to `ahead`."""
        size = 0
        for raw in self._lines:
            ahead.append(raw)
            size += len(raw)
            message = json_of(raw.strip())
            if isinstance(message, dict):
                self.definition = _game_of(message)
                if self.definition or (message.get("type") == "game-info" and "game" in message):
                    return
            if size > _LOOK_AHEAD:
                return


def _game_of(message: Mapping[str, Any]) -> GameDefinition | None:
    """Return the game of a `game-info`, or of a message type that only one game has."""
    kind = message.get("type")
    # This is the usual case. The general case below has to load all games, which is slow.
    if kind == "game-info":
        return next((rules for rules in GAMES.values() if _is_game_info(rules, message)), None)
    if not isinstance(kind, str) or kind in message_kinds(None).structs:
        return None
    public = {
        game: {struct.__struct_config__.tag for struct in game.public} for game in GAMES.values()
    }
    games = [rules for rules, tags in public.items() if kind in tags]
    return games[0] if len(games) == 1 else None


def _is_game_info(definition: GameDefinition, message: Mapping[str, Any]) -> bool:
    if definition.is_game_info is not None:
        return definition.is_game_info(message)
    return message.get("game") == definition.name


def max_seats(definition: GameDefinition | None) -> int:
    """Return how many players a game can have. For an unknown game, return the most of any game."""
    return max(game.max_seats for game in (GAMES.values() if definition is None else (definition,)))
