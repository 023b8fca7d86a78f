"""Writes log files in whole lines.

If the suffix of a file is one of `packed.SUFFIXES`, it's compressed in blocks (`packed.py`).
"""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import IO, TextIO

from referee.errors import LogWriteError, UsageError, cannot_write
from referee.logs import packed
from referee.logs.outputs import Output, check_output, note_output
from referee.logs.sink import Sink
from referee.text.terminal import terminal_safe

STDOUT = "-"
# Up to this size, a copy of a log stays in memory. Larger copies go to a temporary file.
_COPY_IN_MEMORY = 8 * 1024 * 1024
_CHUNK = 256 * 1024


class LogFile(Sink):
    """A log that's written to a file, a pipe or a terminal.

    `write` passes the lines to the operating system before it returns, so they survive a crash of
    the referee. There are two exceptions. If the reader of a pipe is slow, we keep the lines until
    it catches up, because a match mustn't wait for somebody's pager. (`drain` does wait.) In a
    compressed file, the last lines wait until their block is full.

    Args:
        packer: compresses the lines, or None for a plain file.
        keep_open: if True, `close` leaves the file descriptor open.
        is_new: True if the file didn't exist before we opened it. If nothing is ever written to it,
            we remove it again.

    Attributes:
        name: the file name as given, or "standard output".
    """

    def __init__(
        self,
        fd: int,
        name: str,
        *,
        packer: packed.Packer | None = None,
        keep_open: bool = False,
        is_new: bool = False,
    ) -> None:
        self.name = name
        self.fd = fd
        self.closed = False
        self._packer = packer
        self._keep_open = keep_open
        self._is_new = is_new
        self._path = os.path.realpath(name)
        self._regular = stat.S_ISREG(os.fstat(fd).st_mode)
        self._terminal = os.isatty(fd)
        self._unread = bytearray()  # bytes that the pipe hasn't accepted yet
        self._begun = False
        self._ended = False
        self._copy: IO[bytes] | None = None

    def write(self, lines: bytes) -> None:
        if not self._begun:
            self.begin()
        if self._terminal:
            lines = terminal_safe(lines)
        data = lines if self._packer is None else self._packer.pack(lines)
        if data:
            self._put(data)

    @property
    def behind(self) -> bool:
        return bool(self._unread)

    def push(self) -> None:
        try:
            while self._unread and _is_writable(self.fd):
                # If poll() reports that a pipe is writable, it accepts this many bytes without
                # blocking. A larger write might block.
                del self._unread[: os.write(self.fd, self._unread[: select.PIPE_BUF])]
        except BlockingIOError:
            pass
        except OSError as error:
            self._unread.clear()  # the reader is gone
            raise LogWriteError(self.name, error) from error

    def drain(self) -> None:
        """Wait until the reader of a pipe has read everything.

        Raises:
            LogWriteError: the reader is gone.
        """
        while self._unread:
            _is_writable(self.fd, wait=True)
            self.push()

    def begin(self, *, copy: bool = False) -> None:
        """Truncate the file if it's a regular file. The first `write` calls this if you haven't.

        Args:
            copy: keep a copy of everything we write, so that `finish` can restore the file.
        """
        self._begun = True
        if self._regular and not self._keep_open:
            os.ftruncate(self.fd, 0)
            if copy:
                from tempfile import SpooledTemporaryFile

                self._copy = SpooledTemporaryFile(_COPY_IN_MEMORY)  # noqa: SIM115 (see `close`)

    def finish(self) -> str | None:
        """Complete the file, after all processes that could change it have ended.

        A bot without a sandbox can change our files. If there is a copy, we compare the file with
        it, and write the file again if it differs.

        Returns:
            "changed", "removed" or "replaced" if another process did that to the file, or None if
            the file was intact. In any case the file is complete now.

        Raises:
            LogWriteError: the file can't be written.
        """
        try:
            self._end()
            self.drain()
            return self._restore()
        finally:
            self.close()

    def close(self) -> None:
        """Close the file, unless it's standard output. You can close a log more than once.

        If `begin` was never called, the file keeps its old content.

        Raises:
            LogWriteError: the last block of a compressed file can't be written.
        """
        if self.closed:
            return
        self.closed = True
        try:
            self._end()
        finally:
            if self._copy is not None:
                self._copy.close()
            if self._is_new and not self._begun:
                # Remove the file that we created, unless another file has its name by now.
                with suppress(OSError):
                    if os.path.samestat(os.stat(self._path), os.fstat(self.fd)):
                        os.unlink(self._path)
            if not self._keep_open:
                os.close(self.fd)

    def _put(self, data: bytes) -> None:
        if not self._regular:
            self._unread += data
            self.push()
            return
        try:
            if self._copy is not None:
                self._copy.write(data)
            while data:  # a disk that is nearly full may accept only part of the data
                data = data[os.write(self.fd, data) :]
        except OSError as error:
            raise LogWriteError(self.name, error) from error

    def _end(self) -> None:
        if self._begun and not self._ended:
            self._ended = True
            if self._packer is not None:
                self._put(self._packer.end())

    def _restore(self) -> str | None:
        if self._copy is None:
            return None
        try:
            found = os.stat(self._path)
        except OSError:
            problem = "removed"
        else:
            if not os.path.samestat(found, os.fstat(self.fd)):
                problem = "replaced"
            elif self._is_as_written(self._copy):
                return None
            else:
                problem = "changed"
        try:
            if problem != "changed":
                Path(self._path).parent.mkdir(parents=True, exist_ok=True)
                Path(self._path).unlink(missing_ok=True)
            there = problem == "changed"
            with open(self.fd, "wb", closefd=False) if there else open(self._path, "xb") as file:
                file.truncate(0)
                self._copy.seek(0)
                shutil.copyfileobj(self._copy, file)
        except OSError as error:
            raise LogWriteError(self.name, error) from error
        return problem

    def _is_as_written(self, copy: IO[bytes]) -> bool:
        copy.seek(0)
        try:
            with open(self._path, "rb") as file:
                chunks = (iter(partial(each.read, _CHUNK), b"") for each in (copy, file))
                return all(ours == theirs for ours, theirs in zip_longest(*chunks))
        except OSError:  # e.g. somebody took away our permission to read it
            return False


