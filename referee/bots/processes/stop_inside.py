"""Stops all processes in a sandbox from the inside. This is a separate program.

    python -I -S stop_inside.py PID

A bot may escape signals to single processes with a chain of processes, in which each process starts
the next one and exits. But it can't escape a signal to all processes (`kill -1`), because no
process can start another one while Linux delivers that signal. Only a process inside the sandbox
can send it. For each line of input, this program therefore starts a child process in the sandbox,
and the child sends the signal. Of course, the bot can kill or stop that child.

Args:
    PID: a process in the sandbox, as seen from outside.

For each line, this writes one byte on standard output: `DONE`, or `DISTURBED` if the child was hit
by a signal. If the system doesn't let it into the sandbox, it writes the reason on standard error
and exits.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
import sys

DONE, DISTURBED = b".", b"!"
_NS_GET_USERNS = 0xB701
_SET_DUMPABLE = 4


def _enter(pid: str) -> None:
    """Move future children of this process into the sandbox. The process itself stays outside."""
    libc = ctypes.CDLL(None, use_errno=True)
    # The bot can see our child in /proc, but mustn't see its memory.
    libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    inside = os.open(f"/proc/{pid}/ns/pid", os.O_RDONLY)
    owner = fcntl.ioctl(inside, _NS_GET_USERNS)  # we get all capabilities in this user namespace
    for namespace in (owner, inside):
        if libc.setns(namespace, 0):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))


def _stop_all() -> bytes:
    child = os.fork()
    if child == 0:
        with contextlib.suppress(ProcessLookupError):  # there's no process left to stop
            # this signals all processes except ourselves and the first process
            os.kill(-1, signal.SIGSTOP)
        os._exit(0)
    _, status = os.waitpid(child, os.WUNTRACED)
    if status == 0:
        return DONE
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    return DISTURBED


def main() -> None:
    """Enter the sandbox, and stop all processes once for each byte of input."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        _enter(sys.argv[1])
        while os.read(0, 1):
            os.write(1, _stop_all())
    except OSError as error:
        sys.stderr.write(str(error))


if __name__ == "__main__":
    main()
