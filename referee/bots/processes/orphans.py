"""Find processes that a bot has started outside of its process group (protocol, 8.3 and 8.4).

Killing a process group misses a child that has moved to a session of its own (a daemon). On Linux,
we find such a child among the descendants of its bot, as long as the processes between them are
alive. After they have ended, the referee inherits the child, because we ask the kernel for that.
Any new child of ours that isn't a bot must therefore be an orphan. On other systems these functions
do nothing.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator

from referee.bots.processes.guardian import GUARDIAN, STOP_SECONDS, is_guardian
from referee.bots.processes.prctl import adopt_orphans

_MAX_ROUNDS = 1000
_MAX_READS = 20


def children(pid: int | str = "self") -> set[int]:
    """Return the ids of a process's children, including zombies."""
    # While children come and go, Linux may omit some from this list. That's why we read it until
    # it's the same twice in a row.
    found = _listed_children(pid)
    for _ in range(_MAX_READS):
        before, found = found, _listed_children(pid)
        if found == before:
            break
    return found


def _listed_children(pid: int | str) -> set[int]:
    found: set[int] = set()
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{pid}/task"):
                with (
                    contextlib.suppress(OSError),
                    open(f"/proc/{pid}/task/{task}/children") as file,
                ):
                    found |= {int(child) for child in file.read().split()}
    return found


def descendants(pid: int, *, quick: bool = False) -> set[int]:
    """Return all descendants of a process.

    Args:
        quick: read each list only once. If some processes end at the same time, the result may be
            incomplete.
    """
    read = _listed_children if quick else children
    found: set[int] = set()
    new = read(pid)
    while new:
        found |= new
        new = {grandchild for child in new for grandchild in read(child)} - found
    return found


def await_guardians(spare: set[int]) -> None:
    """Wait until the guardians of killed worker processes have done their work.

    They look like orphans to us. But if we killed them, nobody would thaw their frozen bots, and a
    frozen process doesn't die (`cgroups.py`).
    """
    # A bot may pretend to be a guardian, so it's important that this doesn't wait for long.
    await_end(filter(is_guardian, children() - spare - GUARDIAN.processes))


def await_end(pids: Iterable[int]) -> None:
    """Wait until all these processes have ended, but not longer than `STOP_SECONDS` (Linux)."""
    if sys.platform != "linux":
        return
    until = time.monotonic() + STOP_SECONDS
    for pid in pids:
        with contextlib.suppress(OSError):
            descriptor = os.pidfd_open(pid)
            try:
                select.select([descriptor], [], [], max(0.0, until - time.monotonic()))
            finally:
                os.close(descriptor)


def kill_orphans(spare: set[int]) -> None:
    """Kill and reap children of this process that bots have left behind.

    Children in our own session aren't orphans. Each bot has a session of its own, and a process can
    only leave its session by creating a new one, so it can't get into ours.
    """
    session = os.getsid(0)
    with GUARDIAN.lock:
        # When we kill an orphan, its children become orphans themselves, so this takes several
        # rounds.
        for _ in range(_MAX_ROUNDS):
            others = children() - spare - GUARDIAN.processes
            orphans = {pid for pid in others if _session(pid) not in (session, None)}
            if not orphans:
                break
            for pid in orphans:
                with contextlib.suppress(ProcessLookupError, ChildProcessError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


_lock = threading.Lock()
_users = 0
_spare: set[int] = set()


@contextlib.contextmanager
def no_orphans() -> Iterator[None]:
    """Start bots in this block. At its end, we kill all processes that they've left behind.

    If several threads are in such a block, we wait for the last one to leave it. Before that, we
    couldn't distinguish an orphan from a bot that's still playing.
    """
    global _users, _spare
    with _lock:
        _users += 1
        if _users == 1:
            _spare = children()
            adopt_orphans()
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                kill_orphans(_spare)
                adopt_orphans(False)
