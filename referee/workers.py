"""Processes that work for this one, as an executor of `concurrent.futures`."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec
from multiprocessing.sharedctypes import Synchronized
from typing import Any

from referee.bots.processes.cpu import stat_fields
from referee.bots.processes.orphans import await_guardians, children, kill_orphans
from referee.bots.processes.prctl import adopt_orphans, die_with_parent
from referee.errors import ShortageError

_PARENT_GONE = 70
_LOOK_SECONDS = 1.0
"""Seconds between two looks for workers that somebody has stopped."""
_THREADS = 4
"""Threads that are needed: the watchdog, two of the executor, and one to spare."""


@contextmanager
def worker_processes(
    jobs: int, *, fork: bool = False, pin: bool = False
) -> Iterator[ProcessPoolExecutor]:
    """Worker processes inside this block. On Linux they are killed when this process dies.

    They end by themselves if the block does, and are killed if it is left by an exception, together
    with all processes that they started.

    Args:
        fork: start them faster, where that is safe (Linux); they then hold all files open that
            this process has open, and are not killed if somebody stops them.
        pin: whether each stays on its own core with all its children, if there is one worker per
            core (Linux). A worker and its bots usually wait for each other. On one core they do not
            have to wake another one each time, and a match takes half the time.

    Raises:
        ShortageError: the system has not what they need.
    """
    _check_threads()
    fork = fork and sys.platform == "linux"
    context = multiprocessing.get_context("fork" if fork else "spawn")
    cores = sorted(os.sched_getaffinity(0)) if pin and sys.platform == "linux" else []
    try:
        number = context.Value("i", 0) if len(cores) == jobs else None
        pool = _Pool(jobs, context, initializer=_begin, initargs=(os.getpid(), cores, number))
    except OSError as error:
        raise ShortageError("processes cannot share memory (/dev/shm)", error) from error
    before = set(multiprocessing.active_children())
    spare = children()
    adopt_orphans()  # those of workers that are killed
    ended = threading.Event()
    watchdog = threading.Thread(target=_kill_stopped, args=(spare, ended), daemon=True)
    if not fork:  # which is safe with one thread alone
        watchdog.start()
    try:
        yield pool
    except BaseException:
        for worker in multiprocessing.active_children():
            if worker not in before:
                worker.kill()
        raise
    finally:
        ended.set()
        pool.shutdown(wait=True, cancel_futures=True)
        await_guardians(spare)
        kill_orphans(spare)
        adopt_orphans(False)


def _check_threads() -> None:
    """See that the threads can be started that an executor starts.

    Some of them start others. If that fails, nothing reports it, and all would wait for ever.
    """
    ended = threading.Event()
    threads = [threading.Thread(target=ended.wait) for _ in range(_THREADS)]
    try:
        for thread in threads:
            thread.start()
    except RuntimeError as error:
        raise ShortageError(f"cannot start {_THREADS} threads") from error
    finally:
        ended.set()
        for thread in threads:
            if thread.ident is not None:
                thread.join()


def _kill_stopped(spare: set[int], ended: threading.Event) -> None:
    """Kill workers that somebody, such as a bot, has stopped: nothing would end otherwise.

    They must be found so twice: after Ctrl-Z all processes of a terminal continue, one by one.
    """
    before: set[int] = set()
    while not ended.wait(_LOOK_SECONDS):
        stopped = {pid for pid in children() - spare if stat_fields(pid)[:1] == [b"T"]}
        for pid in before & stopped:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        before = stopped


class _Pool(ProcessPoolExecutor):
    """Workers that do not run the main module of this program, as `multiprocessing` has it.

    Their functions are defined in modules. Otherwise each worker would run the program that plays
    matches from its first line, unless it is written with that in mind.
    """

    def submit(self, *args: Any, **kwargs: Any) -> Future[Any]:
        """As that of any executor; here is where workers are started."""
        main = sys.modules["__main__"]
        before = main.__spec__
        main.__spec__ = ModuleSpec("__main__", None)  # a module of this name is not run
        # Ctrl-C goes to all processes at a terminal: a worker must not see it while it imports.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(*args, **kwargs)
        finally:
            main.__spec__ = before
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _begin(parent: int, cores: list[int], number: Synchronized[int] | None) -> None:
    """Let this process end with its parent, and only by the parent's decision.

    Args:
        cores: one for each worker.
        number: how many workers there were before this one; None if none is to be pinned.
    """
    if number is not None:
        with number.get_lock():
            os.sched_setaffinity(0, {cores[number.value % len(cores)]})
            number.value += 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # or bots would have it blocked
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        die_with_parent()
        if os.getppid() != parent:  # it ended before that
            os._exit(_PARENT_GONE)
