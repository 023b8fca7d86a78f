"""Killing the processes that bots leave behind, but not the caller's own processes (8.4)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from referee.bots.processes import orphans
from referee.bots.processes.guardian import GUARDIAN
from referee.bots.processes.orphans import await_guardians, children, no_orphans
from tests.support.live import await_end

PAUSE = [sys.executable, "-I", "-S", "-c", "import signal; signal.pause()"]
LOSE = f"""
import subprocess, sys
nothing = subprocess.DEVNULL
print(subprocess.Popen({PAUSE!r}, stdout=nothing, start_new_session=True).pid, flush=True)
"""


def lose_a_daemon() -> int:
    """Start a daemon in its own session, whose parent has exited. Return its process id."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LOSE],
        stdout=subprocess.PIPE,
        start_new_session=True,
        check=True,
    )
    return int(done.stdout)


def test_what_was_lost_in_the_block_is_killed() -> None:
    with no_orphans():
        daemon = lose_a_daemon()
        assert daemon in children()
    assert daemon not in children()
    await_end(daemon)
    later = lose_a_daemon()
    assert later not in children()  # after the block, orphans are somebody else's again
    os.kill(later, signal.SIGKILL)


def test_a_program_of_the_callers_is_spared() -> None:
    """Programs from before the block are spared.

    Programs started inside it are spared if they're in the caller's session, which a bot never is.
    """
    before = subprocess.Popen(PAUSE, start_new_session=True)
    with no_orphans():
        during = subprocess.Popen(PAUSE)
    for program in (before, during):
        assert program.poll() is None
        program.kill()
        program.wait()


def test_of_blocks_in_two_threads_the_last_to_end_kills() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def other() -> None:
        with no_orphans():
            begun.set()
            go_on.wait()

    thread = threading.Thread(target=other)
    with no_orphans():
        thread.start()
        begun.wait()
        daemon = lose_a_daemon()
    assert daemon in children()
    go_on.set()
    thread.join()
    assert daemon not in children()


def test_nobody_waits_for_the_guardian_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own guardian may belong to a web server, which keeps running after the workers exit."""
    monkeypatch.delattr(orphans.select, "select")
    spare = children()
    GUARDIAN.begin()
    try:
        assert children() - spare
        await_guardians(spare)
    finally:
        GUARDIAN.end(None)


def test_only_guardians_are_waited_for_and_no_spare_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    awaited: list[int] = []
    monkeypatch.setattr(orphans, "children", lambda: {1, 2, 3, 4})
    monkeypatch.setattr(orphans, "is_guardian", lambda pid: pid != 3)
    monkeypatch.setattr(orphans, "GUARDIAN", SimpleNamespace(processes={2}))
    monkeypatch.setattr(orphans, "await_end", awaited.extend)
    await_guardians({1})
    assert awaited == [4]


def test_orphans_are_adopted_only_in_the_outermost_block(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[bool, ...]] = []
    monkeypatch.setattr(orphans, "adopt_orphans", lambda *adopt: calls.append(adopt))
    with no_orphans():
        with no_orphans():
            pass
        assert calls == [()]
    assert calls == [(), (False,)]


def test_all_ends_together_are_waited_for_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now, waits = iter([100.0, 102.0, 109.0]), list[float]()
    monkeypatch.setattr(orphans, "time", SimpleNamespace(monotonic=lambda: next(now)))
    select = SimpleNamespace(select=lambda reads, writes, errors, wait: waits.append(wait))
    monkeypatch.setattr(orphans, "select", select)
    orphans.await_end([os.getpid(), 2**22 + 1, os.getpid()])  # there's no second one
    assert waits == [5 - 2, 0]
