"""Decides which existing files an output may replace: empty ones, and files written by the referee.

A mistyped name mustn't destroy somebody's file. Most of our files begin with a mark that identifies
them. Text, JSON and stderr can't have a mark, so such files are listed in a file in the same folder
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
"""A file of this name lists the output files in its folder that don't have a mark."""
_HEAD = b"# referee wrote these files, and may replace them:"


class OutputKind(NamedTuple):
    """A kind of output file.

    Attributes:
        what: what to call the file in messages, e.g. "a match record".
        marks: byte strings. We may replace a file if its decompressed content begins with any of
            them.
        is_listed: True if such files have no mark, so that we have to list them.
    """

    what: str
    marks: tuple[bytes, ...] = ()
    is_listed: bool = False


_PAGE = b'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta name="generator" content="referee">\n'
_JUNIT = b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="referee '
_MATCHES = b"match,deal,seed,players,ranks,scores,"
_STANDINGS = b"name,reported_name,rank,rating,"

RECORD = OutputKind("a match record", (b'{"entry":"header","format":"referee-match-record",',))
LOG = OutputKind("a spectator log", (b'{"type":"player-name","player_number":"player1",',))
LINKS = OutputKind("a file with the links of a match", (b'{"id":"',))
TEXT = OutputKind("a file that referee wrote", is_listed=True)
PAGE = OutputKind("a page that referee made", (_PAGE,))
REPORT = OutputKind("a report that referee made", (_PAGE, _JUNIT, _MATCHES, _STANDINGS))
"""Report formats with a mark: HTML, JUnit XML and CSV."""
TEXT_REPORT = REPORT._replace(is_listed=True)


def report_kind(format: str) -> OutputKind:
    """Return the kind of a report by the value of `--format`."""
    return TEXT_REPORT if format in ("text", "json", "jsonl") else REPORT


class Output(NamedTuple):
    """An output file. Its `name` is None if the user didn't ask for it."""

    name: str | None
    kind: OutputKind


def check_output(
    name: str, kind: OutputKind, *, force: bool = False, hint: str = "add --force"
) -> None:
    """Raise `UsageError` if writing this output would destroy somebody else's file.

    Pipes, terminals and devices are allowed. For a symbolic link, we check its target. A truncated
    file that was left behind by a killed run counts as the referee's own.

    Args:
        force: allow any file to be replaced.
        hint: the end of the error message, which tells the user how to force it.
    """
    try:
        found = os.stat(name)
    except (OSError, ValueError):  # the file is missing, or open() will report the problem later
        return
    if force or not stat.S_ISREG(found.st_mode) or not found.st_size:
        return
    if not _has_mark(name, kind.marks) and not _is_listed(name):
        problem = f"{name} is not {kind.what}, and would be replaced"
        raise UsageError(f"{problem}; choose another name, or {hint}")


def note_output(name: str, kind: OutputKind) -> None:
    """Remember that we wrote this file, if its kind has no mark.

    Errors are ignored. In the worst case, the next run refuses to replace the file.
    """
    if not kind.is_listed or (os.path.exists(name) and not os.path.isfile(name)):
        return
    if _is_listed(name):
        return
    folder, base = _place(name)
    path = os.path.join(folder, LIST)
    if os.path.exists(path) and not os.path.isfile(path):
        return
    with suppress(OSError), open(path, "a+b") as opened:
        opened.seek(0)
        head = opened.readline().rstrip(b"\n")
        if head in (b"", _HEAD):
            opened.write(b"\n".join([*([] if head else [_HEAD]), os.fsencode(base), b""]))


def _has_mark(name: str, marks: Sequence[bytes]) -> bool:
    try:
        with LogReader(name) as reader:
            head = reader.head(max(map(len, marks), default=0))
            return any(mark.startswith(head[: len(mark)]) for mark in marks)
    except LogReadError:  # e.g. damaged compressed data
        return False


def _is_listed(name: str) -> bool:
    folder, base = _place(name)
    return base in listed_in(folder)


def listed_in(folder: str) -> set[str]:
    """Return the entries of a folder's list of output files."""
    path = os.path.join(folder, LIST)
    if not os.path.isfile(path):  # to read a FIFO or a device may take forever
        return set()
    try:
        with open(path, "rb") as opened:
            head, *entries = opened.read().split(b"\n")
    except OSError:
        return set()
    return {os.fsdecode(entry) for entry in entries if entry} if head == _HEAD else set()


def list_of(names: Sequence[str]) -> str:
    """Return the text of a list that has these output files."""
    return "\n".join([_HEAD.decode(), *names, ""])


def _place(name: str) -> tuple[str, str]:
    return os.path.split(os.path.realpath(name))
