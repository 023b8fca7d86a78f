"""Records and logs as typed objects, for programs that look at many of them (spec/reading-logs.md).

Memory does not grow with the number of lines or files. A log that was cut short ends where it ends:
a last line that is torn is left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache, reduce
from operator import or_
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from referee.errors import LogReadError, UsageError
from referee.games import GAMES
from referee.logs.record import (
    FORMAT_VERSION,
    EndEntry,
    Header,
    RecordEntry,
    SentEntry,
    entry_types,
)
from referee.logs.source import LogReader
from referee.wire.messages import GameEnd, PlayerDisqualified, PlayerName, PlayerNameRequest

PathLike: TypeAlias = str | os.PathLike[str]
_TAIL_BYTES = 64 * 1024


class RecordSummary(Struct, frozen=True):
    """The first and the last line of a match record.

    Attributes:
        path: of the file.
        header: what was played: seed, BOT arguments in seat order, options.
        end: how it ended, with one entry a seat in `players`; None if it was not finished.
    """

    path: str
    header: Header
    end: EndEntry | None


def read_record(path: PathLike) -> Iterator[RecordEntry]:
    """The entries of a match record, in order; entries of unknown kinds are left out.

    Args:
        path: of the file, plain, .gz or .zst; "-" is standard input.

    Raises:
        UsageError: the file cannot be opened; raised at the first step.
        LogReadError: a line is no entry, or the record is of a newer version.
    """
    game = None
    with LogReader(os.fspath(path)) as reader:
        for line in reader:
            if not line.endswith(b"\n"):
                return
            entry = _entry(reader, line, game)
            if isinstance(entry, Header):
                game = entry.game
            elif reader.line == 1:
                raise LogReadError(reader.name, 1, "this is no match record: it has no header")
            if entry is not None:
                yield entry


def read_log(path: PathLike, game: str = "dominion") -> Iterator[Struct]:
    """The messages of a spectator log, in order; messages of unknown types are left out.

    Args:
        path: of the file, plain, .gz or .zst; "-" is standard input.
        game: a key of `GAMES`, whose `public` structs are what comes, beside `PlayerName`,
            `PlayerDisqualified` and `GameEnd` of `referee.wire.messages`.

    Raises:
        UsageError: the file cannot be opened, or there is no such game; raised at the first step.
        LogReadError: a line is no message.
    """
    decode = _message_decoder(game)
    with LogReader(os.fspath(path)) as reader:
        for line in reader:
            if not line.endswith(b"\n"):
                return
            try:
                message = decode(line)
            except (ValueError, RecursionError) as error:
                if _has_tag(line, "type"):
                    continue
                raise LogReadError(reader.name, reader.line, "this is no message") from error
            yield message


def message_of(entry: SentEntry, game: str = "dominion") -> Struct:
    """The message of a `sent` entry as a struct of the game.

    Raises:
        LogReadError: it is no message of this game.
    """
    try:
        message: Struct = _message_decoder(game)(entry.message)
    except (ValueError, RecursionError) as error:
        raise LogReadError("entry", 0, f"its message is none of {game}") from error
    return message


def summaries(paths: Iterable[PathLike]) -> Iterator[RecordSummary]:
    """The first and the last line of each record; quick, if it is not compressed.

    Args:
        paths: of files; may be a generator of any length.

    Raises:
        UsageError: a file cannot be opened.
        LogReadError: a file is no match record that this version can read.
    """
    for given in paths:
        path = os.fspath(given)
        with LogReader(path) as reader:
            lines = iter(reader)
            first = next(lines, b"")
            header = _entry(reader, first) if first.endswith(b"\n") else None
            if not isinstance(header, Header):
                raise LogReadError(reader.name, 1, "this is no match record: it has no header")
            last = b""
            if first[:1] == b"{" and Path(path).is_file() and not _is_packed(path):
                last = _last_line(path)
            else:
                for last in lines:  # noqa: B007 (a compressed file has no other way to its end)
                    pass
            end = _entry(reader, last, header.game) if b'"entry":"end"' in last[:40] else None
        yield RecordSummary(path, header, end if isinstance(end, EndEntry) else None)


def _is_packed(path: str) -> bool:
    with Path(path).open("rb") as file:
        return file.read(1) != b"{"


def _last_line(path: str) -> bytes:
    """The last whole line of a plain file, if it is not longer than the tail."""
    with Path(path).open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _TAIL_BYTES, 0))
        tail = file.read()
    return tail.splitlines(keepends=True)[-1] if tail.endswith(b"\n") else b""


@cache
def _entry_decoder(game: str | None) -> Callable[[bytes], RecordEntry]:
    kind: Any = entry_types(GAMES[game]).any if game is not None and game in GAMES else RecordEntry
    decode: Callable[[bytes], RecordEntry] = msgspec.json.Decoder(kind).decode
    return decode


def _entry(reader: LogReader, line: bytes, game: str | None = None) -> RecordEntry | None:
    """The entry of a line; None if it is of an unknown kind."""
    try:
        entry = _entry_decoder(game)(line)
        if game is None and isinstance(entry, Header):
            entry = _entry_decoder(entry.game)(line)
    except (ValueError, RecursionError) as error:
        if _has_tag(line, "entry"):
            return None
        number = max(reader.line, 1)
        raise LogReadError(reader.name, number, "this is no entry of a match record") from error
    if isinstance(entry, Header) and entry.version > FORMAT_VERSION:
        problem = f"the record has version {entry.version}, higher than {FORMAT_VERSION}, "
        raise LogReadError(reader.name, 1, problem + "which is all that this referee can read")
    return entry


_KNOWN = {
    *("header", "sent", "received", "fault", "disqualified", "exit", "end"),
    *("player-name", "player-disqualified", "game-end"),
}


def _has_tag(line: bytes, field: str) -> bool:
    """Whether a line that could not be decoded is an object of an unknown kind."""
    try:
        value: Any = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return False
    tag = value.get(field) if isinstance(value, dict) else None
    known = _KNOWN | {
        str(struct.__struct_config__.tag) for game in GAMES.values() for struct in game.public
    }
    return isinstance(tag, str) and tag not in known


def _message_decoder(game: str) -> Any:
    if game not in _decoders:
        if game not in GAMES:
            raise UsageError(f"no game {game!r}; there are: {', '.join(GAMES)}")
        rules = GAMES[game]
        shared: tuple[type[Struct], ...] = (
            PlayerName,
            PlayerDisqualified,
            GameEnd,
            PlayerNameRequest,
        )
        union: Any = reduce(or_, (*shared, *rules.public, *rules.requests))
        _decoders[game] = msgspec.json.Decoder(union).decode
    return _decoders[game]


_decoders: dict[str, Any] = {}
