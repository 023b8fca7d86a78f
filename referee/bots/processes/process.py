"""Exchanges lines with the process of a bot, within deadlines, and stops it (protocol, 1 and 8).

The referee only reads while it waits for a reply. Unrequested output stays in the pipe, where it
costs us nothing, and is counted at the next request. Writing never blocks either. Bytes that don't
fit into the bot's pipe wait in memory until the bot's next request.

There's no task in the background. While a method waits, one task reads stderr, because a bot would
block if its stderr were full, and another waits for the process to exit. `push`, `quick_reply` and
`release` don't need an event loop at all.
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
from collections.abc import Awaitable, Callable

import trio
from msgspec.structs import replace

from referee.bots.bot import Answer, Failure
from referee.bots.process_report import ProcessReport, TimeoutObservation
from referee.bots.processes.cpu import Usage, is_computing, usage
from referee.bots.processes.launch import LaunchedBot, start_failure
from referee.bots.processes.output import Output, OutputLimitError
from referee.bots.processes.place import from_here
from referee.bots.processes.stderr import StderrKeeper
from referee.games.interface.faults import Disqualification
from referee.interrupts import signal_name
from referee.match.decode import is_blank
from referee.match.limits import MIB, limit_word, memory_words

_CHUNK = 64 * 1024
_WHITE_SPACE = b" \t\r\n"
_MAX_PIPE = 1024 * 1024  # Linux doesn't let ordinary users ask for more
_LAST_STDERR_READS = 64
# Nothing can ignore SIGKILL, but a process that's stuck in the kernel mustn't hang the referee.
_KILL_SECONDS = 5
# We wait at least this many seconds before we read the CPU time again.
_CPU_CHECK_SECONDS = 0.02
_CORES = os.cpu_count() or 1
# After this fraction of the time that we observe a late bot, we close its stdin.
_WATCHED_PART = 0.3
# When stdout closes, the exit code usually isn't available yet. We wait for it this long, because a
# message with the exit code is much more useful.
_EXIT_SECONDS = 0.5
# With a lower memory limit than this, the system may kill a bot before it has even started.
_LITTLE_MEMORY = 64 * MIB
# Polling interval on systems that don't report the end of a process.
_POLL_SECONDS = 0.02


async def wait_for_exit(launched: LaunchedBot) -> None:
    """Wait until a process has exited. We don't reap it here, so its id isn't reused yet."""
    if (
        launched.popen is None or launched.exit_code is not None
    ):  # After the process is reaped, its id may belong to another process.
        return
    if sys.platform == "linux":
        fd = os.pidfd_open(launched.popen.pid)
        try:
            await trio.lowlevel.wait_readable(fd)
        finally:
            os.close(fd)
    else:
        while launched.peek_exit_code() is None:  # noqa: ASYNC110 (the system reports nothing)
            await trio.sleep(_POLL_SECONDS)


async def kill(launched: LaunchedBot) -> None:
    """Kill all processes of a bot, and wait for the first one. The caller still has to reap it."""
    launched.kill()
    with trio.move_on_after(_KILL_SECONDS):
        await wait_for_exit(launched)


class BotProcess:
    """Makes a `Bot` out of a process that was launched.

    If the process has waited for this match since its `release`, it may have written to stderr in
    the meantime. We add this text to the stderr of the previous match.

    Args:
        look_seconds: how long we observe a process that missed its deadline, before we kill it. If
            this is 0, we kill it right away.
        reply_end: the bytes at the end of each reply.

    Attributes:
        stdout_fd: our end of the bot's stdout, or -1 if there's no process.
        started: when the process was started, on `time.monotonic`. It's None after the first
            request, and for a process that has waited for this match.
        has_answered: True if the bot has replied to a request.
        has_ended: True once we've noticed that the process has exited.
        is_closed: True once the process was killed, released or finished.
    """

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
        before, launched.last_stderr = launched.last_stderr, None
        self.started: float | None = launched.started if before is None else None
        self._limits = launched.limits
        self._output = Output(launched.limits, reply_end)
        self._outgoing = bytearray()  # bytes that haven't fit into the pipe so far
        self._takes_input = self._stdout_open = self._stderr_open = False
        self.has_ended = launched.popen is None
        self.is_closed = False
        self._stdin = self.stdout_fd = self._stderr = -1
        self._look_seconds = look_seconds
        self.has_answered = False
        self._has_waited = before is not None
        self._is_early = False  # True if the bot has written something between two matches
        self._is_late = False
        self._silence: TimeoutObservation | None = None
        used = launched.cpu_seconds if self._limits.cpu_limit < math.inf else None
        self._cpu_before = used or 0.0
        self._cpu_check_at = math.inf if used is None else self._next_cpu_check(used)
        self._check_at = self._next_check()
        self._oom_kills = launched.oom_kills
        self._refused_forks = 0 if before is None else launched.refused_forks
        if launched.popen is not None:
            self._stdin, self.stdout_fd, self._stderr = launched.pipes
            for fd in (self._stdin, self.stdout_fd, self._stderr):
                os.set_blocking(fd, False)
            self._takes_input = self._stdout_open = self._stderr_open = True
            self._stdout_poll = select.poll()
            self._stdout_poll.register(self.stdout_fd, select.POLLIN)
            if before is None:
                self._enlarge_stdout()
            else:
                self._read_last_stderr(before)
                before.close()

    def _enlarge_stdout(self) -> None:
        if sys.platform == "linux":
            # We try to give the pipe room for more bytes than the limits allow. A single read then
            # returns everything that a bot writes in one call, and we notice immediately if that's
            # too much, instead of some requests later. Only Linux can do this, and it may refuse.
            wanted = self._limits.line_limit + self._limits.queue_limit + _CHUNK
            with contextlib.suppress(OSError):
                fcntl.fcntl(self.stdout_fd, fcntl.F_SETPIPE_SZ, min(wanted, _MAX_PIPE))

    # --- Writing ----------------------------------------------------------------------------------

    def push(self, lines: bytes) -> None:
        """Write lines without blocking. Bytes that don't fit into the pipe are kept for later."""
        # Anything that the bot has written before now can't be a reply to these lines.
        if self._has_waited:
            self._has_waited = False
            self._read_last_output()
            self._is_early = bool(self._output.unread.strip(_WHITE_SPACE))
            self._output.clear()
        if self._takes_input and not self._outgoing:
            try:
                written = os.write(self._stdin, lines)
            except OSError:
                written = 0  # _write_outgoing() will get the same error
            lines = lines[written:]
        if self._takes_input and lines:
            self._outgoing += lines
            self._write_outgoing()

    def _write_outgoing(self) -> None:
        try:
            while self._outgoing:
                del self._outgoing[: os.write(self._stdin, self._outgoing)]
        except BlockingIOError:
            pass
        except OSError:
            # The bot has closed its stdin, or exited. That's not a fault yet, because it may have
            # replied before that.
            self._takes_input = False
            self._outgoing.clear()

    # --- Reading ----------------------------------------------------------------------------------

    def quick_reply(self, seconds: float) -> bytes | None:
        """Wait up to `seconds` for a reply. This only works if we can read it in one piece.

        All we need is one poll(), which costs far less than the nursery with three tasks in
        `reply`. If this returns None, call `reply`.
        """
        self.started = None
        if (
            not self._output.is_empty
            or self._outgoing
            or self._is_early
            or self.launched.offence
            or not self._stdout_open
            or time.monotonic() >= self._check_at
            or not self._stdout_poll.poll(seconds * 1000)
        ):
            return None
        data = read_now(self.stdout_fd)
        reply = self._output.whole_reply(data) if data else None
        if reply is None:
            self._stdout_open = data != b""
            return None
        self.has_answered = True
        self._mark_stderr()
        return reply

    async def reply(self, deadline: float) -> Answer:
        """Wait for the reply to the last request, like `Bot.reply` (1.2, 1.3, 8.1, 8.2)."""
        self.started = None
        if self.launched.popen is None:
            return Failure(Disqualification.FAILED_TO_START, self.launched.error)
        if self._is_early:
            return Failure(Disqualification.OUTPUT_LIMIT, "it wrote before it got a request")
        if self.launched.offence:
            return Failure(Disqualification.KEPT_RUNNING, self.launched.offence)
        answer = await self._answer(deadline)
        if time.monotonic() >= self._check_at and (exceeded := self._exceeded()):
            return exceeded
        if isinstance(answer, Failure) and self.launched.oom_kills > self._oom_kills:
            return Failure(
                Disqualification.MEMORY_LIMIT,
                f"the system has killed a process of it for using more than "
                f"{memory_words(self._limits.memory_limit)}: {answer.detail}",
            )
        return answer

    async def _answer(self, deadline: float) -> Answer:
        try:
            # A bot that blocks because its stdout is full won't read its stdin. If we only wrote,
            # we and the bot would wait for each other forever.
            if self._outgoing and not await self._hand_over(deadline, reading=True):
                self._is_late = True
                return Failure(
                    Disqualification.TIMEOUT, "it did not read its standard input in time"
                )
            if not self._output.is_empty:
                self._read_queue()
            return await self._read_reply(deadline)
        except OutputLimitError as error:
            return Failure(Disqualification.OUTPUT_LIMIT, str(error))
        finally:
            self._mark_stderr()

    async def _read_reply(self, deadline: float) -> Answer:
        output, late = self._output, False
        while True:
            line = output.next_line()
            if line is not None:
                self.has_answered = True
                if not output.is_empty:
                    self._read_queue()
                    output.check_queue()
                return line
            if self._stdout_open and not late and not self.has_ended:
                offset = trio.current_time() - time.monotonic()
                until = min(deadline, self._check_at + offset)
                late = await self._wait(until, read=True)
                if late and until < deadline:
                    late = False
                    if exceeded := self._exceeded():
                        return exceeded
            # We read after every wait, even if it's too late. A complete line counts, because it
            # may have arrived in time and we were just slow. But a bot doesn't get more time by
            # sending a line bit by bit.
            if not self._read():
                if not self._stdout_open or self.has_ended:
                    how = await self._how_it_ended()
                    if self.has_ended:
                        self._read_last_stderr(self.stderr)
                        self.launched.check_reached(self.stderr)
                        if not self.launched.was_started():
                            why = self._start_failure()
                            return Failure(Disqualification.FAILED_TO_START, why)
                    return Failure(Disqualification.EXITED, how)
                if late:
                    self._is_late = True
                    return Failure(Disqualification.TIMEOUT, "no reply in time")

    def _read(self) -> bool:
        """Read once without blocking, and return True if there was anything to read."""
        data = read_now(self.stdout_fd) if self._stdout_open else None
        if data:
            self._output.feed(data)
        elif data is not None:
            self._stdout_open = False
        return bool(data)

    def _read_queue(self) -> None:
        while self._read():
            if self._output.is_overfull:
                self._output.check_queue()

    def _read_last_output(self) -> None:
        while len(self._output.unread) < self._limits.queue_limit and self._read():
            pass

    def _exceeded(self) -> Failure | None:
        now, memory = time.monotonic(), self.launched.memory
        found = self._cpu_exceeded() if now >= self._cpu_check_at else None
        if memory is not None and now >= memory.look_at and not self.has_ended:
            too_much = memory.exceeded(self.launched.roots)
            found = found or (too_much and Failure(Disqualification.MEMORY_LIMIT, too_much)) or None
        self._check_at = self._next_check()
        return found

    def _next_check(self) -> float:
        memory = self.launched.memory
        if self.has_ended or memory is None:
            return self._cpu_check_at
        return min(self._cpu_check_at, memory.look_at)

    def _cpu_exceeded(self) -> Failure | None:
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
        """Return the earliest time (monotonic) at which the bot could have used up its CPU time.

        That's how long it takes if the bot keeps all cores busy. We don't have to check it sooner.
        """
        left = self._cpu_before + self._limits.cpu_limit - used
        return time.monotonic() + max(left / _CORES, _CPU_CHECK_SECONDS)

    async def _how_it_ended(self) -> str:
        if not await self._wait_for_end(trio.current_time() + _EXIT_SECONDS):
            return "it closed its standard output"
        code = self.launched.peek_exit_code()
        if code is None:
            return "its process ended"
        if code < 0:
            return f"its process was ended by {signal_name(-code)}{self._little_memory()}"
        return f"its process ended with exit code {code}"

    def _little_memory(self) -> str:
        """Return a hint if the memory limit is so low that it's probably the cause, else ""."""
        most = self._limits.memory_limit
        if most >= _LITTLE_MEMORY:
            return ""
        option = f"--memory-limit {limit_word('memory_limit', most)}"
        return f"; {option} is probably too low ({memory_words(most)}): give 64M, for example"

    def _start_failure(self) -> str:
        said = self.stderr.lines(1).lines
        self.stderr.forget()  # bubblewrap has written this, not the bot
        if not said and (why := self._little_memory()):
            return f"the sandbox was killed{why}"
        return start_failure(self.launched.command, said)

    # --- Waiting ----------------------------------------------------------------------------------

    async def _wait(self, until: float, *, read: bool = False, write: bool = False) -> bool:
        """Wait until we can read or write, or until the process exits. Also reads stderr.

        Returns:
            True if the time ran out before that.
        """
        is_over = False

        async def wait_for(ready: Callable[[int], Awaitable[None]], fd: int) -> None:
            nonlocal is_over
            await ready(fd)
            is_over = True
            scope.cancel()

        async with trio.open_nursery() as nursery:
            scope = nursery.cancel_scope
            scope.deadline = until
            nursery.start_soon(self._drain_stderr)
            if read:
                nursery.start_soon(wait_for, trio.lowlevel.wait_readable, self.stdout_fd)
            if write:
                nursery.start_soon(wait_for, trio.lowlevel.wait_writable, self._stdin)
            await self._note_end()
            scope.cancel()
        return not (is_over or self.has_ended)

    async def attend(self) -> None:
        """Read stderr between requests, and notice if the process exits. Runs until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._drain_stderr)
            if not self.has_ended:
                await self._note_end()

    async def _note_end(self) -> None:
        await wait_for_exit(self.launched)
        self.has_ended = True

    async def _drain_stderr(self) -> None:
        # If we didn't do this, a bot that writes a lot to stderr would block (1.4).
        while self._stderr_open:
            await trio.lowlevel.wait_readable(self._stderr)
            self.read_stderr()

    async def _wait_for_end(self, until: float) -> bool:
        if not self.has_ended:
            await self._wait(until)
        return self.has_ended

    async def _hand_over(self, until: float, *, reading: bool = False) -> bool:
        """Write the bytes that didn't fit into the pipe. Returns False if the time ran out."""
        while self._outgoing and not self.has_ended and (self._stdout_open or not reading):
            if await self._wait(until, read=reading, write=True):
                return False
            self._write_outgoing()
            if reading:
                self._read_queue()
        return True

    # --- Observing after a timeout ----------------------------------------------------------------

    @property
    def unfinished(self) -> bytes:
        """The beginning of a line that the bot hasn't completed, or b"" if there isn't one."""
        return self._output.unread

    async def look(self, watch: float, rest: float) -> TimeoutObservation:
        """Find out why a process didn't reply in time, before we kill it.

        If it doesn't seem to do anything, we close its stdin. Some bots only reply at the end of
        their input, and their authors will want to know.

        Args:
            watch: for this many seconds, we watch whether the process is computing or replies late.
            rest: after closing stdin, we wait this many seconds for the process to exit.
        """
        before = self.usage()
        silence = TimeoutObservation(
            unfinished=self.unfinished,
            blank=self._output.is_blank_so_far,
            has_read=self.has_read,
            has_answered=self.has_answered,
            cpu_seconds=before and before.seconds,
        )
        if silence.unfinished:
            return silence
        began = trio.current_time()
        late = await self.reply(began + watch)
        if isinstance(late, bytes):
            return replace(silence, late=late)
        is_busy = is_computing(before, self.usage(), trio.current_time() - began)
        if is_busy or self.unfinished:
            return replace(silence, is_busy=is_busy, unfinished=self.unfinished)
        self.stderr.end()
        ended = await self.end_input(rest)
        at_end = await self.reply(trio.current_time())
        return replace(silence, ended=ended, at_end=at_end if isinstance(at_end, bytes) else b"")

    @property
    def has_read(self) -> bool:
        """Return True if the bot has read all its input, or if the system doesn't tell us."""
        if self._outgoing or not self._takes_input:
            return not self._outgoing
        with contextlib.suppress(OSError):  # some systems do not report this
            unread = fcntl.ioctl(self._stdin, termios.FIONREAD, bytes(4))
            return not int.from_bytes(unread, sys.byteorder)
        return True

    def usage(self) -> Usage | None:
        """Return the CPU usage of all processes of the bot, or None if we don't know."""
        roots = self.launched.roots
        return usage(*roots) if roots else None

    # --- Stopping ---------------------------------------------------------------------------------

    @property
    def exit_code(self) -> int | None:
        """Exit code of the process, -N if signal N killed it, or None if it hasn't ended."""
        # If we've observed the process, we were going to kill it anyway. If it exited in the
        # meantime, that's probably because we closed its stdin, so its exit code doesn't count.
        return -signal.SIGKILL if self._silence is not None else self.launched.exit_code

    def read_stderr(self) -> None:
        """Read once from stderr, without blocking."""
        self._read_stderr(self.stderr)

    def _read_stderr(self, keeper: StderrKeeper) -> bool:
        data = read_now(self._stderr) if self._stderr_open else None
        if data is not None:
            self._stderr_open = bool(data)
            keeper.feed(data)
        return bool(data)

    def _read_last_stderr(self, keeper: StderrKeeper) -> None:
        # The number of reads is bounded, because a child process may keep writing.
        for _ in range(_LAST_STDERR_READS):
            if not self._read_stderr(keeper):
                break

    def _mark_stderr(self) -> None:
        if self.stderr.recorded is not None:
            # Everything that the bot wrote to stderr before this reply is in the pipe by now.
            self._read_last_stderr(self.stderr)
            self.stderr.recorded.mark()

    def process_report(self, count: int) -> ProcessReport:
        """Return a report on the process. Only call this after its exit."""
        stderr, command = self.stderr.lines(count), self.launched.command
        prefix = command.dialect or command.adapter
        # If we've observed the process, it may have written the rest just because we closed its
        # stdin. That wouldn't tell the author anything, so we leave it out.
        if self._silence is not None:
            silence = self._silence
            return ProcessReport(stderr, silence=silence, limits=self._limits, prefix=prefix)
        is_full = self.launched.refused_forks > self._refused_forks
        *lines, unfinished = self._output.unread.split(b"\n")
        unasked = [line for line in lines if not is_blank(line)]
        return ProcessReport(
            stderr,
            len(unasked),
            unasked[0] if unasked else b"",
            unfinished,
            limits=self._limits,
            reached=("process_limit",) if is_full else (),
            sandbox=self.launched.sandbox.kind,
            folder=from_here(self.launched.folder),
            prefix=prefix,
        )

    def release(self) -> bool:
        """Keep the process for another match (8.4), if its pipes are empty and open. Never blocks.

        Returns:
            True if the process now waits for another match. Otherwise, the caller has to stop it.
        """
        if self.is_closed or self.has_ended or self._outgoing or not self._takes_input:
            return False
        self._read()
        if not self._stdout_open or self._output.unread.strip(_WHITE_SPACE):
            return False
        self._read_last_stderr(self.stderr)
        self.launched.last_stderr = self.stderr
        self.is_closed = True
        return True

    async def hand_over(self, grace: float) -> None:
        """Wait up to `grace` seconds for the bot to accept all remaining lines."""
        await self._hand_over(trio.current_time() + grace)

    async def end_input(self, seconds: float) -> bool:
        """Write the remaining lines, close stdin, and wait. Return True if the process exited."""
        until = trio.current_time() + seconds
        await self._hand_over(until)
        self._close_stdin()
        return await self._wait_for_end(until)

    async def finish(self, grace: float) -> None:
        """Close stdin, then send SIGTERM, then kill the bot, `grace` seconds apart (8.4)."""
        if not self.is_closed and not await self.end_input(grace):
            self.launched.terminate()
            await self._wait_for_end(trio.current_time() + grace)
        await self.kill()

    async def kill(self) -> None:
        """Kill all processes of the bot, reap the first one, and read the rest of its stderr (8.3).

        This can't be cancelled. No other task may wait for the process at the same time.
        """
        if self.is_closed:
            return
        with trio.CancelScope(shield=True):
            if self._is_late and self._look_seconds and not self.has_ended:
                watch = self._look_seconds * _WATCHED_PART
                self._silence = await self.look(watch, self._look_seconds - watch)
            self.launched.kill()
            await self._wait_for_end(trio.current_time() + _KILL_SECONDS)
        self._close()

    def _close_stdin(self) -> None:
        self._takes_input = False
        self._outgoing.clear()
        self.launched.close_stdin()

    def _close(self) -> None:
        self.is_closed = self.has_ended = True
        self.launched.reap()
        self._read_last_stderr(self.stderr)
        self._close_stdin()
        self._read_last_output()
        self._stdout_open = self._stderr_open = False
        self.launched.close_pipes()
        self.stderr.close()


def read_now(fd: int) -> bytes | None:
    """Read what's available in a pipe. Returns b"" at end-of-file, or None if the pipe is empty."""
    try:
        return os.read(fd, _CHUNK)
    except BlockingIOError:
        return None
