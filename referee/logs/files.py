"""Log files: opened before a match starts, written in whole lines, never buffered.

Only those that are compressed, by their suffix, are gathered into blocks (`packed.py`).
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from referee.errors import LogWriteError, UsageError

STDOUT = "-"
PACKED = (".gz", ".zst")
"""The suffixes of files that are compressed."""


class LogFile:
    """A file that lines are appended to.

    What `write` was given is with the operating system when it returns: a crash of the referee
    leaves whole batches of lines behind, and only a crash of the machine can tear one.
    """

    def __init__(self, fd: int, name: str, *, keep_open: bool = False) -> None:
        self._fd = fd
        self._name = name
        self._keep_open = keep_open
        self.closed = False

    def write(self, lines: bytes) -> None:
        """Append whole lines.

        Raises:
            LogWriteError: the file takes no more (disk full, reader gone).
        """
        try:
            written = os.write(self._fd, lines)
            while written < len(lines):  # a pipe or a nearly full disk may take a part
                written += os.write(self._fd, lines[written:])
        except OSError as error:
            raise LogWriteError(self._name, error) from error

    def close(self) -> None:
        """Close the file, once; standard output stays open.

        Raises:
            LogWriteError: the file is compressed and takes no more.
        """
        if not self.closed and not self._keep_open:
            os.close(self._fd)
        self.closed = True

    def empty(self) -> None:
        """Drop what a regular file holds."""
        if stat.S_ISREG(os.fstat(self._fd).st_mode) and not self._keep_open:
            os.ftruncate(self._fd, 0)


def open_logs(names: Sequence[str | None]) -> list[LogFile | None]:
    """Open log files for writing, all of them or none.

    Args:
        names: file names; `STDOUT` for standard output, None for no log.

    Returns:
        One entry a name.

    Raises:
        UsageError: one cannot be written, or two are the same file. What the files held before is
            then still there, and no new file was left behind.
    """
    opened: list[LogFile | None] = []
    fresh: list[str] = []
    fds: dict[tuple[int, int], str] = {}
    try:
        for name in names:
            if name is None:
                opened.append(None)
                continue
            if name == STDOUT:
                fd = sys.stdout.fileno()
                os.set_blocking(fd, True)
                opened.append(LogFile(fd, "standard output", keep_open=True))
                continue
            existed = Path(name).exists()
            # Not truncated yet: if a later file cannot be opened, this one must not be lost.
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
            opened.append(_packed(fd, name) if name.endswith(PACKED) else LogFile(fd, name))
            if not existed:
                fresh.append(name)
            status = os.fstat(fd)
            key = (status.st_dev, status.st_ino)
            if stat.S_ISREG(status.st_mode) and key in fds:
                raise UsageError(f"{fds[key]} and {name} are the same file")
            fds[key] = name
    except (OSError, UsageError) as error:
        for log in opened:
            if log is not None:
                LogFile.close(log)  # nothing is written to a file that is not emptied
        for name in fresh:
            Path(name).unlink(missing_ok=True)
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from error
    for log in opened:
        if log is not None:
            log.empty()
    return opened


def _packed(fd: int, name: str) -> LogFile:
    from referee.logs.packed import PackedLogFile

    return PackedLogFile(fd, name)
