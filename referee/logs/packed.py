"""Compressing a log in blocks that survive a crash (spec/log-format.md, 4)."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from typing import Any

SUFFIXES = (".gz", ".zst")
"""The suffixes of files that are compressed."""
BLOCK_BYTES = 32 * 1024
"""Bytes of lines that are a block, before they are compressed."""
BLOCK_SECONDS = 1.0
"""Seconds after a block in which the next line ends one, however short it is."""


class Packer:
    """Compresses lines, gathered into blocks, for one of `SUFFIXES`.

    A block can be unpacked once it is written, without what comes after it.
    """

    def __init__(self, suffix: str) -> None:
        self._compress: Callable[[bytes, Any], bytes]
        if suffix == ".gz":
            stream = zlib.compressobj(wbits=31)
            self._compress = lambda data, flush: stream.compress(data) + stream.flush(flush)
            self._block, self._end = zlib.Z_SYNC_FLUSH, zlib.Z_FINISH
        else:
            from referee.logs.zstd import zstd

            compressor = zstd.ZstdCompressor
            self._compress = compressor().compress
            self._block, self._end = compressor.FLUSH_BLOCK, compressor.FLUSH_FRAME
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
        return self._compress(self._take(), self._block)

    def end(self) -> bytes:
        """The lines that still wait, and the end of the stream."""
        return self._compress(self._take(), self._end)

    def _take(self) -> bytes:
        lines = b"".join(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        return lines
