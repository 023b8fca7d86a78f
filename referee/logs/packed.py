"""Compresses a log in blocks that survive a crash (spec/log-format.md, 4).

A compressor buffers its input, and we'd lose that data in a crash. If we flushed after every line,
we wouldn't lose anything, but the file would hardly get smaller. As a compromise, we flush after
every block.
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
"""After this many seconds, the next line completes a block even if the block is small."""


class Packer:
    """Compresses lines in blocks. The suffix selects gzip or Zstandard.

    If the file is cut off, all complete blocks before that can still be decompressed.
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
        """Add lines. If they complete a block, return it in compressed form, otherwise b""."""
        self._waiting.append(lines)
        self._bytes += len(lines)
        now = time.monotonic()
        if self._bytes < BLOCK_BYTES and now - self._flushed < BLOCK_SECONDS:
            return b""
        self._flushed = now
        return self._compress(self._take(), self._block)

    def end(self) -> bytes:
        """Compress the remaining lines, and finish the stream."""
        return self._compress(self._take(), self._end)

    def _take(self) -> bytes:
        lines = b"".join(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        return lines
