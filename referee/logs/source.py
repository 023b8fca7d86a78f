"""Reads lines of logs, plain or compressed, from a file or standard input, in bounded memory.

We look at the first bytes to find out whether the data is compressed, because standard input has
no suffix. If a crash truncated a compressed file, we can still read every block that was flushed
(spec/log-format.md, 4).
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

# No log has lines that are longer than this. It must be some other kind of file, so we stop before
# it fills the memory.
MAX_LINE_BYTES = 16 * 1024 * 1024
# Python takes 192 bytes for an object like {"":0}. So each list and object of a long line must have
# this many bytes, as in logs it has. Shorter lines take little memory anyway.
LONG_LINE, BYTES_EACH = 256 * 1024, 24

# Bytes per read or decompression step.
_CHUNK = 256 * 1024
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


class LogReader:
    r"""The lines of a log. You can iterate over them once.

    Each line ends with `\n`, except that it may be missing from the last line.

    Args:
        name: file name, or `STDIN`.
        at_end: called at the end of the file. If it returns True, reading continues. Use this to
            follow a log that's still growing.
        most: reading stops after this many bytes (after decompression).

    Attributes:
        path: the argument `name`.
        name: the path for messages, or "standard input". Bytes that aren't UTF-8 are shown as
            `\xHH`.
        most: the argument `most`.
        line: number of lines read so far.
        torn: True if the last line has no newline. This is only known after the last line.
        packed: True if the data is compressed. This is only known after the first line.
        cut: True if the data ended inside a compressed stream. This is only known after the last
            line.

    Raises:
        UsageError: the file can't be opened (`InputFile`).
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
        self._head = b""  # bytes that we've read but not returned yet
        if name == STDIN:
            self.name = "standard input"
        self._file = InputFile(name)

    def __enter__(self) -> LogReader:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines.

        Raises:
            LogReadError: a line or the file is too long or has too many lists and objects, the text
                is UTF-16 or UTF-32, compressed data is damaged, or reading failed.
        """
        rest = b""
        for chunk in self._bounded():
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            for line in lines:
                self._check(line)
                self.line += 1
                yield line + b"\n"
            self._check_length(rest)
        if rest:
            self._check(rest)
            self.line += 1
            self.torn = True
            yield rest

    def head(self, size: int) -> bytes:
        """Return the first `size` bytes, or all of a shorter file. Don't iterate after this.

        Raises:
            LogReadError: compressed data is damaged, or reading failed.
        """
        head = b""
        for chunk in self._chunks():
            head += chunk
            if len(head) >= size:
                break
        return head[:size]

    def last(self) -> bytes:
        """Return the last line, or b"" if the file is empty. This is faster than iterating.

        Use this instead of iterating, because it reads the whole file.

        Raises:
            LogReadError: the line or the file is too long, compressed data is damaged, or reading
                failed.
        """
        last = b""
        for chunk in self._bounded():
            before = b"" if last.endswith(b"\n") else last
            begin = chunk.rfind(b"\n", 0, -1) + 1
            last = chunk[begin:] if begin else before + chunk
            self._check_length(last)
            self.line += chunk.count(b"\n")  # error messages need it
        self._check(last)
        return last

    def size(self, most: int) -> int:
        """Return the size of the decompressed data in bytes. Use this instead of iterating.

        We stop counting above `most`, because a small file can decompress to an enormous one.

        Raises:
            LogReadError: compressed data is damaged, or reading failed.
        """
        size = 0
        for chunk in self._chunks():
            size += len(chunk)
            if size > most:
                break
        return size

    @property
    def whole(self) -> int:
        """Number of complete lines read so far."""
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

    def _check(self, line: bytes) -> None:
        if not self.line and (encoding := wide_encoding(line)):
            raise self._error(f"the file is {encoding}: save it as UTF-8 without a byte order mark")
        if LONG_LINE < len(line) < BYTES_EACH * (line.count(b"{") + line.count(b"[")):
            raise self._error("the line has too many lists and objects for its length")

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
            import gzip  # imported late, because most logs are plain files

            read = gzip.GzipFile(fileobj=source, mode="rb").read1
            kind, damage = "gzip", (zlib.error, gzip.BadGzipFile)
        elif head.startswith(_ZSTD):
            from referee.logs.zstd import zstd

            read, kind, damage = zstd.ZstdFile(source).read1, "Zstandard", (zstd.ZstdError,)
        self.packed = bool(kind)
        try:
            # Always pass a size, because a few bytes may decompress to gigabytes.
            while chunk := read(_CHUNK):
                yield chunk
        except EOFError:
            self.cut = True
        except damage as error:
            raise self._error(f"the {kind} data is damaged, here or soon after") from error

    def _read(self, size: int) -> bytes:
        data, self._head = self._head[:size], self._head[size:]
        while size and not data:
            try:
                data = self._file.read(size)
            except OSError as error:
                raise self._error(f"it cannot be read: {error.strerror}") from error
            if not data and not self._at_end():
                break
        return data
