"""A Big Money bot that tries to keep computing while it's stopped: restless.py WAY [NUMBER].

If there is a NUMBER, it doesn't reply to the request with this number.

Processes that compute mark each hundredth of a second in which they run. At the first request after
a long wait, the bot reports on stderr that its attack succeeds if they ran in more than a quarter
of that time. Otherwise it reports that the attack fails.
"""

import contextlib
import ctypes
import fcntl
import json
import math
import mmap
import os
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hostile import legal, write

C = ctypes.CDLL(None)
CHAINS = 4
LONG = 0.5
"""Waits longer than this, in seconds, are examined.

We only look at the second half of a wait, because the referee needs some time to stop the bot.
"""
PARTS = 100
ROOM = 1 << 20
MARKS = mmap.mmap(-1, ROOM)  # shared with all children


def part(seconds):
    return int(seconds * PARTS) % ROOM


def compute():
    for _ in range(300):
        MARKS[part(time.monotonic())] = 1


def child(work):
    """Run `work` in a child process, again and again."""
    if os.fork() == 0:
        os.closerange(1, 3)
        while True:
            work()


# --- ways: called after the handshake -------------------------------------------------------------


def burners():
    """Start busy children that use all the CPU time they can get."""
    for _ in range(CHAINS):
        child(compute)


def next_of_chain(*before):
    for work in before:
        work()
    if os.fork():
        os._exit(0)


def chain():
    """Start processes that each start their successor and exit."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(CHAINS):
        child(lambda: next_of_chain(compute))


def killers():
    """Start chains whose processes also kill the processes with the next higher ids."""

    def kill():
        own = os.getpid()
        for pid in range(own + 1, own + 10):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(CHAINS):
        child(lambda: next_of_chain(compute, kill))


def wakers():
    """Start children that send SIGCONT to each other."""

    def wake():
        compute()
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGCONT)

    for _ in range(CHAINS):
        child(wake)


def timer():
    """Start a child whose timer sends it SIGCONT."""

    class Event(ctypes.Structure):
        _fields_ = [("value", ctypes.c_void_p), ("number", ctypes.c_int), ("_", ctypes.c_int * 13)]

    if os.fork() == 0:
        signal.signal(signal.SIGCONT, lambda number, frame: None)
        event, name = Event(number=signal.SIGCONT), ctypes.c_void_p()
        if C.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(name)) == 0:
            millisecond = (ctypes.c_long * 4)(0, 1_000_000, 0, 1_000_000)
            C.timer_settime(name, 0, millisecond, None)
        while True:
            compute()


def news():
    """Start a child that gets SIGCONT whenever there is input."""
    if os.fork() == 0:
        with contextlib.suppress(OSError):
            fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
            fcntl.fcntl(0, fcntl.F_SETSIG, signal.SIGCONT)
            fcntl.fcntl(0, fcntl.F_SETFL, os.O_ASYNC)
        while True:
            compute()


def leader():
    """Start a child whose main thread waits in vfork while another thread computes."""

    def compute_on():
        while True:
            compute()

    if os.fork() == 0:
        threading.Thread(target=compute_on).start()
        # The new process shares our memory, and the main thread waits for its end.
        if C.vfork() == 0:
            while True:
                C.pause()


def forkers():
    """Start children whose second thread starts and kills busy processes."""

    def fork_on():
        while True:
            pid = os.fork()
            while pid == 0:
                compute()
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

    for _ in range(CHAINS):
        if os.fork() == 0:
            threading.Thread(target=fork_on).start()
            while True:
                signal.pause()


def main():
    way, since, is_told, number = globals()[sys.argv[1]], math.inf, False, 0
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] not in ("player-name-request", "play-turn", "attack-request"):
            continue
        now = time.monotonic()
        if now - since > LONG and not is_told:
            is_told = True
            parts = range(part((since + now) / 2), part(now) - 2)
            ran = sum(MARKS[each] for each in parts)
            how = "succeeds" if ran > len(parts) / 4 else "fails"
            sys.stderr.write(f"attack {sys.argv[1]} {how}: it ran in {ran} of {len(parts)} parts\n")
            sys.stderr.flush()
        if number == 0:
            way()
        if sys.argv[2:] == [str(number)]:
            time.sleep(1000)
        write(legal(message))
        since, number = time.monotonic(), number + 1


main()
