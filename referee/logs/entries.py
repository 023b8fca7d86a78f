"""Reads records and logs as typed objects, for programs that analyse them (spec/reading-logs.md).

Files can have any size, because only one line at a time is kept in memory. If the last line is
truncated (for example because the referee was killed), it's ignored.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from referee.errors import LogReadError, UnknownGameError
from referee.games import ADD_GAME, GAMES, game_rules
from referee.logs.header import read_header
from referee.logs.parsing import Kinds, Line, Messages, entry_kinds, message_kinds
from referee.logs.record import EndEntry, Header, RecordEntry, SentEntry
from referee.logs.source import LogReader

PathLike: TypeAlias = str | os.PathLike[str]
_TAIL_BYTES = 64 * 1024


class RecordSummary(Struct, frozen=True):
    """The first and the last entry of a match record.

    Attributes:
        header: the description of the match: seed, BOT arguments in seat order, options.
        end: the last entry, with one result per seat in `players`, or None if the match did not
            finish.
    """

    path: str
    header: Header
    end: EndEntry | None


def read_record(path: PathLike) -> Iterator[RecordEntry]:
    """Yield the entries of a match record in order. Entries of unknown kinds are skipped.

    Args:
        path: file name, plain, .gz or .zst; "-" is standard input.

    Raises:
        UsageError: the file can't be opened. Since this is a generator, it's raised at the first
            step.
        LogReadError: a line isn't an entry, or the record has a newer version or an unknown game.
    """
    return (entry for _, entry in numbered_entries(path))


def numbered_entries(path: PathLike) -> Iterator[tuple[int, RecordEntry]]:
    """Like `read_record`, but yield each entry with its line number, starting at 1."""
    with LogReader(os.fspath(path)) as reader:
        lines = iter(reader)
        header, kinds = _begin(reader, lines)
        yield 1, header
        for raw in lines:
            line = kinds.line(reader.line, raw)
            if line.torn:
                return
            entry = _known(reader, line, kinds)
            if entry is not None:
                yield line.number, entry  # type: ignore[misc]


def read_log(path: PathLike, game: str | None = None) -> Iterator[Struct]:
    """Yield the messages of a spectator log in order. Messages of unknown types are skipped.

    The types are the `public` structs of the game, and `PlayerName`, `PlayerDisqualified` and
    `GameEnd` of `referee.match.messages`.

    Args:
        path: file name, plain, .gz or .zst; "-" is standard input.
        game: a key of `GAMES`, or None to detect the game from the log.

    Raises:
        UsageError: the file can't be opened, or the game is unknown. Since this is a generator,
            it's raised at the first step.
        LogReadError: a line isn't a message, or the log is of an unknown game.
    """
    rules = None if game is None else game_rules(game)
    with LogReader(os.fspath(path)) as reader:
        messages = Messages(reader, rules)
        for line in messages:
            if line.torn:
                return
            message = _known(reader, line, message_kinds(messages.definition))
            if message is not None:
                yield message
            elif messages.definition is None:
                problem = f"the log is of a game that this referee does not know; {ADD_GAME}"
                raise UnknownGameError(reader.name, line.number, problem)


def message_of(entry: SentEntry, game: str | None = None) -> Struct:
    """Decode the message of a `sent` entry.

    Args:
        entry: the entry. An entry from `read_record` knows its game.
        game: a key of `GAMES`. You only need this for entries that you created yourself.

    Raises:
        LogReadError: the message is invalid, or the game has no such message.
    """
    game = game or entry.game
    message = message_kinds(game_rules(game)).decode(entry.message)
    if message is None:
        raise LogReadError("entry", 0, f"its message does not belong to {game}")
    return message


def summaries(paths: Iterable[PathLike], *, most: int | None = None) -> Iterator[RecordSummary]:
    """Yield the first and the last entry of each record.

    This is fast for plain files, because we seek to the last line. A compressed file has to be
    decompressed completely.

    Args:
        paths: file names, e.g. from a generator.
        most: maximum size of a compressed file in bytes after decompression, or None for no
            maximum.

    Raises:
        UsageError: a file can't be opened.
        LogReadError: a file isn't a match record, has a newer version, or is larger than `most`.
    """
    for given in paths:
        path = os.fspath(given)
        with LogReader(path, most=most) as reader:
            lines = iter(reader)
            header, kinds = _begin(reader, lines)
            line = kinds.line(reader.line, last_line(path, reader, lines))
            end = _known(reader, line, kinds) if line.kind == "end" and not line.torn else None
        yield RecordSummary(path, header, end)  # type: ignore[arg-type]


def _begin(reader: LogReader, lines: Iterator[bytes]) -> tuple[Header, Kinds]:
    header = read_header(next(lines, b""))
    if not isinstance(header, Header):
        raise header.error(reader.name)
    return header, entry_kinds(GAMES[header.game])


def _known(reader: LogReader, line: Line, kinds: Kinds) -> Struct | None:
    if line.content is None and (line.kind is None or line.kind in kinds.structs):
        what = "an entry of a match record" if kinds.field == "entry" else "a message"
        raise LogReadError(reader.name, line.number, f"this is not {what}")
    return line.content


def last_line(path: str, reader: LogReader, lines: Iterable[bytes]) -> bytes:
    """Return the last line of a log. If it's a plain file, we only read the end of it.

    If the last line is truncated, we return b"" for a plain file, but the truncated line itself for
    a compressed file or a pipe.

    Args:
        lines: the lines of `reader` after the first one, which the caller has already read.
    """
    # We can't seek in a pipe, so we have to read all lines.
    if not Path(path).is_file():
        return next(iter(deque(lines, maxlen=1)), b"")
    if reader.packed:
        with LogReader(path, most=reader.most) as again:
            return again.last()
    with Path(path).open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _TAIL_BYTES, 0))
        tail = file.read()
    return tail.splitlines(keepends=True)[-1] if tail.endswith(b"\n") else b""
