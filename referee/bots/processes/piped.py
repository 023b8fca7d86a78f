"""A bot's process: lines with exact caps and deadlines (protocol, 1 and 8).

The referee reads only while it waits for a reply. Unexpected output of a bot waits in the pipe,
where it costs nothing, and is counted at the bot's next request. Writing never waits for a bot
without a request: bytes that do not fit into its pipe wait in memory until its next request.

Nothing here waits by itself. What takes time is a generator that yields each `Wait` and is sent
whether its time ran out. `process.py` waits under trio, `polling.py` without an event loop.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import select
import signal
import sys
import termios
import time
from collections.abc import Callable, Generator, Iterator
from typing import NamedTuple, TypeAlias, TypeVar

from msgspec.structs import replace

from referee.bots.bot import Answer, Failure
from referee.bots.process_report import ProcessReport, TimeoutObservation
from referee.bots.processes.cpu import Usage, is_computing, usage
from referee.bots.processes.launch import LaunchedBot, why_not_begun
from referee.bots.processes.stderr import StderrKeeper
from referee.games.interface.faults import Disqualification
from referee.interrupts import signal_name
from referee.match.decode import is_blank
from referee.match.limits import MIB

T = TypeVar("T")

_CHUNK = 64 * 1024
_WHITE_SPACE = b" \t\r\n"
_MAX_PIPE = 1024 * 1024  # what Linux grants everybody
_LAST_STDERR_READS = 64
KILL_SECONDS = 5
"""SIGKILL cannot be ignored, but a process stuck in the kernel must not hang us."""
_CPU_CHECK_SECONDS = 0.02
"""The CPU time is looked at no more often than this."""
_CORES = os.cpu_count() or 1
_WATCHED_PART = 0.3
"""The share of a look before the bot's input is ended."""
_EXIT_SECONDS = 0.5
"""Seconds to wait for the exit code after stdout closes, so that the message can name it."""


class Wait(NamedTuple):
    """Waits for output, for room in its stdin, or for a time; at most until it ends."""

    until: float
    read: bool = False
    write: bool = False


Steps: TypeAlias = Generator[Wait, bool | None, T]
"""Yields waits, is sent whether the time ran out, and returns what comes of it."""


class _OutputLimitError(Exception):
    pass


