"""The record of a match that is still being played, for those who watch a tournament."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from referee.logs.sink import MemorySink

LIVE_SECONDS = 0.5
"""A match that takes longer can be watched; so shorter ones cost nothing."""
_SUFFIX = ".live.jsonl"


def live_of(folder: Path, match: int) -> Path:
    """The file of a match that is being played."""
    return folder / f"{match:06}{_SUFFIX}"


def kept_of(id: str) -> str:
    """The path of a match after its end; any other path stays the same."""
    return id.removesuffix(_SUFFIX) + ".record.jsonl.zst" if id.endswith(_SUFFIX) else id


def remove_live(folder: Path) -> None:
    """Remove what is left of matches that were not played to their end."""
    for path in folder.glob(f"[0-9]*{_SUFFIX}"):
        with suppress(OSError):
            path.unlink()


class LiveRecord(MemorySink):
    """Keeps a record in memory, and after a while in a file as well.

    Nobody's match ends for want of a file: one that cannot be written is left as it is.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._until = time.monotonic() + LIVE_SECONDS
        self._file: int | None = None

    def write(self, lines: bytes) -> None:
        """Append whole lines."""
        super().write(lines)
        with suppress(OSError):
            if self._file is not None:
                os.write(self._file, lines)
            elif time.monotonic() > self._until:
                self._path.unlink(missing_ok=True)  # of an attempt before this one
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
                self._file = os.open(self._path, flags, 0o666)
                fcntl.flock(self._file, fcntl.LOCK_SH)  # it is being written
                os.write(self._file, self.data)

    def close(self) -> None:
        """Take no more."""
        if self._file is not None:
            os.close(self._file)
            self._file, self._until = None, float("inf")
