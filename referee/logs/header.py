"""Reads the first line of a match record (spec/log-format.md, 2.1).

Listings use `first_line` to find out quickly whether a file is a record, and its game.
`read_header` checks everything that's needed to run the match again.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from referee._version import __version__
from referee.errors import LogReadError, UnknownGameError, UsageError
from referee.games import ADD_GAME, GAMES
from referee.games.interface.definition import GameDefinition
from referee.logs.parsing import BOM, json_of
from referee.logs.record import FORMAT, FORMAT_VERSION, Header, entry_types, is_started, spec_of
from referee.match.machine import MAX_SEED
from referee.text.terminal import escaped

# We show at most this many characters of a game's name, because it comes from the file.
_NAME = 200


class Kind(StrEnum):
    """The verdict on a file."""

    VALID = "valid"
    TRUNCATED = "truncated"
    MODIFIED = "modified"
    RULES_CHANGED = "rules-changed"
    NEWER_FORMAT = "newer-format"
    OTHER_GAME = "other-game"
    NOT_A_RECORD = "not-a-record"


class NoHeader(NamedTuple):
    """The reason why a line isn't a header that we can use, and the section that says so."""

    kind: Kind
    text: str
    section: str = "2.1"

    def error(self, name: str) -> LogReadError:
        """Return an exception with this explanation. `name` is the file."""
        kind = UnknownGameError if self.kind is Kind.OTHER_GAME else LogReadError
        return kind(name, 1, self.text)


def first_line(raw: bytes) -> tuple[Any, GameDefinition | None]:
    """Decode a file's first line, and detect whether the file is a match record.

    This only checks the format, the version and the game.

    Returns:
        The JSON value of the line (UNSET if it isn't JSON), and the game of the record. The game
        is None if the file isn't a record that we can read.
    """
    value = json_of(raw.strip().removeprefix(BOM))
    if not isinstance(value, dict) or value.get("format") != FORMAT or "entry" not in value:
        return value, None
    version, game = value.get("version"), value.get("game")
    if not isinstance(version, int) or version > FORMAT_VERSION or not isinstance(game, str):
        return value, None
    return value, GAMES.get(game)


def read_header(line: bytes) -> Header | NoHeader:
    """Decode the header of a record, or explain why this referee can't run its match."""
    value, definition = first_line(line)
    refusal = _no_record(line, value) or _not_for_this_referee(value, definition)
    if refusal is not None:
        return refusal
    try:
        header = msgspec.convert(
            value, Header if definition is None else entry_types(definition).header
        )
    except msgspec.ValidationError as error:
        problem = escaped(str(error))
    else:
        assert definition is not None  # we've refused unknown games and wrong types above
        problem = _problem(header, definition, line)
        if not problem:
            return header
    return NoHeader(Kind.MODIFIED, f"modified: not a valid header: {problem}")


def _no_record(line: bytes, value: Any) -> NoHeader | None:
    """Explain why a first line doesn't start a match record, or return None if it does."""
    if line.startswith(BOM):
        text = "it begins with a byte order mark: save it as UTF-8 without one"
        return NoHeader(Kind.NOT_A_RECORD, text)
    if line.endswith(b"\r\n"):
        text = r"its lines end in \r\n, a record's in \n: save it with Unix line ends"
        return NoHeader(Kind.NOT_A_RECORD, text)
    if value is UNSET:
        return NoHeader(Kind.NOT_A_RECORD, "not a match record: not JSON")
    given = value if isinstance(value, dict) else {}
    if "entry" not in given and given.get("type") == "player-name":
        text = "this is a spectator log, not a match record: `referee validate` checks those"
        return NoHeader(Kind.NOT_A_RECORD, text, "1")
    if (given.get("entry"), given.get("format")) != ("header", FORMAT):
        text = f'not a match record: the first line must be a header with "format":"{FORMAT}"'
        return NoHeader(Kind.NOT_A_RECORD, text)
    return None


def _not_for_this_referee(
    value: Mapping[str, Any], definition: GameDefinition | None
) -> NoHeader | None:
    version, game, protocol = (value.get(name) for name in ("version", "game", "protocol"))
    if isinstance(version, int) and version > FORMAT_VERSION:
        text = (
            f"version {version} of the record format; this referee ({__version__}) reads "
            f"versions up to {FORMAT_VERSION}: get a newer referee"
        )
        return NoHeader(Kind.NEWER_FORMAT, text)
    if isinstance(version, int) and isinstance(game, str) and game not in GAMES:
        text = f'the game is "{escaped(game[:_NAME])}"; there are: {", ".join(GAMES)}; {ADD_GAME}'
        return NoHeader(Kind.OTHER_GAME, text)
    if definition is not None and type(protocol) is int and protocol != definition.protocol:
        text = f"protocol version {protocol} of {game}; this referee speaks {definition.protocol}"
        return NoHeader(Kind.OTHER_GAME, text)
    return None


def _problem(header: Header, definition: GameDefinition, line: bytes) -> str:
    """Describe the first invalid value in a header, or return "" if it's valid."""
    if header.version != FORMAT_VERSION:
        return f"version {header.version} of the format does not exist"
    if not definition.min_seats <= len(header.bots) <= definition.max_seats:
        return f"{header.game} takes {definition.min_seats} to {definition.max_seats} bots"
    if header.names and len(header.names) != len(header.bots):
        return "it has not as many names as bots"
    if not 0 <= header.seed < MAX_SEED:
        return "the seed is not an integer from 0 to 2**53 - 1"
    turns = [redeal.turn for redeal in header.redeals or ()]
    if any(before >= turn for before, turn in pairwise(turns)):
        return "the turns of `redeals` do not ascend"
    if not is_started(line):
        return "`started` is not the last field, or no time"
    try:
        spec_of(header)
    except UsageError as error:  # the options contradict each other
        return escaped(str(error))
    return ""
