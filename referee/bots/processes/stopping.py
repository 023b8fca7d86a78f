"""Stops all processes of a bot in a sandbox without a control group (limits.md, 5).

It sounds easy to send SIGSTOP to every process, but there may always be a new one that we haven't
seen. Two facts help. Nothing in the sandbox can send SIGCONT (`seccomp.py`), and a process that is
stopped can't start another one. If all processes are stopped and a scan after that finds no new
one, none is left. If every scan finds new processes, we start a helper (`stop_inside.py`) that
stops all of them at once. The helper keeps running, so that we can use it again.

A process that waits inside the kernel stops before it leaves the kernel. But it may be starting a
process there, which our signal doesn't reach. The helper's signal does, because it's for all.

There's one exception. When a process exits and thereby orphans a stopped process group, the kernel
itself sends SIGCONT to that group. `check` finds such a group, and stops it again.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterable
from typing import IO, Literal

from referee.bots.processes import stop_inside
from referee.bots.processes.cpu import stat_fields
from referee.bots.processes.orphans import descendants
from referee.bots.processes.sandbox import first_inside
from referee.errors import ShortageError

# Number of scans before we use the helper.
_LOOKS = 3
_STOPPED = {b"T", b"t"}
# We don't accept more wake-ups than this, since an honest program rarely wakes up even once.
_MOST_WAKES = 10


class Stopping:
    """Stops and resumes the processes of one sandbox.

    Args:
        bwrap: id of the outer process of the sandbox.

    Attributes:
        offence: how the bot kept its processes running, or "" if it didn't.
    """

    def __init__(self, bwrap: int) -> None:
        self.offence = ""
        self._bwrap = bwrap
        self._helper: subprocess.Popen[bytes] | None = None
        self._is_under_way = False
        self._has_signalled_all = False  # True if the helper was used since the last `stop`
        self._known: set[int] = set()  # processes that have received SIGSTOP
        self._was_stopped = False  # True once all of them were stopped since the last `stop`
        self._wakes = 0

    def stop(self) -> None:
        """Begin to stop all processes. This never blocks, so call `check` until they're stopped.

        Raises:
            ShortageError: the system has no process left.
        """
        self._known, self._was_stopped, self._has_signalled_all = set(), False, False
        for _ in range(_LOOKS):
            new = self._inside(quick=True) - self._known
            if not new:
                return
            signal_all(new, signal.SIGSTOP)
            self._known |= new
        self._stop_with_helper()

    def _inside(self, *, quick: bool = False) -> set[int]:
        """Return all processes inside, except the first one (that's bwrap's)."""
        first = first_inside(self._bwrap)
        return set() if first is None else descendants(first, quick=quick)

    def _stop_with_helper(self) -> None:
        inside = first_inside(self._bwrap)
        if inside is None:
            return
        if self._helper is None:
            self._helper = _start_helper(inside)
        self._is_under_way = True
        # If the helper has exited, _await_helper() will report why.
        with contextlib.suppress(BrokenPipeError):
            _pipe(self._helper.stdin).write(b"\n")

    def check(self) -> bool:
        """Return True if all processes are stopped. Stops processes that have woken up again."""
        if self._is_under_way:
            assert self._helper is not None
            answer = _pipe(self._helper.stdout)
            poll = select.poll()
            poll.register(answer, select.POLLIN)
            if not poll.poll(0):
                return False
            self._await_helper()
            self._known, self._has_signalled_all = self._inside(), True
        found = self._inside()
        states = {pid: _state(pid) for pid in found}
        awake = {pid for pid, state in states.items() if state == "awake"}
        unknown = {pid for pid, state in states.items() if state != "ended"} - self._known
        if not self._has_signalled_all:
            unknown |= {pid for pid, state in states.items() if state == "in the kernel"}
        # A process may have started another one before we looked at its state.
        if not awake and not unknown:
            unknown = self._inside() - found
        if unknown:
            self._stop_with_helper()
        elif not awake:
            is_stopped = "stopping" not in states.values()
            self._was_stopped |= is_stopped
            return is_stopped
        elif self._was_stopped:
            self._wakes += 1
            if self._wakes > _MOST_WAKES:
                self.offence = "its processes woke up while they were stopped"
            self.stop()
        else:
            for pid in awake:
                _stop_thread(pid)
        return False

    def resume(self) -> None:
        """Resume the processes after they were stopped."""
        if self._is_under_way:  # the helper's SIGSTOP mustn't come after our SIGCONT
            self._await_helper()
        signal_all(self._inside(), signal.SIGCONT)

    def end(self) -> None:
        """Stop the helper. Call this after the bot was killed."""
        if self._helper is not None:
            self._helper.kill()
            self._helper.communicate()
            self._helper = None

    def _await_helper(self) -> None:
        assert self._helper is not None
        answer = _pipe(self._helper.stdout).read(1)
        self._is_under_way = False
        if answer == stop_inside.DISTURBED:
            self.offence = "it sent a signal to the process that was to stop its processes"
        elif answer != stop_inside.DONE and first_inside(self._bwrap) is not None:
            said = _pipe(self._helper.stderr).read().decode(errors="replace")
            raise ShortageError(f"cannot stop the processes of a bot that waits: {said}")


def _start_helper(inside: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", stop_inside.__file__, str(inside)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            process_group=0,  # so that Ctrl-C in the terminal doesn't end it
        )
    except OSError as error:
        raise ShortageError("cannot start a process that stops a bot", error) from error


def _pipe(end: IO[bytes] | None) -> IO[bytes]:
    assert end is not None
    return end


def _state(pid: int) -> Literal["stopped", "stopping", "in the kernel", "ended", "awake"]:
    states = {state for thread in _threads(pid) for state in stat_fields(thread)[:1]}
    if states & {b"R", b"S"}:
        # If a thread is stopped, the others will stop before they leave the kernel.
        return "stopping" if states & _STOPPED else "awake"
    if b"D" in states:
        return "in the kernel"
    return "stopped" if states & _STOPPED else "ended"


def _stop_thread(pid: int) -> None:
    # The process has received SIGSTOP and still runs. This happens because the kernel delivers a
    # process's signal to one of its threads. If that thread is waiting for its vfork(), the other
    # threads keep running. It doesn't help to send SIGSTOP again, since the kernel drops the second
    # signal while the first is pending. We cancel the first with SIGCONT, and choose a thread that
    # isn't stuck in the kernel.
    for thread in _threads(pid):
        if stat_fields(thread)[:1] != [b"D"]:
            signal_all([pid], signal.SIGCONT)
            signal_all([thread], signal.SIGSTOP)
            return


def _threads(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    return []


def signal_all(pids: Iterable[int], number: int) -> None:
    """Send a signal to processes. It's fine if some have exited."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
