"""Stop all processes of a sandbox at once, from inside it; run as a program of its own.

    python -I -S stop_inside.py PID

Linux starts no process while it delivers a signal to all. A chain of processes, in which each
starts the next one and ends, cannot get past such a signal. Only a process inside can send it. For
each line of its input this program starts a child there, which sends the signal. A process of the
bot can kill or stop the child.

Args:
    PID: a process in the sandbox, as seen from outside.

Standard output gets a byte for each line: `DONE`, or `DISTURBED` if a signal has hit the child. If
the system does not let the program into the sandbox, it says why on standard error and ends.
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
    """Let the children of this process be in the sandbox; the process itself stays outside."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0)  # the bot sees a child in its /proc, not its memory
    inside = os.open(f"/proc/{pid}/ns/pid", os.O_RDONLY)
    owner = fcntl.ioctl(inside, _NS_GET_USERNS)  # in which this user has all rights
    for namespace in (owner, inside):
        if libc.setns(namespace, 0):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))


def _stop_all() -> bytes:
    child = os.fork()
    if child == 0:
        with contextlib.suppress(ProcessLookupError):  # all have ended
            os.kill(-1, signal.SIGSTOP)  # all but itself and the first process
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
