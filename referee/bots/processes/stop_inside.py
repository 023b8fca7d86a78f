"""Stop all processes of a sandbox from inside it. Runs as a separate program.

    python -I -S stop_inside.py PID

A chain of processes, in which each starts the next one and exits, escapes signals to single
processes. It cannot escape a signal to all processes, because Linux starts no process while it
delivers such a signal. Only a process inside can send it. For each input line this program starts a
child in the sandbox, which sends the signal. A process of the bot can kill or stop the child.

Args:
    PID: a process in the sandbox, as seen from outside.

Writes one byte per line on standard output: `DONE`, or `DISTURBED` if the child was hit by a
signal. If the system does not allow it to enter the sandbox, it writes the reason on standard error
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
    libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0)  # the bot sees a child in its /proc, but not its memory
    inside = os.open(f"/proc/{pid}/ns/pid", os.O_RDONLY)
    owner = fcntl.ioctl(inside, _NS_GET_USERNS)  # here the user has all capabilities
    for namespace in (owner, inside):
        if libc.setns(namespace, 0):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))


def _stop_all() -> bytes:
    child = os.fork()
    if child == 0:
        with contextlib.suppress(ProcessLookupError):  # all have exited
            os.kill(-1, signal.SIGSTOP)  # all except this process and the first one
        os._exit(0)
    _, status = os.waitpid(child, os.WUNTRACED)
    if status == 0:
        return DONE
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    return DISTURBED


def main() -> None:
    """Run the program."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        _enter(sys.argv[1])
        while os.read(0, 1):
            os.write(1, _stop_all())
    except OSError as error:
        sys.stderr.write(str(error))


if __name__ == "__main__":
    main()
