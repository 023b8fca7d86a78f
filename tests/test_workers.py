"""Worker processes."""

from __future__ import annotations

import errno
import itertools
import os
import signal
import sys
import threading
from concurrent.futures.process import BrokenProcessPool

import pytest

from referee.errors import ShortageError
from referee.workers import worker_processes


def stop_for_good() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


@pytest.mark.skipif(sys.platform != "linux", reason="what is stopped is seen in /proc")
def test_a_worker_that_was_stopped_is_killed() -> None:
    """A bot can do that to it; a run that waits for it would never end."""
    with worker_processes(1) as pool, pytest.raises(BrokenProcessPool):
        pool.submit(stop_for_good).result(timeout=60)


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
