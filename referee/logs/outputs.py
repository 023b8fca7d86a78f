"""The files that an output may replace: empty files, and files that the referee wrote itself.

A slip in a name must not cost anybody a file. Most kinds of files begin with a mark of the referee.
Text, JSON and stderr have no room for a mark: a list beside these files names them
(spec/log-format.md, "Existing files").
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from referee.errors import LogReadError, UsageError
from referee.logs.source import LogReader

LIST = ".referee-files"
"""Name of the list, in the folder of the files that it names."""
_HEAD = b"# referee wrote these files, and may replace them:"


class Kind(NamedTuple):
    """A kind of output file.

    Attributes:
        what: a noun phrase for the user.
        marks: the first bytes, unpacked, of the files that it may replace.
        is_listed: whether the list names its files, because they have no mark.
    """

    what: str
    marks: tuple[bytes, ...] = ()
    is_listed: bool = False


_PAGE = b'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta name="generator" content="referee">\n'
_JUNIT = b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="referee '
_MATCHES = b"match,deal,seed,players,ranks,scores,"
_STANDINGS = b"name,reported_name,rank,rating,"

RECORD = Kind("a match record", (b'{"entry":"header","format":"referee-match-record",',))
LOG = Kind("a spectator log", (b'{"type":"player-name","player_number":"player1",',))
LINKS = Kind("a file with the links of a match", (b'{"id":"',))
TEXT = Kind("a file that referee wrote", is_listed=True)
PAGE = Kind("a page that referee made", (_PAGE,))
REPORT = Kind("a report that referee made", (_PAGE, _JUNIT, _MATCHES, _STANDINGS))
"""A report with a mark: HTML, JUnit XML or csv."""
TEXT_REPORT = REPORT._replace(is_listed=True)


def report_kind(format: str) -> Kind:
    """The kind of a report, by the word of `--format`."""
    return TEXT_REPORT if format in ("text", "json", "jsonl") else REPORT


class Output(NamedTuple):
    """A file to be written, by the name that the user gave it; None: there is no such output."""

    name: str | None
    kind: Kind


def check_output(name: str, kind: Kind, *, force: bool = False, hint: str = "add --force") -> None:
    """Raise a `UsageError` if writing this output would cost somebody a file.

    Pipes, terminals and devices can be written to. A symbolic link counts as the file it leads to.
    A file that a killed run has cut short is the referee's, too.

    Args:
        force: the user wants any file to be replaced.
        hint: how the user can say so.
    """
    try:
        found = os.stat(name)
    except (OSError, ValueError):  # it is not there, or whoever opens it says what is wrong
        return
    if force or not stat.S_ISREG(found.st_mode) or not found.st_size:
        return
    if not _has_mark(name, kind.marks) and not _is_listed(name):
        problem = f"{name} is not {kind.what}, and would be replaced"
        raise UsageError(f"{problem}; choose another name, or {hint}")


def note_output(name: str, kind: Kind) -> None:
    """Put a file that is being written on the list of its folder, if its kind has no mark.

    If the list cannot be written, the next run refuses to replace the file.
    """
    if not kind.is_listed or (os.path.exists(name) and not os.path.isfile(name)):
        return
    if _is_listed(name):
        return
    file, entry = _entry(name)
    with suppress(OSError), open(file, "a+b") as opened:
        opened.seek(0)
        head = opened.readline().rstrip(b"\n")
        if head in (b"", _HEAD):
            opened.write(b"\n".join([*([] if head else [_HEAD]), entry, b""]))


def _has_mark(name: str, marks: Sequence[bytes]) -> bool:
    try:
        with LogReader(name) as reader:
            head = reader.head(max(map(len, marks), default=0))
            return any(mark.startswith(head[: len(mark)]) for mark in marks)
    except LogReadError:  # compressed data that is damaged
        return False


def _is_listed(name: str) -> bool:
    file, entry = _entry(name)
    try:
        with open(file, "rb") as opened:
            head, *entries = opened.read().split(b"\n")
    except OSError:
        return False
    return head == _HEAD and entry in entries


def _entry(name: str) -> tuple[bytes, bytes]:
    """The list that has a file, and the line in it."""
    folder, base = os.path.split(os.path.realpath(os.fsencode(name)))
    return os.path.join(folder, LIST.encode()), base
