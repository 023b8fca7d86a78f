"""Compress a log in blocks that survive a crash (spec/log-format.md, 4).

A compressor holds data back until it has seen enough of it, and a crash would lose this data.
Flushing after each line would be safe, but hardly compress anything. Flushing after each block is a
compromise.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from typing import Any

SUFFIXES = (".gz", ".zst")
"""Suffixes of compressed files."""
BLOCK_BYTES = 32 * 1024
"""Size of a block in bytes, before compression."""
BLOCK_SECONDS = 1.0
"""A block is completed by the next line after this many seconds, whatever its size."""


class Packer:
    """Compresses lines in blocks, in the format of one of `SUFFIXES`.

    Each block can be decompressed even if everything after it is missing.
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
        """Add lines. Returns a compressed block if one is complete, otherwise b""."""
        self._waiting.append(lines)
        self._bytes += len(lines)
        now = time.monotonic()
        if self._bytes < BLOCK_BYTES and now - self._flushed < BLOCK_SECONDS:
            return b""
        self._flushed = now
        return self._compress(self._take(), self._block)

    def end(self) -> bytes:
        """Return the remaining lines, compressed, and the end of the stream."""
        return self._compress(self._take(), self._end)

    def _take(self) -> bytes:
        lines = b"".join(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        return lines
