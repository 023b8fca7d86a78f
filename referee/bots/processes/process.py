"""A bot's process under trio: lines with exact caps and deadlines (protocol, 1 and 8).

Reading happens only while a reply is due: what a bot writes unasked waits in the pipe, where it
costs nothing, and is counted at the bot's next request. Writing never waits for a bot that is not
being asked: what its pipe does not take waits in memory until it is.
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

import trio
from msgspec.structs import replace

from referee.bots.bot import Answer, Failure
from referee.bots.last_words import LastWords, Silence
from referee.bots.processes.cpu import Usage, is_computing, usage
from referee.bots.processes.launch import LaunchedBot, why_not_begun
from referee.bots.processes.stderr import StderrKeeper
from referee.games.interface.faults import Disqualification
from referee.interrupts import signal_name
from referee.match.decode import is_blank
from referee.match.limits import MIB

_CHUNK = 64 * 1024
_WHITE_SPACE = b" \t\r\n"
_MAX_PIPE = 1024 * 1024  # what Linux grants everybody
_LAST_STDERR_READS = 64
_POLL_SECONDS = 0.02
_KILL_SECONDS = 5
_CPU_CHECK_SECONDS = 0.02
"""The CPU time is looked at no more often than this."""
_CHECKPOINT_SECONDS = 0.005
"""Most seconds for which replies that come quickly keep other tasks waiting."""
_WATCHED_PART = 0.3
"""The share of a look before the bot's input is ended."""
_EXIT_SECONDS = 0.5
"""Seconds to wait for the exit code after stdout closes, so that the message can name it."""


class _OutputLimitError(Exception):
    pass


async def wait_for_exit(launched: LaunchedBot) -> None:
    """Wait until a process has ended, without reaping it: its id must stay its own."""
    if launched.popen is None or launched.exit_code is not None:  # then its id may be anybody's
        return
    if sys.platform == "linux":
        fd = os.pidfd_open(launched.popen.pid)
        try:
            await trio.lowlevel.wait_readable(fd)
        finally:
            os.close(fd)
    else:
        while launched.peek_exit_code() is None:  # noqa: ASYNC110 (nothing tells us)
            await trio.sleep(_POLL_SECONDS)


async def kill(launched: LaunchedBot) -> None:
    """Kill what a bot has started, and wait for its process, which is then to be reaped."""
    launched.kill()
    # SIGKILL cannot be ignored, but one stuck in the kernel must not hang us.
    with trio.move_on_after(_KILL_SECONDS):
        await wait_for_exit(launched)


