"""Reading lines of logs: plain or compressed, from a file or standard input, in bounded memory.

Whether a file is compressed is seen from its first bytes, not from its name, so that a stream
without a name can be read as well. A compressed file that was cut off (a crash) gives all that was
flushed before (spec/log-format.md, 4).
"""

from __future__ import annotations

import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from types import ModuleType, TracebackType
from typing import Protocol

from referee.errors import LogReadError, UsageError, why
from referee.terminal import as_text

STDIN = "-"
MAX_LINE_BYTES = 16 * 1024 * 1024
"""A longer line is no log's: reading stops there."""

_CHUNK = 256 * 1024
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


class LogReader:
    r"""The lines of a log, to be iterated over once.

    Each line comes as it is in the file, with its `\n`; only the last may have none.

    Args:
        name: of a file, or `STDIN`.
        at_end: called where the file ends; if it returns True the file is read on, which is how
            one follows a log that is still being written.

    Attributes:
        name: as it was given, or "standard input"; bytes that are no UTF-8 stand as `\xHH`.
        line: how many lines were taken so far.
        torn: whether the last line has no end; known with it.
        packed: whether the data is compressed; known with the first line.
        cut: whether the data ended in the middle of a compressed stream; known after the last line.

    Raises:
        UsageError: the file cannot be opened, or is a directory.
    """

    def __init__(self, name: str, *, at_end: Callable[[], bool] | None = None) -> None:
        self.name = as_text(name)
        self.line = 0
        self.torn = False
        self.packed = False
        self.cut = False
        self._at_end = at_end or (lambda: False)
        if name == STDIN:
            self.name = "standard input"
            self._fd = os.dup(sys.stdin.fileno())
            return
        try:
            self._fd = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
            if stat.S_ISDIR(os.fstat(self._fd).st_mode):
                os.close(self._fd)
                raise IsADirectoryError(0, f"it is a directory; name the files in it: {name}/*")
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot read {name}: {why(error)}") from error

    def __enter__(self) -> LogReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        os.close(self._fd)

    def __iter__(self) -> Iterator[bytes]:
        """The lines.

        Raises:
            LogReadError: a line is too long, compressed data is damaged, or the disk fails.
        """
        rest = b""
        for chunk in self._chunks():
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            for line in lines:
                self.line += 1
                yield line + b"\n"
            if len(rest) > MAX_LINE_BYTES:
                raise self._error(f"the line is longer than {MAX_LINE_BYTES // 1024**2} MiB")
        if rest:
            self.line += 1
            self.torn = True
            yield rest

    @property
    def whole(self) -> int:
        """How many whole lines were taken so far."""
        return self.line - self.torn

    def _error(self, problem: str) -> LogReadError:
        return LogReadError(self.name, self.line + 1, problem)

    def _chunks(self) -> Iterator[bytes]:
        """The data, unpacked."""
        raw = self._raw()
        head = b""
        for chunk in raw:
            head += chunk
            if len(head) >= len(_ZSTD) or not (_GZIP.startswith(head) or _ZSTD.startswith(head)):
                break
        if head.startswith(_GZIP):
            yield from self._unpacked(head, raw, _Gzip, "gzip")
        elif head.startswith(_ZSTD):
            yield from self._unpacked(head, raw, _zstd().ZstdDecompressor, "Zstandard")
        else:
            yield head
            yield from raw

    def _raw(self) -> Iterator[bytes]:
        while True:
            try:
                chunk = os.read(self._fd, _CHUNK)
            except OSError as error:
                raise self._error(f"it cannot be read: {error.strerror}") from error
            if chunk:
                yield chunk
            elif not self._at_end():
                return

    def _unpacked(
        self, head: bytes, raw: Iterable[bytes], new: Callable[[], _Decompressor], kind: str
    ) -> Iterator[bytes]:
        """Unpack streams that follow on each other, as `cat a.gz b.gz` makes them."""
        self.packed = True
        stream = new()
        begun = False
        try:
            for chunk in chain((head,), raw):
                data = chunk
                while data or (begun and not stream.needs_input and not stream.eof):
                    if stream.eof:
                        stream = new()
                    begun = True
                    # Never more than a chunk at once, however well it was packed.
                    unpacked = stream.decompress(data, _CHUNK)
                    data = stream.unused_data if stream.eof else b""
                    if unpacked:
                        yield unpacked
                begun = begun and not stream.eof
        except (zlib.error, _zstd().ZstdError) as error:
            raise self._error(f"the {kind} data is damaged, here or soon after") from error
        self.cut = begun


class _Decompressor(Protocol):
    """As in the standard library's `compression.zstd` and `bz2`."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Gzip:
    """`zlib`'s decompressor with the interface that the standard library's others have."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._stream.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)


def _zstd() -> ModuleType:
    from referee.logs.zstd import zstd

    return zstd
