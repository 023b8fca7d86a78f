"""Read files that users name: regular files, and pipes such as the shell's `<(...)`.

From a pipe, we read data as soon as it arrives. A signal can interrupt us while we wait for it. If
nobody opens a FIFO for writing within `WRITER_SECONDS`, we give up. (We can't give up immediately,
because the programs of a pipeline start at the same time.) Devices aren't accepted, because they
may be endless, and even opening one can have side effects.
"""

from __future__ import annotations

import os
import select
import stat
import sys
import time

from referee.errors import UsageError, why
from referee.interrupts import ending_waits

STDIN = "-"
WRITER_SECONDS = 5.0
"""Seconds to wait until a program opens a FIFO for writing."""
_LOOK_SECONDS = 0.05
_CHUNK = 256 * 1024


class InputFile:
    """A file, a pipe or standard input, opened for reading.

    Args:
        name: the file name, or `STDIN` for standard input.

    Raises:
        UsageError: the file can't be opened, is of another kind, or is a FIFO without a writer.
    """

    def __init__(self, name: str) -> None:
        self._head = b""  # bytes that we've read but not returned yet
        self._may_wait = True
        if name == STDIN:
            if sys.stdin is None:
                raise UsageError("standard input is closed: name a file")
            self._fd = os.dup(sys.stdin.fileno())
            return
        mode = check_input(name)
        try:
            self._fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise UsageError(f"cannot read {name}: {why(error)}") from error
        self._may_wait = not stat.S_ISREG(mode)
        try:
            if self._may_wait:
                self._await_writer(name)
            os.set_blocking(self._fd, True)
        except BaseException:
            os.close(self._fd)
            raise

    def __enter__(self) -> InputFile:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Call this only once.

        A second call would fail, or close another file that has got the same descriptor.
        """
        os.close(self._fd)

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes as soon as some are available, or b"" at the end.

        Raises:
            OSError: reading failed.
            Interrupted: a signal arrived while waiting for a pipe.
        """
        if self._head or not size:
            data, self._head = self._head[:size], self._head[size:]
            return data
        if not self._may_wait:
            return os.read(self._fd, size)
        with ending_waits():
            return os.read(self._fd, size)

    def _await_writer(self, name: str) -> None:
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        end = time.monotonic() + WRITER_SECONDS
        with ending_waits():
            while not poll.poll(_LOOK_SECONDS * 1000) and not self._has_writer():
                if time.monotonic() > end:
                    raise UsageError(
                        f"cannot read {name}: it is a FIFO, and no program has opened it for "
                        f"writing in {WRITER_SECONDS:g} s: start that program first, or name a file"
                    )

    def _has_writer(self) -> bool:
        try:
            # A non-blocking read of an empty pipe raises if the pipe has a writer, and returns b""
            # otherwise.
            self._head = os.read(self._fd, 1)
        except BlockingIOError:
            return True
        return bool(self._head)  # data may have arrived since the poll


def read_input(name: str, most: int = sys.maxsize) -> bytes:
    """Read a file with `InputFile`, to its end or up to `most` bytes.

    Raises:
        UsageError: the file can't be read.
    """
    parts = []
    with InputFile(name) as file:
        try:
            while most and (data := file.read(min(most, _CHUNK))):
                parts.append(data)
                most -= len(data)
        except OSError as error:
            raise UsageError(f"cannot read {name}: {why(error)}") from error
    return b"".join(parts)


def check_input(name: str) -> int:
    """Check that a file can be read, without opening it.

    Returns:
        The mode of the file (`stat.st_mode`).

    Raises:
        UsageError: the file can't be read, or is neither a regular file nor a pipe.
    """
    try:
        mode = os.stat(name).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(0, f"it is a directory; name the files in it: {name}/*")
        if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode):
            kind = "socket" if stat.S_ISSOCK(mode) else "device"
            raise OSError(0, f"it is a {kind}; name a file, or {STDIN} for standard input")
        if not os.access(name, os.R_OK):
            raise PermissionError(0, "Permission denied")
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {name}: {why(error)}") from error
    return mode
