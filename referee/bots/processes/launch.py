"""Starts the process of a bot in a process group of its own, and kills this group.

Don't import trio here. Without that import, a command can start the bots first, and import
everything else while they are starting up.
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from referee.bots.command import BotAddress, BotCommand, BotSource, PythonBot
from referee.bots.processes.confinement import (
    NOT_REACHED,
    inner_words,
    new_cgroup,
    outer_words,
)
from referee.bots.processes.cpu import usage
from referee.bots.processes.guardian import GUARDIAN
from referee.bots.processes.memory import MemoryWatch, memory_watch
from referee.bots.processes.orphans import children, descendants, no_orphans
from referee.bots.processes.prctl import hide_memory
from referee.bots.processes.program import check_program, why_not_runnable
from referee.bots.processes.sandbox import (
    bot_exit_code,
    close,
    first_inside,
    prepare,
    was_started,
    why_not_inside,
)
from referee.bots.processes.stopping import Stopping, signal_all
from referee.errors import SHORTAGES, ProtocolMisuseError, ShortageError, UsageError
from referee.match.limits import Limits
from referee.match.sandbox import NO_SANDBOX, Sandbox

if TYPE_CHECKING:
    from referee.bots.processes.stderr import StderrKeeper

_PIPES = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
_REAP_SECONDS = 5
_END_SECONDS = 0.1
_WRAPPER_LINES = 4
# bubblewrap begins each line on stderr with this.
_BWRAP = "bwrap: "
_POLL_SECONDS = 0.0005
_INHERITED = ("PATH", "HOME", "TMPDIR")
# The environment of every bot, in addition to its own variables (protocol, 8.5). Apart from
# `_INHERITED`, bots don't get the referee's environment. A bot that works here should also work
# elsewhere, so it mustn't depend on a variable that turns off buffering, adds modules or changes
# the format of numbers. The user's environment may also contain secret keys, which bots shouldn't
# see.
_FIXED = {"LANG": "C.UTF-8"}
TIME_LIMIT = "REFEREE_TIME_LIMIT"
"""The variable in which an adapter finds the time limit, in seconds or `inf`."""


class LaunchedBot:
    """The process of a bot, or the reason why it didn't start.

    Attributes:
        popen: the process and its three pipes, or None if it didn't start.
        error: the reason why the process didn't start, or "" if it did.
        started: start time of the process, on `time.monotonic`.
        last_stderr: while the process waits for another match, the stderr of the last one.
            Otherwise None.
        is_frozen: True while we keep the processes stopped.
        cgroup: the control group of the bot, or None.
        memory: measures the memory of the bot, or None if we don't need to or can't.
        folder: the working directory of the bot, see `Prepared.folder`.
    """

    def __init__(
        self,
        command: BotCommand,
        limits: Limits,
        sandbox: Sandbox = NO_SANDBOX,
        **others: Any,
    ) -> None:
        """Start the process. If the program can't be run, this only sets `error` (3.4).

        Args:
            others: more arguments for `Popen`. You can use them to replace the pipes.

        Raises:
            ShortageError: the system has no process, memory or file descriptor left.
            UsageError: this program ignores SIGCHLD, or the sandbox doesn't work or can't be used.
        """
        if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
            raise UsageError(
                "this program ignores SIGCHLD, so that it cannot wait for a bot: call "
                "signal.signal(signal.SIGCHLD, signal.SIG_DFL) first"
            )
        self.command = command
        self.limits = limits
        self.sandbox = sandbox
        self.popen: subprocess.Popen[bytes] | None = None
        self.error = ""
        self.started = time.monotonic()
        self.last_stderr: StderrKeeper | None = None
        self.is_frozen = False
        self.cgroup = new_cgroup(limits, sandbox)
        self.memory: MemoryWatch | None = None
        self.folder = ""
        self._stopping: Stopping | None = None  # created by freeze(), if needed
        self._refused_forks = 0  # we still need this after the control group is gone
        self._guarded = False
        hide_memory()
        self._token = os.urandom(32).hex()
        self._status: int | None = None
        self._was_started = True
        # Otherwise another thread might take the new process for an orphan, and kill it.
        with GUARDIAN.lock:
            try:
                GUARDIAN.begin(self.cgroup.folders if self.cgroup else ())
            except OSError as error:
                raise ShortageError("cannot start /bin/sh", error) from error
            try:
                self.popen = self._start(others)
                GUARDIAN.watch(self.popen.pid)
                self._guarded = True
            except OSError as error:
                if error.errno in SHORTAGES:
                    raise ShortageError(f"cannot start {command.argument}", error) from error
                program = command.argv[0]
                # a name without a slash is looked up on the PATH
                is_path = os.sep in program
                why = why_not_runnable(program, command.directory) if is_path else ""
                self.error = why or error.strerror or str(error)
            finally:
                if not self._guarded:
                    GUARDIAN.end(None, self.cgroup)

    def _start(self, others: Mapping[str, Any]) -> subprocess.Popen[bytes]:
        limits, cgroup = self.limits, self.cgroup
        if cgroup is not None:
            try:
                cgroup.make(limits)
            except OSError as error:
                raise ShortageError("cannot make a control group", error) from error
        self.memory = memory_watch(limits, self.sandbox, cgroup)
        prepared = prepare(
            self.command,
            _environment(self.command, limits),
            self.sandbox,
            limits.tmp_limit,
            inner_words(limits, self.sandbox, cgroup, self._token),
        )
        self.folder = prepared.folder
        try:
            first = outer_words(limits, cgroup, self._token)
            if self.sandbox.kind == "none" and first:
                check_program(prepared.argv[0], self.command.directory)
            popen = subprocess.Popen(
                [*first, *prepared.argv],
                bufsize=0,
                cwd=prepared.directory,
                # kill() sends signals to the whole group. The group also has a session of its own,
                # so a Ctrl-C in the terminal only reaches the referee, which can then stop its bots
                # in an orderly way.
                start_new_session=True,
                pass_fds=prepared.fds,
                **{**_PIPES, "env": prepared.env, **others},
            )
        except BaseException:
            close(prepared)
            raise
        close(prepared, status=False)
        self._status = prepared.status
        return popen

    @property
    def argument(self) -> str:
        """See `BotCommand.argument`."""
        return self.command.argument

    @property
    def dialect(self) -> str:
        """See `BotCommand.dialect`."""
        return self.command.dialect

    @property
    def exit_code(self) -> int | None:
        """Exit code of the process, -N if signal N killed it, or None if we haven't reaped it."""
        if self.popen is None or not self._was_started:
            return None
        return self._bot_code(self.popen.returncode)

    def _bot_code(self, code: int | None) -> int | None:
        return bot_exit_code(code) if self.sandbox.kind == "bwrap" else code

    @property
    def pipes(self) -> tuple[int, int, int]:
        """File descriptors of our ends of stdin, stdout and stderr.

        Raises:
            ProtocolMisuseError: the process wasn't started.
        """
        popen = self.popen
        if popen is None or popen.stdin is None or popen.stdout is None or popen.stderr is None:
            raise ProtocolMisuseError("a bot that was not started has no pipes")
        return popen.stdin.fileno(), popen.stdout.fileno(), popen.stderr.fileno()

    def close_stdin(self) -> None:
        """Close the bot's stdin. The bot then reads end-of-file."""
        if self.popen is not None and self.popen.stdin is not None:
            self.popen.stdin.close()

    def terminate(self) -> None:
        """Send SIGTERM to the bot's process group."""
        group = self.popen.pid if self.popen is not None else 0
        if self.sandbox.kind == "bwrap":  # the bot isn't in the group of the bwrap that we started
            group = first_inside(group) or group
        self._signal_group(signal.SIGTERM, group)

    def kill(self) -> None:
        """Kill the process group, and processes that the bot has started outside of it (8.3).

        A daemon whose parent has ended can't be traced back to its bot. We'll find it anyway, after
        all bots have ended (`orphans.kill_orphans`).
        """
        if self.popen is None or self.popen.returncode is not None:
            return
        # This has to come before the kill, since dead processes have no descendants. In a sandbox
        # it's enough to kill the first process: the kernel then ends all others in there.
        outside = children if self.sandbox.kind == "bwrap" else descendants
        others = outside(self.popen.pid)
        self._signal_group(signal.SIGKILL, self.popen.pid)
        signal_all(others, signal.SIGKILL)
        if self.cgroup is not None:
            self.cgroup.kill()

    def freeze(self) -> None:
        """Stop all processes of the bot until `thaw` (limits.md, 5).

        Without a sandbox this does nothing. Note that it returns before the processes have stopped:
        see `is_stopped`.

        Raises:
            ShortageError: the system has no process left.
        """
        popen = self.popen
        if (
            self.is_frozen
            or self.sandbox.kind == "none"
            or popen is None
            or popen.returncode is not None
        ):
            return
        self.is_frozen = True
        if self._stopping is None:
            if self.cgroup is not None and self.cgroup.freeze():
                return
            self._stopping = Stopping(popen.pid)
        self._stopping.stop()

    def is_stopped(self) -> bool:
        """Return True once all processes are stopped. A process that has woken up is stopped again.

        Raises:
            ShortageError: the system has no process left, or doesn't allow the referee to stop
                the bot.
        """
        if not self.is_frozen:
            return False
        if self._stopping is not None:
            return self._stopping.check()
        return self.cgroup is not None and self.cgroup.is_frozen

    @property
    def offence(self) -> str:
        """How the bot kept running although we had stopped it, or ""."""
        return "" if self._stopping is None else self._stopping.offence

    def thaw(self) -> None:
        """Resume all processes after `freeze`."""
        popen = self.popen
        if not self.is_frozen or popen is None or popen.returncode is not None:
            return
        self.is_frozen = False
        if self._stopping is not None:
            self._stopping.resume()
        elif self.cgroup is not None:
            self.cgroup.freeze(False)

    @property
    def oom_kills(self) -> int:
        """Number of processes that were killed because of the memory limit, or 0 if unknown."""
        if self.cgroup is None or self.limits.memory_limit == math.inf:
            return 0
        return self.cgroup.oom_kills

    @property
    def refused_forks(self) -> int:
        """How often the limit kept the bot from starting a process, or 0 if we don't know."""
        if self.cgroup is not None and self._guarded and self.limits.process_limit < math.inf:
            self._refused_forks = self.cgroup.refused_forks
        return self._refused_forks

    @property
    def cpu_seconds(self) -> float | None:
        """CPU time of all processes of the bot, or None if the system doesn't report it."""
        if self.popen is None:
            return None
        seconds = self.cgroup.cpu_seconds if self.cgroup is not None else None
        if seconds is not None:
            return seconds
        used = usage(self.popen.pid)
        return None if used is None else used.seconds

    def _signal_group(self, number: int, group: int) -> None:
        # After the process is reaped, the kernel may give its id to any new process.
        if self.popen is not None and self.popen.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)

    @property
    def roots(self) -> set[int]:
        """Ids of the processes from which all other processes of the bot descend.

        In a sandbox, bwrap's own processes aren't included, so the list is empty after the bot has
        ended.
        """
        if self.popen is None:
            return set()
        if self.sandbox.kind == "none":
            return {self.popen.pid}
        first = first_inside(self.popen.pid)
        return set() if first is None else children(first)

    def was_started(self) -> bool:
        """Return True if we got as far as running the bot's own program.

        Only call this after the process has ended. A sandbox may start successfully and fail later.
        """
        if self._status is not None:
            self._was_started = was_started(self._status)
            self._close_status()
        return self._was_started

    def check_reached(self, stderr: StderrKeeper) -> None:
        """Raise `ShortageError` if the shell couldn't set a limit and so didn't start the bot."""
        if self.peek_exit_code() != NOT_REACHED:
            return
        lines = stderr.lines(_WRAPPER_LINES).lines
        for line in lines:
            if line.startswith(self._token):
                step = line.removeprefix(self._token).strip()
                said = "".join(f": {other}" for other in lines[:1] if other != line)
                raise ShortageError(f"cannot start {self.argument}: {step} failed{said}")

    def _close_status(self) -> None:
        if self._status is not None:
            os.close(self._status)
            self._status = None

    def peek_exit_code(self) -> int | None:
        """Return the exit code of an ended process without reaping it, or -N after signal N.

        We reap processes as late as possible, because until then their ids aren't reused.
        """
        if self.popen is None or self.popen.returncode is not None:
            return self.exit_code
        if not hasattr(os, "waitid"):
            return self._bot_code(self.popen.poll())
        try:
            status = os.waitid(os.P_PID, self.popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return self._bot_code(self.popen.poll())
        if status is None:
            return None
        exited = status.si_code == os.CLD_EXITED
        return self._bot_code(status.si_status if exited else -status.si_status)

    def reap(self) -> None:
        """Reap the process if it has ended. Never blocks."""
        if self.popen is not None and self.peek_exit_code() is not None:
            self._unguard()
            self.popen.poll()

    def _unguard(self) -> None:
        if self.popen is not None and self._guarded:
            # This looks useless, but it makes us read the counter one last time before the group is
            # removed.
            _ = self.refused_forks
            self._guarded = False
            GUARDIAN.end(self.popen.pid, self.cgroup)

    def close_pipes(self) -> None:
        """Close the referee's ends of the pipes."""
        if self._stopping is not None:
            self._stopping.end()
        self._close_status()
        if self.popen is not None:
            for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
                if pipe is not None:
                    pipe.close()

    def end(self) -> None:
        """Kill the group, reap the process, close the pipes. You can call this more than once."""
        self.kill()
        if self.popen is not None:
            if self.cgroup is not None:
                self._await_end()  # A group can't be removed as long as there's a process in it.
            self._unguard()
            # Nothing can ignore SIGKILL, but a process may hang inside the kernel, e.g. on a dead
            # network disk.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.popen.wait(timeout=_REAP_SECONDS)
        self.close_pipes()

    def _await_end(self) -> None:
        until = time.monotonic() + _END_SECONDS
        while self.peek_exit_code() is None and time.monotonic() < until:
            time.sleep(_POLL_SECONDS)


Started: TypeAlias = LaunchedBot | BotAddress | PythonBot
"""The result of `launch`: a bot whose process has been started, if it needs one."""


def launch(source: BotSource, limits: Limits, sandbox: Sandbox = NO_SANDBOX) -> Started:
    """Start the process of a bot. Other kinds of bots are returned unchanged."""
    return LaunchedBot(source, limits, sandbox) if isinstance(source, BotCommand) else source


@contextlib.contextmanager
def launch_bots(
    sources: Sequence[BotSource],
    limits: Limits | Sequence[Limits],
    sandbox: Sandbox = NO_SANDBOX,
) -> Iterator[list[Started]]:
    """Launch bots for a `with` block, and stop all their processes at its end."""
    each = [limits] * len(sources) if isinstance(limits, Limits) else limits
    bots: list[Started] = []
    with no_orphans():
        try:
            for source, own in zip(sources, each, strict=True):
                bot = launch(source, own, sandbox)
                bots.append(bot)  # if the next bot raises an error, we still end this one
            yield bots
        finally:
            for bot in bots:
                if isinstance(bot, LaunchedBot):
                    bot.end()


def _environment(command: BotCommand, limits: Limits) -> dict[str, str]:
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    timed = {TIME_LIMIT: str(limits.time_limit)} if command.adapter else {}
    return inherited | _FIXED | timed


def start_failure(command: BotCommand, said: Sequence[str]) -> str:
    """Find out why bubblewrap didn't run the bot's program, by reading its messages.

    Raises:
        ShortageError: the program isn't the cause, since the sandbox itself doesn't work.
    """
    text = next((line for line in said if line.startswith(_BWRAP)), "bwrap: it was killed")
    reason = text.rpartition(": ")[2]
    if not text.startswith(f"{_BWRAP}execvp ") or reason in map(os.strerror, SHORTAGES):
        raise ShortageError(f"no sandbox for {command.argument}: {text.removeprefix(_BWRAP)}")
    # We've already checked that the program exists. If something is missing anyway, it's something
    # that the program needs, such as its interpreter.
    if reason == os.strerror(errno.ENOENT):
        return why_not_inside(os.path.join(command.directory, command.argv[0]))
    return reason
