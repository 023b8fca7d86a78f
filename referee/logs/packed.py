"""Compressing a log in blocks that survive a crash (spec/log-format.md, 4)."""

from __future__ import annotations

import time
import zlib
from typing import Protocol

SUFFIXES = (".gz", ".zst")
"""The suffixes of files that are compressed."""
BLOCK_BYTES = 32 * 1024
"""So many bytes of lines are a block, before they are compressed."""
BLOCK_SECONDS = 1.0
"""What is written so long after the last block ends the next one, however short it is."""


class Packer:
    """Compresses lines, gathered into blocks.

    A block can be unpacked once it is written, without what comes after it.

    Args:
        suffix: one of `SUFFIXES`.
    """

    def __init__(self, suffix: str) -> None:
        self._stream: _Stream = _Gzip() if suffix == ".gz" else _Zstd()
        self._waiting: list[bytes] = []
        self._bytes = 0
        self._flushed = time.monotonic()

    def pack(self, lines: bytes) -> bytes:
        """Take lines; the block that they complete, or nothing."""
        self._waiting.append(lines)
        self._bytes += len(lines)
        now = time.monotonic()
        if self._bytes < BLOCK_BYTES and now - self._flushed < BLOCK_SECONDS:
            return b""
        self._flushed = now
        return self._stream.block(self._take())

    def end(self) -> bytes:
        """The lines that still wait, and the end of the stream."""
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
