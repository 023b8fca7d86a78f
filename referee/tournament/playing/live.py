"""Writes the record of a match in progress for the spectators of a tournament."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from referee.logs.sink import MemorySink

# If a match takes longer than this many seconds, its record is written to a file, so that people
# can watch it.
LIVE_SECONDS = 0.5
_SUFFIX = ".live.jsonl"


def live_path(folder: Path, match: int) -> Path:
    """Return the path of the record of a match in progress."""
    return folder / f"{match:06}{_SUFFIX}"


def finished_path(id: str) -> str:
    """Return the path that a live record has after the match. Leaves other paths alone."""
    return id.removesuffix(_SUFFIX) + ".record.jsonl.zst" if id.endswith(_SUFFIX) else id


def remove_live(folder: Path) -> None:
    """Delete live records that a run has left behind."""
    for path in folder.glob(f"[0-9]*{_SUFFIX}"):
        with suppress(OSError):
            path.unlink()


class LiveRecord(MemorySink):
    """Keeps a record in memory, and after `LIVE_SECONDS` also in a file.

    We ignore errors of writing the file, e.g. if the disk is full. A match must not end just
    because nobody can watch it.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._until = time.monotonic() + LIVE_SECONDS
        self._file: int | None = None

    def write(self, lines: bytes) -> None:
        """Append complete lines."""
        super().write(lines)
        with suppress(OSError):
            if self._file is not None:
                os.write(self._file, lines)
            elif time.monotonic() > self._until:
                self._path.unlink(missing_ok=True)  # left by an earlier attempt
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
                self._file = os.open(self._path, flags, 0o666)
                # The lock tells readers that the file is still being written.
                fcntl.flock(self._file, fcntl.LOCK_SH)
                os.write(self._file, self.data)

    def close(self) -> None:
        """Close the file. Later writes only go to memory."""
        if self._file is not None:
            os.close(self._file)
            self._file, self._until = None, float("inf")
