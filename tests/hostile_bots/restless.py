"""A Big Money bot that goes on computing while it is stopped: restless.py WAY [NUMBER].

With a NUMBER it does not answer this request any more.

A computing process marks the parts of a second in which it has run. At the first request after a
longer wait, the bot says on stderr that its attack succeeds if it has run in a quarter of them,
else that it fails.
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
"""Seconds of a wait that is looked at; in its first half the bot may be about to be stopped."""
PARTS = 100
ROOM = 1 << 20
MARKS = mmap.mmap(-1, ROOM)  # shared with all children


def part(seconds):
    return int(seconds * PARTS) % ROOM


def compute():
    for _ in range(300):
        MARKS[part(time.monotonic())] = 1


def child(work):
    """Do this in a child, for ever."""
    if os.fork() == 0:
        os.closerange(1, 3)
        while True:
            work()


# --- ways: called after the handshake -------------------------------------------------------------


def burners():
    """Use all the CPU that they get."""
    for _ in range(CHAINS):
        child(compute)


def next_of_chain(*before):
    for work in before:
        work()
    if os.fork():
        os._exit(0)


def chain():
    """A chain of processes: each starts the next one and ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(CHAINS):
        child(lambda: next_of_chain(compute))


def killers():
    """A chain whose processes kill processes started beside them."""

    def kill():
        own = os.getpid()
        for pid in range(own + 1, own + 10):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(CHAINS):
        child(lambda: next_of_chain(compute, kill))


def wakers():
    """Wake each other."""

    def wake():
        compute()
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGCONT)

    for _ in range(CHAINS):
        child(wake)


def timer():
    """Is woken by a timer of its own."""

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
    """Is woken by its input."""
    if os.fork() == 0:
        with contextlib.suppress(OSError):
            fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
            fcntl.fcntl(0, fcntl.F_SETSIG, signal.SIGCONT)
            fcntl.fcntl(0, fcntl.F_SETFL, os.O_ASYNC)
        while True:
            compute()


def leader():
    """Has a first thread that waits for a vfork and takes the signal, and another one computes."""

    def compute_on():
        while True:
            compute()

    if os.fork() == 0:
        threading.Thread(target=compute_on).start()
        if C.vfork() == 0:  # it has the memory of its parent, which waits for its end
            while True:
                C.pause()


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