class BotProcess:
    """A launched bot; a `Bot`.

    `watch` and `drain_stderr` run in tasks of their own while it plays (`attend`).

    The process may have waited for this match since it was let go of (`release`). What it has
    written on stderr meanwhile is of the match before, and goes to the keeper of that.

    Args:
        patience: milliseconds to wait for a reply without the event loop, in a program that
            has nothing else to do.
        look_seconds: seconds to look at a process that did not answer in time, before it is
            killed; 0: none.
        reply_end: what ends each of its replies.

    Attributes:
        launched: the process itself.
        stderr: what it said there.
        started: when it was started, on trio's clock; None once it was asked, and if it has
            waited for this match.
        has_answered: whether it has written a line that was taken.
    """

    def __init__(
        self,
        launched: LaunchedBot,
        stderr: StderrKeeper,
        patience: int = 0,
        look_seconds: float = 0.0,
        *,
        reply_end: bytes = b"\n",
    ) -> None:
        self.launched = launched
        self.stderr = stderr
        # The two clocks differ in their zero only.
        offset = trio.current_time() - time.monotonic()
        before, launched.last_stderr = launched.last_stderr, None
        self.started: float | None = launched.started + offset if before is None else None
        self._limits = launched.limits
        self._outgoing = bytearray()  # what the pipe did not take yet
        self._buffer = bytearray()  # what the bot wrote and nobody has asked for yet
        self._scanned = 0  # bytes of the buffer that are known to hold no line end
        self._blank = 0  # bytes of blank lines skipped since the last line
        self._stdin_open = self._stdout_open = self._stderr_open = False
        self._waiting: trio.CancelScope | None = None
        self._ended = trio.Event()
        self._killing = trio.Lock()
        self._closed = False
        self._patience = patience
        self._look_seconds = look_seconds
        self._reply_end = reply_end
        self.has_answered = False
        self._has_waited = before is not None
        self._is_early = False  # wrote before it was asked whether it plays another match
        self._is_late = False
        self._silence: Silence | None = None
        self._output = 0  # bytes that it has written in this match
        used = launched.cpu_seconds if self._limits.cpu_limit < math.inf else None
        self._cpu_before = used or 0.0
        self._cpu_check_at = math.inf if used is None else self._next_cpu_check(used)
        self._oom_kills = launched.oom_kills
        self._refused_forks = 0 if before is None else launched.refused_forks
        self._quick = select.poll()
        self._checkpoint_at = 0.0
        popen = launched.popen
        if popen is not None:
            self._stdin, self._stdout, self._stderr = launched.pipes
            for fd in (self._stdin, self._stdout, self._stderr):
                os.set_blocking(fd, False)
            self._stdin_open = self._stdout_open = self._stderr_open = True
            self._quick.register(self._stdout, select.POLLIN)
            if before is None:
                self._enlarge_stdout()
            else:
                self._read_last_stderr(before)
                before.close()

    def _enlarge_stdout(self) -> None:
        """Let the pipe hold more than is allowed, where the system can (Linux).

        What a bot writes in one go is then there at one look, and too much of it is noticed at
        once, not some requests later.
        """
        if sys.platform == "linux":
            wanted = self._limits.line_limit + self._limits.queue_limit + _CHUNK
            with contextlib.suppress(OSError):
                fcntl.fcntl(self._stdout, fcntl.F_SETPIPE_SZ, min(wanted, _MAX_PIPE))

    # --- to the bot ---------------------------------------------------------------------------

    def push(self, lines: bytes) -> None:
        """Hand over lines as far as the pipe takes them; never waits."""
        if self._has_waited:  # what is there now cannot answer these lines
            self._has_waited = False
            self._read_last_output()
            self._is_early = bool(self._buffer.strip(_WHITE_SPACE))
            self._buffer.clear()
        if self._stdin_open:
            self._outgoing += lines
            self._write_outgoing()

    def _write_outgoing(self) -> None:
        try:
            while self._outgoing:
                del self._outgoing[: os.write(self._stdin, self._outgoing)]
        except BlockingIOError:
            pass
        except OSError:
            # It closed its stdin or is gone. That alone is no verdict: it may have answered.
            self._close_stdin()

    def _close_stdin(self) -> None:
        if self._stdin_open:
            self._stdin_open = False
            self._outgoing.clear()
            trio.lowlevel.notify_closing(self._stdin)
            self.launched.close_stdin()

    # --- from the bot -------------------------------------------------------------------------

    async def reply(self, deadline: float) -> Answer:
        """Wait for the line that answers the request handed over last (1.2, 1.3, 8.1, 8.2)."""
        self.started = None
        if self.launched.popen is None:
            await trio.lowlevel.checkpoint()
            return Failure(Disqualification.FAILED_TO_START, self.launched.error)
        if self._is_early:
            await trio.lowlevel.checkpoint()
            return Failure(Disqualification.OUTPUT_LIMIT, "it wrote before it was asked")
        answer = await self._answer(deadline)
        if trio.current_time() >= self._cpu_check_at and (used := self._cpu_exceeded()):
            return used
        if isinstance(answer, Failure) and self.launched.oom_kills > self._oom_kills:
            return Failure(
                Disqualification.MEMORY_LIMIT,
                f"the system has killed a process of it for using more than "
                f"{self._limits.memory_limit / MIB:,g} MiB: {answer.detail}",
            )
        return answer

    async def _answer(self, deadline: float) -> Answer:
        try:
            if self._outgoing and not await self._write_rest(deadline):
                self._is_late = True
                return Failure(
                    Disqualification.TIMEOUT, "it did not read its standard input in time"
                )
            if self._buffer:
                await trio.lowlevel.checkpoint()  # a queued reply must not starve other tasks
                self._read_queue()
            return await self._read_reply(deadline)
        except _OutputLimitError as error:
            return Failure(Disqualification.OUTPUT_LIMIT, str(error))
        finally:
            if self.stderr.recorded is not None:  # what it wrote before is there by now
                self._read_last_stderr(self.stderr)
                self.stderr.recorded.mark()

    async def _write_rest(self, deadline: float) -> bool:
        """Hand over what the pipe did not take at once; False if time ran out."""
        with trio.move_on_at(deadline) as self._waiting:
            while self._must_write():
                # A bot that is stuck on its own full output never reads, so look at both.
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(_cancel_when_readable, self._stdout, nursery.cancel_scope)
                    await trio.lowlevel.wait_writable(self._stdin)
                    nursery.cancel_scope.cancel()
                self._write_outgoing()
                self._read_queue()
        self._waiting = None
        return not self._must_write()

    def _must_write(self) -> bool:
        return bool(self._outgoing) and self._stdout_open and not self._ended.is_set()

    async def _read_reply(self, deadline: float) -> Answer:
        late = False
        while True:
            line = self._next_line()
            if line is not None:
                self.has_answered = True
                return line
            if self._stdout_open and not late and not self._ended.is_set():
                if self._patience and await self._read_quickly(deadline):
                    continue
                until = min(deadline, self._cpu_check_at)
                with trio.move_on_at(until) as self._waiting:
                    await trio.lowlevel.wait_readable(self._stdout)
                late = self._waiting.cancelled_caught and not self._ended.is_set()
                self._waiting = None
                if late and until < deadline:
                    late = False
                    if used := self._cpu_exceeded():
                        return used
            # Whatever woke us, look into the pipe: what is complete there counts, even if the
            # referee was late to notice. A drip-fed line gets no more time than this.
            if not self._read():
                if not self._stdout_open or self._ended.is_set():
                    how = await self._how_it_ended()
                    if self._ended.is_set() and not self.launched.has_begun():
                        return Failure(Disqualification.FAILED_TO_START, self._why_not_begun())
                    return Failure(Disqualification.EXITED, how)
                if late:
                    self._is_late = True
                    return Failure(Disqualification.TIMEOUT, "no reply in time")

    async def _read_quickly(self, deadline: float) -> bool:
        """Wait a moment without the event loop, which takes longer than many a reply.

        Returns:
            Whether there was anything to read, and there is time left.
        """
        now = trio.current_time()
        if now >= deadline:
            return False
        if now >= self._checkpoint_at:
            await trio.lowlevel.checkpoint()  # other tasks must not starve
            self._checkpoint_at = trio.current_time() + _CHECKPOINT_SECONDS
        return bool(self._quick.poll(self._patience)) and self._read()

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
            raise _OutputLimitError(f"more than {limit} bytes that nothing asked for")

    def _read(self) -> bool:
        """Read once, without waiting; whether there was anything."""
        if not self._stdout_open:
            return False
        try:
            data = os.read(self._stdout, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._stdout_open = False
            return False
        self._buffer += data
        self._output += len(data)
        return True

    def _cpu_exceeded(self) -> Failure | None:
        """Count its CPU time; why it is to leave the match if that is too much (limits.md, 1)."""
        used = self.launched.cpu_seconds
        if used is None or self._ended.is_set():
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
        """When all cores could have used up what is left, on trio's clock."""
        left = self._cpu_before + self._limits.cpu_limit - used
        return trio.current_time() + max(left / (os.cpu_count() or 1), _CPU_CHECK_SECONDS)

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

    async def _how_it_ended(self) -> str:
        with trio.move_on_after(_EXIT_SECONDS):
            await self._ended.wait()
        if not self._ended.is_set():
            return "it closed its standard output"
        code = self.launched.peek_exit_code()
        if code is None:
            return "its process ended"
        if code < 0:
            return f"its process was ended by {signal_name(-code)}"
        return f"its process ended with exit code {code}"

    def _why_not_begun(self) -> str:
        """What kept the sandbox from running it.

        Raises:
            ShortageError: there is no sandbox, which is not the bot's fault.
        """
        self._read_last_stderr(self.stderr)
        said = self.stderr.lines(1).lines
        self.stderr.forget()  # the bot has said nothing
        return why_not_begun(self.launched.argument, said)

    @property
    def unfinished(self) -> bytes:
        """What was read of a line that has not ended."""
        return bytes(self._buffer)

    async def look(self, watch: float, rest: float) -> Silence:
        """See what it does instead of answering; its input is ended on the way.

        Args:
            watch: seconds to look whether it computes, or answers late.
            rest: seconds to wait for its end once its input has ended.
        """
        before = self.usage()
        silence = Silence(
            unfinished=self.unfinished,
            blank=bool(self._blank),
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
        """Whether it has read all that it was sent, as far as anybody can tell."""
        if self._outgoing or not self._stdin_open:
            return not self._outgoing
        with contextlib.suppress(OSError):  # not every system tells
            unread = fcntl.ioctl(self._stdin, termios.FIONREAD, bytes(4))
            return not int.from_bytes(unread, sys.byteorder)
        return True

    def usage(self) -> Usage | None:
        """What it and all that it has started do with the processor; None if nothing tells."""
        roots = self.launched.roots
        return usage(*roots) if roots else None

    # --- its end ------------------------------------------------------------------------------

    @property
    def exit_code(self) -> int | None:
        """Of the process, once reaped: -N after signal N; None if it was never started."""
        # One that was looked at was to be killed, and has at most run ahead of that.
        return -signal.SIGKILL if self._silence is not None else self.launched.exit_code

    def attend(self, nursery: trio.Nursery) -> None:
        """Start what runs beside it while it plays."""
        nursery.start_soon(self.watch)
        nursery.start_soon(self.drain_stderr)

    async def watch(self) -> None:
        """Notice the end of the process, which no pipe tells for sure: a child may hold it."""
        await wait_for_exit(self.launched)
        self._note_end()

    def _note_end(self) -> None:
        self._ended.set()
        if self._waiting is not None:
            self._waiting.cancel()

    async def drain_stderr(self) -> None:
        """Read stderr to its end, so that the bot never blocks on it (1.4)."""
        try:
            while self._stderr_open:
                await trio.lowlevel.wait_readable(self._stderr)
                self._read_stderr(self.stderr)
        except trio.ClosedResourceError:
            pass

    def _read_stderr(self, keeper: StderrKeeper) -> bool:
        if not self._stderr_open:
            return False
        try:
            data = os.read(self._stderr, _CHUNK)
        except BlockingIOError:
            return False
        self._stderr_open = bool(data)
        keeper.feed(data)
        return bool(data)

    def _read_last_stderr(self, keeper: StderrKeeper) -> None:
        for _ in range(_LAST_STDERR_READS):  # bounded: a stray child may still be writing
            if not self._read_stderr(keeper):
                break

    def last_words(self, count: int) -> LastWords:
        """What it leaves behind, once it has ended."""
        stderr = self.stderr.lines(count)
        if self._silence is not None:  # the end of its input has brought about the rest
            return LastWords(stderr, silence=self._silence, limits=self._limits)
        is_full = self.launched.refused_forks > self._refused_forks
        *lines, unfinished = bytes(self._buffer).split(b"\n")
        unasked = [line for line in lines if not is_blank(line)]
        return LastWords(
            stderr,
            len(unasked),
            unasked[0] if unasked else b"",
            unfinished,
            limits=self._limits,
            reached=("process_limit",) if is_full else (),
            sandbox=self.launched.sandbox.kind,
        )

    async def _hand_over(self) -> None:
        """Hand over what is left."""
        while self._outgoing and not self._ended.is_set():
            await trio.lowlevel.wait_writable(self._stdin)
            self._write_outgoing()

    async def release(self, grace: float) -> bool:
        """Let the process wait for another match, if it can."""
        with trio.move_on_after(grace):
            await self._hand_over()
        if self._closed or self._ended.is_set() or self._outgoing or not self._stdin_open:
            return False
        self._read()
        if not self._stdout_open or self._buffer.strip(_WHITE_SPACE):
            return False
        self._read_last_stderr(self.stderr)
        self.launched.last_stderr = self.stderr
        self._closed = True
        for fd in (self._stdin, self._stdout, self._stderr):
            trio.lowlevel.notify_closing(fd)  # so that no task of this match waits for them
        return True

    async def end_input(self, seconds: float) -> bool:
        """Hand over what is left, let it see the end of its input, and wait for its own end.

        Returns:
            Whether it has ended by then.
        """
        with trio.move_on_after(seconds):
            await self._hand_over()
            self._close_stdin()
            await self._ended.wait()
        self._close_stdin()
        return self._ended.is_set()

    async def finish(self, grace: float) -> None:
        """Let it end by itself after its last line, then make it (8.4).

        Args:
            grace: seconds to exit after the last line, and again after SIGTERM.
        """
        if not self._closed and not await self.end_input(grace):
            self.launched.terminate()
            with trio.move_on_after(grace):
                await self._ended.wait()
        await self.kill()

    async def kill(self) -> None:
        """Kill what the bot has started, reap the process, keep its last words (8.3).

        It is done even if the caller is cancelled.
        """
        with trio.CancelScope(shield=True):
            async with self._killing:
                if not self._closed:
                    if self._is_late and self._look_seconds and not self._ended.is_set():
                        watch = self._look_seconds * _WATCHED_PART
                        self._silence = await self.look(watch, self._look_seconds - watch)
                    await kill(self.launched)
                    self._close()

    def _close(self) -> None:
        self._closed = True
        self._note_end()
        self.launched.reap()
        self._read_last_stderr(self.stderr)
        self._close_stdin()
        self._read_last_output()
        if self.launched.popen is not None:
            trio.lowlevel.notify_closing(self._stdout)
            trio.lowlevel.notify_closing(self._stderr)
        self._stdout_open = self._stderr_open = False
        self.launched.close_pipes()
        self.stderr.close()


async def _cancel_when_readable(fd: int, scope: trio.CancelScope) -> None:
    await trio.lowlevel.wait_readable(fd)
    scope.cancel()
