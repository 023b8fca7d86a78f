"""Log files: opened before a match starts, written in whole lines, whole at its end.

Files that are compressed, by their suffix, are written in blocks (`packed.py`).
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
_COPY_IN_MEMORY = 8 * 1024 * 1024
"""Bytes of a log's copy that are kept in memory; a longer copy goes to a temporary file."""
_CHUNK = 256 * 1024


class LogFile(Sink):
    """A file that lines are appended to.

    When `write` returns, the operating system has the lines. A crash of the referee therefore
    leaves whole batches of lines behind; only a crash of the machine can cut one. Two kinds of
    files are exceptions. If the reader of a pipe is slow, `write` does not wait; `drain` does. The
    last lines of a compressed file wait until they are a block.

    Args:
        packer: compresses what is written; None for a plain file.
        keep_open: the file is not this object's to close.
        is_new: the file was not there before it was opened.

    Attributes:
        name: as it was given, or "standard output".
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
        self._unread = bytearray()  # what a pipe did not take yet
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
                # A pipe that is writable takes this many bytes without blocking.
                del self._unread[: os.write(self.fd, self._unread[: select.PIPE_BUF])]
        except BlockingIOError:
            pass
        except OSError as error:
            self._unread.clear()  # nobody will take it
            raise LogWriteError(self.name, error) from error

    def drain(self) -> None:
        """Wait until the reader of a pipe has taken all; raises `LogWriteError` if it is gone."""
        while self._unread:
            _is_writable(self.fd, wait=True)
            self.push()

    def begin(self, *, copy: bool = False) -> None:
        """Drop what a regular file held before. The first `write` does it, if nobody has.

        Args:
            copy: keep what is written from now on, so that `finish` can restore it.
        """
        self._begun = True
        if self._regular and not self._keep_open:
            os.ftruncate(self.fd, 0)
            if copy:
                from tempfile import SpooledTemporaryFile

                self._copy = SpooledTemporaryFile(_COPY_IN_MEMORY)  # noqa: SIM115 (see `close`)

    def finish(self) -> str | None:
        """End the file, once all that might still change it has ended.

        If a copy of a file was kept, the file is compared with it, and rewritten if it differs.

        Returns:
            What somebody has done to the file: "changed", "removed" or "replaced" it; None if
            nobody has. It is as it should be now.

        Raises:
            LogWriteError: it cannot be written.
        """
        try:
            self._end()
            self.drain()
            return self._restore()
        finally:
            self.close()

    def close(self) -> None:
        """Close the file as it is, once; standard output stays open.

        One that was not begun is as it was before it was opened.

        Raises:
            LogWriteError: the file is compressed and takes no more.
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
                with suppress(OSError):  # somebody else's is let be
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
            _write_all(self.fd, data)
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
        except OSError:  # whose mode was changed, for one
            return False


def finished(logs: Iterable[LogFile | None]) -> tuple[list[str], LogWriteError | None]:
    """Complete the logs of a match, and restore those that somebody has damaged.

    Returns:
        A warning for each that was restored, and why one could not be completed: the match stands
        anyway.
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
    """Log files that are open inside this block; as `open_logs`.

    Args:
        outputs: one is no file if its name is None, or `STDOUT`.
        force, hint: as of `check_output`.

    Raises:
        UsageError: also if a file is not the referee's.
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
            with suppress(LogWriteError):  # of a match that was given up, which is told
                file.close()


def _write_all(fd: int, data: bytes) -> None:
    written = os.write(fd, data)
    while written < len(data):  # a nearly full disk may take a part
        written += os.write(fd, data[written:])


def _is_writable(fd: int, *, wait: bool = False) -> bool:
    """Whether a pipe or device takes something, or fails immediately."""
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    return bool(poll.poll(None if wait else 0))


def open_logs(names: Sequence[str | None]) -> list[LogFile | None]:
    """Open log files for writing, all of them or none. To open a FIFO waits for its reader.

    Nothing is lost before `LogFile.begin`.

    Args:
        names: file names; `STDOUT` for standard output, None for no log.

    Returns:
        One entry per name.

    Raises:
        UsageError: one cannot be written, is written by another run, or two are the same file. The
            files then keep their old content, and no new file is left.
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
            # What is appended stays whole when a bot truncates the file.
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
    """Show those who follow the file that it is being written.

    Raises:
        UsageError: another run is writing it.
    """
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        problem = f"another run is writing {name}"
        raise UsageError(f"{problem}: wait for it, or choose another name") from error
    except OSError:  # a file system without locks
        pass


def standard_stream(stream: TextIO, name: str) -> LogFile:
    """Standard output or error, written without a wait; raises `UsageError` if it is closed."""
    if (sys.__stdout__ if stream is sys.stdout else sys.__stderr__) is None:
        raise UsageError(f"{name} is closed: the lines have nowhere to go")
    os.set_blocking(stream.fileno(), True)
    return LogFile(stream.fileno(), name, keep_open=True)
