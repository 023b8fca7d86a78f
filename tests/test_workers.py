"""Worker processes."""

from __future__ import annotations

import errno
import itertools
import os
import signal
import sys
import threading
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path

import pytest

from referee.bots.processes.guardian import GUARDIAN
from referee.bots.processes.orphans import children
from referee.errors import ShortageError
from referee.workers import worker_processes


def stop_for_good() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def guard(folders: list[Path]) -> None:
    GUARDIAN.begin(map(str, folders))


@pytest.mark.skipif(sys.platform != "linux", reason="what is stopped is seen in /proc")
def test_a_worker_that_was_stopped_is_killed() -> None:
    """A bot can do that to it; a run that waits for it would never end."""
    with worker_processes(1) as pool, pytest.raises(BrokenProcessPool):
        pool.submit(stop_for_good).result(timeout=60)


@pytest.mark.skipif(sys.platform != "linux", reason="the processes of others are seen in /proc")
def test_guardians_of_killed_workers_do_their_work(tmp_path: Path) -> None:
    """Each removes the control groups of its worker's bots; folders stand in for them."""
    folders = [tmp_path / str(number) for number in range(60)]  # takes a shell a while
    for folder in folders:
        folder.mkdir()
    with suppress(KeyboardInterrupt), worker_processes(1) as pool:
        pool.submit(guard, folders).result()
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the processes of others are seen in /proc")
def test_ctrl_c_does_not_end_a_worker_that_is_being_started() -> None:
    """At a terminal it goes to all processes; the parent decides what ends."""
    before = children()
    with worker_processes(1) as pool:
        blocked = pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, [])
        for pid in children() - before:
            os.kill(pid, signal.SIGINT)
        assert blocked.result() == set()  # and its bots can be interrupted


def test_threads_that_cannot_be_started_are_noticed_before_all_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = itertools.count()
    start = threading.Thread.start

    def limited(thread: threading.Thread) -> None:
        if next(started) == 2:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    before = {*threading.enumerate()}
    with pytest.raises(ShortageError, match="cannot start 4 threads"), worker_processes(1):
        pass
    assert {*threading.enumerate()} <= before  # a thread of another test may have ended


def test_without_shared_memory_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where nothing is mounted on /dev/shm."""

    def no_lock(*arguments: object, **options: object) -> None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr("multiprocessing.synchronize.SemLock.__init__", no_lock)
    with (
        pytest.raises(ShortageError, match=r"cannot share memory \(/dev/shm\): No such file"),
        worker_processes(1),
    ):
        pass