def finished(logs: Iterable[LogFile | None]) -> tuple[list[str], LogWriteError | None]:
    """Complete the logs of a match and restore damaged ones.

    Returns:
        A warning for each log that was restored, and the first error if a log couldn't be
        completed. The result of the match is valid in either case.
    """
    warnings = []
    lost = None
    for log in filter(None, logs):
        try:
            problem = log.finish()
        except LogWriteError as error:
            lost = lost or error
            continue
        if problem is not None:
            warnings.append(
                f"{log.name} was {problem} by another program during the match; the referee wrote "
                "it again, and it is complete"
            )
    return warnings, lost


@contextmanager
def opened(
    outputs: Sequence[Output], *, force: bool = False, hint: str = "add --force"
) -> Iterator[list[LogFile | None]]:
    """Open the log files of a match, and close them at the end of the `with` block.

    Before it opens the files, this checks with `check_output` that we may replace them. `force`
    and `hint` are passed to that check.

    Raises:
        UsageError: a file wasn't written by the referee, or `open_logs` failed.
    """
    named = [(name, kind) for name, kind in outputs if name not in (None, STDOUT)]
    for name, kind in named:
        check_output(str(name), kind, force=force, hint=hint)
    files = open_logs([output.name for output in outputs])
    for name, kind in named:
        note_output(str(name), kind)
    try:
        yield files
    finally:
        for file in filter(None, files):
            with suppress(LogWriteError):  # don't hide an exception from the `with` block
                file.close()


def _is_writable(fd: int, *, wait: bool = False) -> bool:
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    return bool(poll.poll(None if wait else 0))


def open_logs(names: Sequence[str | None]) -> list[LogFile | None]:
    """Open log files for writing, either all or none. For a FIFO, this waits for a reader.

    The files keep their content until `LogFile.begin`, so a mistake that's found a moment later
    doesn't destroy the previous record.

    Args:
        names: for each log, the file name, `STDOUT` for standard output, or None for no log.

    Returns:
        One entry per name.

    Raises:
        UsageError: a file can't be written, another run is writing it, or two names are the same
            file. Existing files keep their content, and new files are removed.
    """
    opened: list[LogFile | None] = []
    fds: dict[tuple[int, int], str] = {}
    try:
        for name in names:
            if name is None:
                opened.append(None)
                continue
            if name == STDOUT:
                opened.append(standard_stream(sys.stdout, "standard output"))
                continue
            is_new = not os.path.exists(name)
            # With O_APPEND, later lines are appended even if a bot truncates the file. Without it,
            # the file would have a hole.
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            fd = os.open(name, flags, 0o666)
            suffix = next(filter(name.endswith, packed.SUFFIXES), None)
            packer = None if suffix is None else packed.Packer(suffix)
            opened.append(LogFile(fd, name, packer=packer, is_new=is_new))
            status = os.fstat(fd)
            key = (status.st_dev, status.st_ino)
            if stat.S_ISREG(status.st_mode):
                if key in fds:
                    raise UsageError(f"{fds[key]} and {name} are the same file")
                _lock(fd, name)
            fds[key] = name
    except BaseException as error:
        for log in filter(None, opened):
            log.close()
        if isinstance(error, OSError | ValueError):
            raise cannot_write(f"{name}", error) from error
        raise
    return opened


def _lock(fd: int, name: str) -> None:
    try:
        # Readers can test this lock to find out whether we're still writing the file.
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        problem = f"another run is writing {name}"
        raise UsageError(f"{problem}: wait for it, or choose another name") from error
    except OSError:  # not every file system has locks
        pass


def standard_stream(stream: TextIO, name: str) -> LogFile:
    """Return a log that writes to standard output or standard error, in blocking mode.

    Raises:
        UsageError: the stream is closed.
    """
    if (sys.__stdout__ if stream is sys.stdout else sys.__stderr__) is None:
        raise UsageError(f"{name} is closed: the lines have nowhere to go")
    os.set_blocking(stream.fileno(), True)
    return LogFile(stream.fileno(), name, keep_open=True)
