"""Worker processes."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures.process import BrokenProcessPool

import pytest

from referee.workers import worker_processes


def stop_for_good() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


@pytest.mark.skipif(sys.platform != "linux", reason="what is stopped is seen in /proc")
def test_a_worker_that_was_stopped_is_killed() -> None:
    """A bot can do that to it; a run that waits for it would never end."""
    with worker_processes(1) as pool, pytest.raises(BrokenProcessPool):
        pool.submit(stop_for_good).result(timeout=60)