class PipedBot:
    """A launched bot. Code that waits for it also reads its stderr, and notes its end.

    The process may have waited for this match since its `release`. Its stderr of that time belongs
    to the match before, and goes to the keeper of that match.

    Args:
        look_seconds: seconds to look at a process that did not answer in time, before it is
            killed; 0: none.
        reply_end: the bytes at the end of each of its replies.

    Attributes:
        stdin_fd, stdout_fd: the referee's ends of its pipes; -1 if it was not started.
        started: its start time, on its clock; None from its first request on, and if it has waited
            for this match.
        has_answered: whether it has written a line that was taken.
        has_ended: whether its process has ended, as far as was noted.
    """

    clock: Callable[[], float] = staticmethod(time.monotonic)
    """Seconds, from any zero."""

    def __init__(
        self,
        launched: LaunchedBot,
        stderr: StderrKeeper,
        look_seconds: float = 0.0,
        *,
        reply_end: bytes = b"\n",
    ) -> None:
        self.launched = launched
        self.stderr = stderr
        # The two clocks differ in their zero only.
        offset = self.clock() - time.monotonic()
        before, launched.last_stderr = launched.last_stderr, None
        self.started: float | None = launched.started + offset if before is None else None
        self._limits = launched.limits
        self._outgoing = bytearray()  # what the pipe did not take yet
        self._buffer = bytearray()  # what the bot wrote and nobody has asked for yet
        self._scanned = 0  # bytes of the buffer that are known to hold no line end
        self._blank = 0  # bytes of blank lines skipped since the last line
        self._stdin_open = self._stdout_open = self._stderr_open = False
        self.has_ended = launched.popen is None
        self._closed = False
        self.stdin_fd = self.stdout_fd = self._stderr = self._end_fd = -1
        self._look_seconds = look_seconds
        self._reply_end = reply_end
        self.has_answered = False
        self._has_waited = before is not None
        self._is_early = False  # wrote before it was asked whether it plays another match
        self._is_late = False
        self._silence: TimeoutObservation | None = None
        self._output = 0  # bytes that it has written in this match
        used = launched.cpu_seconds if self._limits.cpu_limit < math.inf else None
        self._cpu_before = used or 0.0
        self._cpu_check_at = math.inf if used is None else self._next_cpu_check(used)
        self._oom_kills = launched.oom_kills
        self._refused_forks = 0 if before is None else launched.refused_forks
        popen = launched.popen
        if popen is not None:
            self.stdin_fd, self.stdout_fd, self._stderr = launched.pipes
            for fd in (self.stdin_fd, self.stdout_fd, self._stderr):
                os.set_blocking(fd, False)
            self._stdin_open = self._stdout_open = self._stderr_open = True
            self._stdout_poll = select.poll()
            self._stdout_poll.register(self.stdout_fd, select.POLLIN)
            if before is None:
                self._enlarge_stdout()
            else:
                self._read_last_stderr(before)
                before.close()

    def watched(self) -> Iterator[tuple[int, Callable[[], object]]]:
        """The descriptors that are readable when something needs attention, and what to do then."""
        if self._stderr_open and not self._closed:
            yield self._stderr, self.read_stderr
        launched = self.launched
        if launched.popen is None or self.has_ended or self._closed:
            return
        if sys.platform != "linux":
            if launched.peek_exit_code() is not None:
                self.note_end()
            return
        if self._end_fd < 0:
            self._end_fd = os.pidfd_open(launched.popen.pid)
        yield self._end_fd, self.note_end

    def _enlarge_stdout(self) -> None:
        """Let the pipe hold more than is allowed, where the system can (Linux).

        Then one look finds all that a bot writes in one go, and too much of it is noticed
        immediately, not some requests later.
        """
        if sys.platform == "linux":
            wanted = self._limits.line_limit + self._limits.queue_limit + _CHUNK
            with contextlib.suppress(OSError):
                fcntl.fcntl(self.stdout_fd, fcntl.F_SETPIPE_SZ, min(wanted, _MAX_PIPE))

    # --- to the bot ---------------------------------------------------------------------------

    def push(self, lines: bytes) -> None:
        """Hand over lines as far as the pipe takes them; never waits."""
        if self._has_waited:  # what is there now cannot answer these lines
            self._has_waited = False
            self._read_last_output()
            self._is_early = bool(self._buffer.strip(_WHITE_SPACE))
            self._buffer.clear()
        if self._stdin_open and not self._outgoing:
            try:
                written = os.write(self.stdin_fd, lines)
            except OSError:
                written = 0  # `_write_outgoing` meets it again
            lines = lines[written:]
        if self._stdin_open and lines:
            self._outgoing += lines
            self._write_outgoing()

    def _write_outgoing(self) -> None:
        try:
            while self._outgoing:
                del self._outgoing[: os.write(self.stdin_fd, self._outgoing)]
        except BlockingIOError:
            pass
        except OSError:
            # It closed its stdin or is gone. That alone is no verdict: it may have answered.
            self._close_stdin()

    def _close_stdin(self) -> None:
        if self._stdin_open:
            self._stdin_open = False
            self._outgoing.clear()
            self._forget_pipe(self.stdin_fd)
            self.launched.close_stdin()

    # --- from the bot -------------------------------------------------------------------------

    def replying(self, deadline: float) -> Steps[Answer]:
        """Wait for the line that answers the request handed over last (1.2, 1.3, 8.1, 8.2)."""
        self.started = None
        if self.launched.popen is None:
            return Failure(Disqualification.FAILED_TO_START, self.launched.error)
        if self._is_early:
            return Failure(Disqualification.OUTPUT_LIMIT, "it wrote before it got a request")
        answer = yield from self._answer(deadline)
        if self.clock() >= self._cpu_check_at and (used := self._cpu_exceeded()):
            return used
        if isinstance(answer, Failure) and self.launched.oom_kills > self._oom_kills:
            return Failure(
                Disqualification.MEMORY_LIMIT,
                f"the system has killed a process of it for using more than "
                f"{self._limits.memory_limit / MIB:,g} MiB: {answer.detail}",
            )
        return answer

    def quick_reply(self, seconds: float) -> bytes | None:
        """Wait a moment for the usual reply: one object, in one piece, and nothing after it.

        Returns:
            None if it has not come, or something else is up: `replying` has the rest.
        """
        self.started = None
        if (
            self._buffer
            or self._outgoing
            or self._is_early
            or not self._stdout_open
            or self.stderr.recorded is not None
            or self.clock() >= self._cpu_check_at
            or not self._stdout_poll.poll(seconds * 1000)
        ):
            return None
        data = read_now(self.stdout_fd)
        end = len(data or b"") - len(self._reply_end)
        if (
            data
            and data[:1] == b"{"
            and data.find(self._reply_end) == end <= self._limits.line_limit
            and self._output + len(data) <= self._limits.output_limit
        ):
            self._output += len(data)
            self.has_answered = True
            return data[:end]
        self._take(data)
        return None

    def _answer(self, deadline: float) -> Steps[Answer]:
        try:
            # A bot that is stuck on its own full output never reads, so look at both.
            if self._outgoing and not (yield from self._handing_over(deadline, reading=True)):
                self._is_late = True
                return Failure(
                    Disqualification.TIMEOUT, "it did not read its standard input in time"
                )
            if self._buffer:
                self._read_queue()
            return (yield from self._read_reply(deadline))
        except _OutputLimitError as error:
            return Failure(Disqualification.OUTPUT_LIMIT, str(error))
        finally:
            if self.stderr.recorded is not None:  # what it wrote before is there by now
                self._read_last_stderr(self.stderr)
                self.stderr.recorded.mark()

    def _read_reply(self, deadline: float) -> Steps[Answer]:
        late = False
        while True:
            line = self._next_line()
            if line is not None:
                self.has_answered = True
                return line
            if self._stdout_open and not late and not self.has_ended:
                until = min(deadline, self._cpu_check_at)
                late = bool((yield Wait(until, read=True))) and not self.has_ended
                if late and until < deadline:
                    late = False
                    if used := self._cpu_exceeded():
                        return used
            # Whatever woke us, look into the pipe: what is complete there counts, even if the
            # referee was late to notice. A drip-fed line gets no more time than this.
            if not self._read():
                if not self._stdout_open or self.has_ended:
                    how = yield from self._how_it_ended()
                    if self.has_ended and not self.launched.was_started():
                        return Failure(Disqualification.FAILED_TO_START, self._why_not_begun())
                    return Failure(Disqualification.EXITED, how)
                if late:
                    self._is_late = True
                    return Failure(Disqualification.TIMEOUT, "no reply in time")

    def _next_line(self) -> bytes | None:
        """Take the next line that is not blank off the buffer, if one is complete (1.1, 1.3)."""
        buffer = self._buffer
        limit = self._limits.line_limit
        if self._output > self._limits.output_limit:
            most = self._limits.output_limit
            raise _OutputLimitError(f"more than {most} bytes of output in this match")
        while buffer:
            end = buffer.find(self._reply_end, self._scanned)
            if end < 0:
                self._scanned = max(0, len(buffer) - len(self._reply_end) + 1)
                if len(buffer) > limit:
                    raise _OutputLimitError(f"a line of more than {limit} bytes")
                return None
            if end > limit:
                raise _OutputLimitError(f"a line of more than {limit} bytes")
            line = bytes(buffer[:end])
            taken = end + len(self._reply_end)
            del buffer[:taken]
            self._scanned = 0
            if not is_blank(line):
                self._blank = 0
                if buffer:
                    self._read_queue()
                    self._check_queue(len(buffer))
                return line
            self._blank += taken
            self._check_queue(self._blank)
        return None

    def _check_queue(self, unread: int) -> None:
        if unread > self._limits.queue_limit:
            limit = self._limits.queue_limit
            raise _OutputLimitError(f"more than {limit} bytes that no request asked for")

    def _read(self) -> bool:
        """Read once, without waiting; whether there was anything."""
        data = read_now(self.stdout_fd) if self._stdout_open else None
        self._take(data)
        return bool(data)

    def _take(self, data: bytes | None) -> None:
        """Take what `read_now` has read of its output."""
        if data:
            self._buffer += data
            self._output += len(data)
        elif data is not None:
            self._stdout_open = False

    def _cpu_exceeded(self) -> Failure | None:
        """Count its CPU time; why it is to leave the match if that is too much (sandbox.md, 9)."""
        used = self.launched.cpu_seconds
        if used is None or self.has_ended:
            self._cpu_check_at = math.inf
            return None
        limit = self._limits.cpu_limit
        if used - self._cpu_before <= limit:
            self._cpu_check_at = self._next_cpu_check(used)
            return None
        return Failure(
            Disqualification.CPU_LIMIT,
            f"it has used {used - self._cpu_before:.1f} s of CPU time ({limit:g} s a match)",
        )

    def _next_cpu_check(self, used: float) -> float:
        """When all cores could have used up what is left, on its clock."""
        left = self._cpu_before + self._limits.cpu_limit - used
        return self.clock() + max(left / _CORES, _CPU_CHECK_SECONDS)

    def _read_queue(self) -> None:
        """Read all that is there, to measure it (1.3)."""
        # More than this is too much even if the first line is as long as it may be.
        most = self._limits.line_limit + 1 + self._limits.queue_limit
        while self._read():
            if len(self._buffer) > most:
                self._check_queue(len(self._buffer))

    def _read_last_output(self) -> None:
        """Read what nobody has asked for, as far as it is there, to be able to tell of it."""
        while len(self._buffer) < self._limits.queue_limit and self._read():
            pass

    def _how_it_ended(self) -> Steps[str]:
        if not self.has_ended:
            yield Wait(self.clock() + _EXIT_SECONDS)
        if not self.has_ended:
            return "it closed its standard output"
        code = self.launched.peek_exit_code()
        if code is None:
            return "its process ended"
        if code < 0:
            return f"its process was ended by {signal_name(-code)}"
        return f"its process ended with exit code {code}"

    def _why_not_begun(self) -> str:
        """The reason why the sandbox did not run it; as `why_not_begun`."""
        self._read_last_stderr(self.stderr)
        said = self.stderr.lines(1).lines
        self.stderr.forget()  # the bot has said nothing
        return why_not_begun(self.launched.argument, said)

    @property
    def unfinished(self) -> bytes:
        """The part of an unfinished line that was read."""
        return bytes(self._buffer)

    def looking(self, watch: float, rest: float) -> Steps[TimeoutObservation]:
        """See what it does instead of answering; its input is ended on the way.

        Args:
            watch: seconds to look whether it computes, or answers late.
            rest: seconds to wait for its end once its input has ended.
        """
        before = self.usage()
        silence = TimeoutObservation(
            unfinished=self.unfinished,
            blank=bool(self._blank),
            has_read=self.has_read,
            has_answered=self.has_answered,
            cpu_seconds=before and before.seconds,
        )
        if silence.unfinished:
            return silence
        began = self.clock()
        late = yield from self.replying(began + watch)
        if isinstance(late, bytes):
            return replace(silence, late=late)
        is_busy = is_computing(before, self.usage(), self.clock() - began)
        if is_busy or self.unfinished:
            return replace(silence, is_busy=is_busy, unfinished=self.unfinished)
        self.stderr.end()
        ended = yield from self.ending_input(rest)
        at_end = yield from self.replying(self.clock())
        return replace(silence, ended=ended, at_end=at_end if isinstance(at_end, bytes) else b"")

    @property
    def has_read(self) -> bool:
        """Whether it has read all that it was sent, as far as anybody can tell."""
        if self._outgoing or not self._stdin_open:
            return not self._outgoing
        with contextlib.suppress(OSError):  # not every system tells
            unread = fcntl.ioctl(self.stdin_fd, termios.FIONREAD, bytes(4))
            return not int.from_bytes(unread, sys.byteorder)
        return True

    def usage(self) -> Usage | None:
        """The CPU activity of it and its children; None if it is not known."""
        roots = self.launched.roots
        return usage(*roots) if roots else None

    # --- its end ------------------------------------------------------------------------------

    @property
    def exit_code(self) -> int | None:
        """Exit code of the process, once reaped: -N after signal N; None without one."""
        # One that was looked at was to be killed, and has at most run ahead of that.
        return -signal.SIGKILL if self._silence is not None else self.launched.exit_code

    def note_end(self) -> None:
        """Note that its process has ended, which no pipe tells for sure: a child may hold it."""
        self.has_ended = True

    def read_stderr(self) -> None:
        """Read stderr once, so that the bot never blocks on it (1.4)."""
        self._read_stderr(self.stderr)

    def _read_stderr(self, keeper: StderrKeeper) -> bool:
        data = read_now(self._stderr) if self._stderr_open else None
        if data is not None:
            self._stderr_open = bool(data)
            keeper.feed(data)
        return bool(data)

    def _read_last_stderr(self, keeper: StderrKeeper) -> None:
        for _ in range(_LAST_STDERR_READS):  # bounded: a stray child may still be writing
            if not self._read_stderr(keeper):
                break

    def process_report(self, count: int) -> ProcessReport:
        """The report on the process, once it has ended."""
        stderr = self.stderr.lines(count)
        if self._silence is not None:  # the end of its input has brought about the rest
            return ProcessReport(stderr, silence=self._silence, limits=self._limits)
        is_full = self.launched.refused_forks > self._refused_forks
        *lines, unfinished = bytes(self._buffer).split(b"\n")
        unasked = [line for line in lines if not is_blank(line)]
        return ProcessReport(
            stderr,
            len(unasked),
            unasked[0] if unasked else b"",
            unfinished,
            limits=self._limits,
            reached=("process_limit",) if is_full else (),
            sandbox=self.launched.sandbox.kind,
        )

    def _handing_over(self, until: float, *, reading: bool = False) -> Steps[bool]:
        """Hand over what did not fit into its pipe, reading meanwhile; False if time ran out."""
        while self._outgoing and not self.has_ended and (self._stdout_open or not reading):
            if (yield Wait(until, read=reading, write=True)):
                return False
            self._write_outgoing()
            if reading:
                self._read_queue()
        return True

    def releasing(self, grace: float) -> Steps[bool]:
        """Let the process wait for another match, if it can."""
        yield from self._handing_over(self.clock() + grace)
        if self._closed or self.has_ended or self._outgoing or not self._stdin_open:
            return False
        self._read()
        if not self._stdout_open or self._buffer.strip(_WHITE_SPACE):
            return False
        self._read_last_stderr(self.stderr)
        self.launched.last_stderr = self.stderr
        self._closed = True
        for fd in (self.stdin_fd, self.stdout_fd, self._stderr):
            self._forget_pipe(fd)
        self._close_end_fd()
        return True

    def ending_input(self, seconds: float) -> Steps[bool]:
        """Hand over what is left, end its input, and wait for its end; whether it has ended."""
        until = self.clock() + seconds
        yield from self._handing_over(until)
        self._close_stdin()
        return (yield from self._ending(until))

    def _ending(self, until: float) -> Steps[bool]:
        """Wait for its end. Returns: whether it has ended."""
        if not self.has_ended:
            yield Wait(until)
        return self.has_ended

    def finishing(self, grace: float) -> Steps[None]:
        """Let it end by itself for `grace` seconds, and again after SIGTERM; then kill it (8.4)."""
        if not self._closed and not (yield from self.ending_input(grace)):
            self.launched.terminate()
            yield from self._ending(self.clock() + grace)
        yield from self.killing()

    def killing(self) -> Steps[None]:
        """Kill what the bot has started, reap the process, keep its last words (8.3)."""
        if self._closed:
            return
        if self._is_late and self._look_seconds and not self.has_ended:
            watch = self._look_seconds * _WATCHED_PART
            self._silence = yield from self.looking(watch, self._look_seconds - watch)
        self.launched.kill()
        yield from self._ending(self.clock() + KILL_SECONDS)
        self._close()

    def _close(self) -> None:
        self._closed = True
        self.note_end()
        self.launched.reap()
        self._read_last_stderr(self.stderr)
        self._close_stdin()
        self._read_last_output()
        if self.launched.popen is not None:
            self._forget_pipe(self.stdout_fd)
            self._forget_pipe(self._stderr)
        self._stdout_open = self._stderr_open = False
        self._close_end_fd()
        self.launched.close_pipes()
        self.stderr.close()

    def _close_end_fd(self) -> None:
        if self._end_fd >= 0:
            os.close(self._end_fd)
            self._end_fd = -1

    def _forget_pipe(self, fd: int) -> None:
        """Let nobody wait for a pipe any more: it is closed, or goes to another match."""


def read_now(fd: int) -> bytes | None:
    """The bytes in a pipe now: none at its end; None if nothing has come yet."""
    try:
        return os.read(fd, _CHUNK)
    except BlockingIOError:
        return None
