"""Encodes matches as JSON for their pages (header, steps and lines), and caches the results."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from typing import NamedTuple

import msgspec

from referee.errors import LogReadError, UsageError
from referee.logs.rerun import rerun_of
from referee.logs.source import LogReader
from referee.web.data import Header, MatchPage, course_of
from referee.web.recorded import read_match
from referee.web.server.library import File, check_in_place

# We don't show a file that takes up more bytes than this on disk.
MAX_FILE = 64 * 2**20
_KEPT_BYTES = 64 * 2**20
PARTS = ("header", "steps", "lines")


class Parts(NamedTuple):
    """A match as JSON, in the parts that its page loads (tools/javascript/page-data.md, 1).

    The cache contains matches in this form, because many readers load the same match.
    """

    about: Header
    header: bytes
    steps: bytes
    lines: bytes

    @classmethod
    def of(cls, match: MatchPage) -> Parts:
        """Encode a match."""
        encode = msgspec.json.encode
        header = match.header
        return cls(header, encode(header), encode(course_of(match)), encode(match.lines))

    def of_tournaments(self, names: list[str]) -> Parts:
        """Return a copy with these tournaments in the header."""
        about = msgspec.structs.replace(self.about, tournaments=names)
        return self._replace(about=about, header=msgspec.json.encode(about))

    @property
    def whole(self) -> bytes:
        """The complete match as one JSON object."""
        return b'{"header":%s,%s,"lines":%s}' % (self.header, self.steps[1:-1], self.lines)

    @property
    def size(self) -> int:
        """Size in bytes, as JSON."""
        return len(self.header) + len(self.steps) + len(self.lines)


class Matches:
    """A cache of the matches that were viewed last. Thread-safe.

    We keep the last match even if it's larger than the whole cache may be. Otherwise, we'd have to
    read its file again for each part of its page.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[tuple[File, tuple[str | None, ...]], Parts] = OrderedDict()

    def parts(
        self, file: File, names: Sequence[str] = (), stderr: Sequence[str | None] = ()
    ) -> Parts:
        """Return a match, reading its file if it isn't cached.

        We don't hold the lock while reading, so two concurrent calls for the same file would both
        read it. See turns.py for how the application avoids this.

        Args:
            names, stderr: arguments of `read_match`.

        Raises:
            UsageError: the file is too large, was deleted, or is neither a record nor a log.
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
            while len(self._kept) > 1 and sum(p.size for p in self._kept.values()) > _KEPT_BYTES:
                self._kept.popitem(last=False)
            return found


def _check_size(file: File) -> None:
    # We can't rely on `file.size`: if the match is in progress, the file has grown since.
    size = os.path.getsize(file.path)
    if size > MAX_FILE:
        raise UsageError(
            f"{file.id} has {size >> 20} MB, more than is shown here: "
            "referee page --turns shows a part of it"
        )
    with LogReader(file.path) as reader, suppress(LogReadError):  # the page will report the damage
        if reader.size(MAX_FILE) > MAX_FILE:
            raise UsageError(
                f"{file.id} has more than {MAX_FILE >> 20} MB, unpacked: it is not shown here"
            )


def digest_of(file: File) -> str:
    """Return the digest of a record's lines (`Rerun.digest`), or "" if it doesn't have one."""
    try:
        check_in_place(file)
        _check_size(file)
        rerun = rerun_of(file.path)
        for _ in rerun.steps():
            pass
    except (OSError, LogReadError, UsageError):
        return ""
    return rerun.digest


def _read(file: File, names: Sequence[str], stderr: Sequence[str | None]) -> MatchPage:
    try:
        match = read_match(file.path, names, stderr)
    except LogReadError as error:
        raise UsageError(f"{file.id}, line {error.line}: {error.problem}") from error
    # The page should show the file's name here, but not the folder it's in.
    problem = match.header.problem.replace(file.path, file.id)
    header = msgspec.structs.replace(match.header, problem=problem)
    return msgspec.structs.replace(match, header=header)
