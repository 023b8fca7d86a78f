"""Reading lines of logs: plain or compressed, from a file or standard input, in bounded memory.

Whether a file is compressed is seen from its first bytes, not from its name, so that a stream
without a name can be read as well. A compressed file that was cut off (a crash) gives all that was
flushed before (spec/log-format.md, 4).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from referee.errors import LogReadError
from referee.inputs import STDIN, InputFile
from referee.text.encoding import wide_encoding
from referee.text.terminal import as_text

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Bytes of a line after which reading stops: no log has such a line."""

_CHUNK = 256 * 1024
"""Bytes per step of reading or unpacking."""
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


class LogReader:
    r"""The lines of a log, to be iterated over once.

    Each line comes as it is in the file, with its `\n`; only the last may have none.

    Args:
        name: of a file, or `STDIN`.
        at_end: called where the file ends; if it returns True the file is read on, which is how
            one follows a log that is still being written.
        most: bytes, unpacked, after which reading stops.

    Attributes:
        path: as it was given.
        name: for people: the path, or "standard input"; bytes that are not UTF-8 are shown as
            `\xHH`.
        most: as it was given.
        line: how many lines were taken so far.
        torn: whether the last line has no end; known with it.
        packed: whether the data is compressed; known with the first line.
        cut: whether the data ended in the middle of a compressed stream; known after the last line.

    Raises:
        UsageError: the file cannot be opened (`InputFile`).
    """

    def __init__(
        self, name: str, *, at_end: Callable[[], bool] | None = None, most: int | None = None
    ) -> None:
        self.path = name
        self.name = as_text(name)
        self.line = 0
        self.torn = False
        self.packed = False
        self.cut = False
        self._at_end = at_end or (lambda: False)
        self.most = most
        self._head = b""  # read from the file and still to be given
        if name == STDIN:
            self.name = "standard input"
        self._file = InputFile(name)

    def __enter__(self) -> LogReader:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[bytes]:
        """The lines.

        Raises:
            LogReadError: a line or the file is too long, the text is UTF-16 or UTF-32, compressed
                data is damaged, or the disk fails.
        """
        rest = b""
        for chunk in self._bounded():
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            for line in lines:
                self._check_encoding(line)
                self.line += 1
                yield line + b"\n"
            self._check_length(rest)
        if rest:
            self._check_encoding(rest)
            self.line += 1
            self.torn = True
            yield rest

    def head(self, size: int) -> bytes:
        """The first bytes, instead of the lines; fewer than `size` if there are no more.

        Raises:
            LogReadError: compressed data is damaged, or the disk fails.
        """
        head = b""
        for chunk in self._chunks():
            head += chunk
            if len(head) >= size:
                break
        return head[:size]

    def last(self) -> bytes:
        """The last line, instead of the lines, which is quicker; empty if there is none.

        Raises:
            LogReadError: the line or the file is too long, compressed data is damaged, or the disk
                fails.
        """
        last = b""
        for chunk in self._bounded():
            before = b"" if last.endswith(b"\n") else last
            begin = chunk.rfind(b"\n", 0, -1) + 1
            last = chunk[begin:] if begin else before + chunk
            self._check_length(last)
            self.line += chunk.count(b"\n")  # for a problem of the next chunk
        return last

    def size(self, most: int) -> int:
        """How many bytes there are, unpacked, instead of the lines; counting stops above `most`.

        Raises:
            LogReadError: compressed data is damaged, or the disk fails.
        """
        size = 0
        for chunk in self._chunks():
            size += len(chunk)
            if size > most:
                break
        return size

    @property
    def whole(self) -> int:
        """How many whole lines were taken so far."""
        return self.line - self.torn

    def _bounded(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._chunks():
            size += len(chunk)
            if self.most is not None and size > self.most:
                raise self._error(f"the file is longer than {self.most // 1024**2} MiB, unpacked")
            yield chunk

    def _check_length(self, line: bytes) -> None:
        if len(line) > MAX_LINE_BYTES:
            raise self._error(f"the line is longer than {MAX_LINE_BYTES // 1024**2} MiB")

    def _check_encoding(self, line: bytes) -> None:
        if not self.line and (encoding := wide_encoding(line)):
            raise self._error(f"the file is {encoding}: save it as UTF-8 without a byte order mark")

    def _error(self, problem: str) -> LogReadError:
        return LogReadError(self.name, self.line + 1, problem)

    def _chunks(self) -> Iterator[bytes]:
        head = b""
        while more := self._read(len(_ZSTD) - len(head)):
            head += more
            if not (_GZIP.startswith(head) or _ZSTD.startswith(head)):
                break
        self._head = head
        source: Any = SimpleNamespace(read=self._read)
        read, kind = self._read, ""
        damage: tuple[type[Exception], ...] = ()
        if head.startswith(_GZIP):
            import gzip  # plain files are read without it

            read = gzip.GzipFile(fileobj=source, mode="rb").read1
            kind, damage = "gzip", (zlib.error, gzip.BadGzipFile)
        elif head.startswith(_ZSTD):
            from referee.logs.zstd import zstd

            read, kind, damage = zstd.ZstdFile(source).read1, "Zstandard", (zstd.ZstdError,)
        self.packed = bool(kind)
        try:
            while chunk := read(_CHUNK):  # no more than this at once, however well it was packed
                yield chunk
        except EOFError:
            self.cut = True
        except damage as error:
            raise self._error(f"the {kind} data is damaged, here or soon after") from error

    def _read(self, size: int) -> bytes:
        """At most this many bytes of the file as they are; none at its end."""
        data, self._head = self._head[:size], self._head[size:]
        while size and not data:
            try:
                data = self._file.read(size)
            except OSError as error:
                raise self._error(f"it cannot be read: {error.strerror}") from error
            if not data and not self._at_end():
                break
        return data
