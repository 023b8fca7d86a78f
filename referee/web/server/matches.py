"""Matches as their pages load them: header, steps and lines as JSON, read once for each file."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from typing import NamedTuple

import msgspec

from referee.errors import LogReadError, UsageError
from referee.logs.rerun import Rerun
from referee.logs.source import LogReader
from referee.web.data import Header, MatchPage, course_of
from referee.web.recorded import read_match
from referee.web.server.library import File, check_in_place

MAX_FILE = 64 * 2**20
"""Bytes of a file that is shown, as it is on the disk."""
_KEPT_BYTES = 64 * 2**20
PARTS = ("header", "steps", "lines")


class Parts(NamedTuple):
    """A match: its header, and its parts as JSON (spec/page-data.md, 1)."""

    about: Header
    header: bytes
    steps: bytes
    lines: bytes

    @classmethod
    def of(cls, match: MatchPage) -> Parts:
        """A match as JSON."""
        encode = msgspec.json.encode
        header = match.header
        return cls(header, encode(header), encode(course_of(match)), encode(match.lines))

    def of_tournaments(self, names: list[str]) -> Parts:
        """The same match, as one of these tournaments."""
        about = msgspec.structs.replace(self.about, tournaments=names)
        return self._replace(about=about, header=msgspec.json.encode(about))

    @property
    def whole(self) -> bytes:
        """All of it as one object."""
        return b'{"header":%s,%s,"lines":%s}' % (self.header, self.steps[1:-1], self.lines)

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.header) + len(self.steps) + len(self.lines)


class Matches:
    """The matches that were looked at last. Its methods may be called in any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[tuple[File, tuple[str | None, ...]], Parts] = OrderedDict()

    def parts(
        self, file: File, names: Sequence[str] = (), stderr: Sequence[str | None] = ()
    ) -> Parts:
        """A match; two calls for the same file at a time read it twice (turns.py).

        Args:
            names, stderr: of the players, as of `read_match`.

        Raises:
            UsageError: the file is too large, is not there any more, or is neither a record nor a
                log.
        """
        check_in_place(file)
        key = file, (*names, *(stderr if any(stderr) else ()))
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        _check_size(file)
        found = Parts.of(_read(file, names, stderr))
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > 1 and self._size() > _KEPT_BYTES:
                self._kept.popitem(last=False)
            return found

    def _size(self) -> int:
        return sum(parts.size for parts in self._kept.values())


def _check_size(file: File) -> None:
    """Raise `UsageError` if a file is too large now; a match that is played grows."""
    size = os.path.getsize(file.path)
    if size > MAX_FILE:
        raise UsageError(
            f"{file.id} has {size >> 20} MB, more than is shown here: "
            "referee page --turns shows a part of it"
        )
    with LogReader(file.path) as reader, suppress(LogReadError):  # it is shown how far it goes
        if reader.size(MAX_FILE) > MAX_FILE:
            raise UsageError(
                f"{file.id} has more than {MAX_FILE >> 20} MB, unpacked: it is not shown here"
            )


def digest_of(file: File) -> str:
    """The digest of the lines of a record, as of `Rerun`; empty if it has none."""
    try:
        check_in_place(file)
        _check_size(file)
        rerun = Rerun(file.path)
        for _ in rerun.rounds():
            pass
    except (OSError, LogReadError, UsageError):
        return ""
    return rerun.digest


def _read(file: File, names: Sequence[str], stderr: Sequence[str | None]) -> MatchPage:
    """Read a match; that its folder is somewhere on this machine is nobody's business."""
    try:
        match = read_match(file.path, names, stderr)
    except LogReadError as error:
        raise UsageError(f"{file.id}, line {error.line}: {error.problem}") from error
    problem = match.header.problem.replace(file.path, file.id)
    header = msgspec.structs.replace(match.header, problem=problem)
    return msgspec.structs.replace(match, header=header)
