"""Compressed log files, written in blocks that survive a crash (spec/log-format.md, 4)."""

from __future__ import annotations

import time
import zlib
from typing import Protocol

from referee.logs.files import LogFile

BLOCK_BYTES = 32 * 1024
"""So many bytes of lines are a block, before they are compressed."""
BLOCK_SECONDS = 1.0
"""What is written so long after the last block ends the next one, however short it is."""


class PackedLogFile(LogFile):
    """A compressed file that lines are appended to.

    Lines are gathered into blocks. A block is with the operating system, and can be unpacked, once
    it is flushed; a crash loses the lines that wait for the next.
    """

    def __init__(self, fd: int, name: str, *, is_new: bool = False) -> None:
        super().__init__(fd, name, is_new=is_new)
        self._stream: _Stream = _Gzip() if name.endswith(".gz") else _Zstd()
        self._waiting: list[bytes] = []
        self._bytes = 0
        self._flushed = time.monotonic()

    def write(self, lines: bytes) -> None:
        """Append whole lines."""
        self._waiting.append(lines)
        self._bytes += len(lines)
        now = time.monotonic()
        if self._bytes >= BLOCK_BYTES or now - self._flushed >= BLOCK_SECONDS:
            self._flushed = now
            self._put(self._stream.block(self._take()))

    def _tail(self) -> bytes:
        return self._stream.end(self._take())

    def _take(self) -> bytes:
        lines = b"".join(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        return lines


class _Stream(Protocol):
    def block(self, data: bytes) -> bytes:
        """What makes the data readable, with all before it."""

    def end(self, data: bytes) -> bytes:
        """The data and the end of the stream."""


class _Gzip:
    def __init__(self) -> None:
        self._stream = zlib.compressobj(wbits=31)

    def block(self, data: bytes) -> bytes:
        return self._stream.compress(data) + self._stream.flush(zlib.Z_SYNC_FLUSH)

    def end(self, data: bytes) -> bytes:
        return self._stream.compress(data) + self._stream.flush(zlib.Z_FINISH)


class _Zstd:
    def __init__(self) -> None:
        from referee.logs.zstd import zstd

        self._stream = zstd.ZstdCompressor()

    def block(self, data: bytes) -> bytes:
        return self._stream.compress(data, self._stream.FLUSH_BLOCK)

    def end(self, data: bytes) -> bytes:
        return self._stream.compress(data, self._stream.FLUSH_FRAME)
