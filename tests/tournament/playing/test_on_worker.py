"""The processes that a Dask worker keeps: which one plays, and when one ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from referee.tournament.playing import on_worker

DIES = b"dies"


class Timer:
    """A timer whose time comes when a test says so."""

    def __init__(self, seconds: float, call: Callable[..., None], args: Sequence[Any]) -> None:
        assert seconds == on_worker.IDLE_SECONDS
        self.is_running = False
        self.due = lambda: call(*args)

    def start(self) -> None:
        self.is_running = True

    def cancel(self) -> None:
        self.is_running = False


@pytest.fixture
def did(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What processes did, each with its number, and `timers` of those that became idle."""
    log: list[str] = []

    class Process:
        def __init__(self) -> None:
            self._number = sum(entry.endswith("starts") for entry in log)
            self._note("starts")

        def _note(self, what: str) -> None:
            log.append(f"{self._number} {what}")

        def call(self, work: bytes) -> bytes:
            self._note("plays")
            if work == DIES:
                raise EOFError
            return work

        def close(self) -> None:
            self._note("closes")

        def end(self) -> None:
            self._note("ends")

    monkeypatch.setattr(on_worker, "_Process", Process)
    return log


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> list[Timer]:
    made: list[Timer] = []

    def timer(*given: Any) -> Timer:
        made.append(Timer(*given))
        return made[-1]

    monkeypatch.setattr(on_worker, "threading", SimpleNamespace(Lock=threading.Lock, Timer=timer))
    return made


def test_an_idle_process_plays_again_and_then_its_time_begins_again(
    did: list[str], timers: list[Timer]
) -> None:
    processes = on_worker.Processes()
    assert processes.call(b"a") == b"a"
    assert processes.call(b"b") == b"b"
    assert did == ["0 starts", "0 plays", "0 plays"]
    assert [timer.is_running for timer in timers] == [False, True]
    timers[1].due()
    assert did[3:] == ["0 closes", "0 ends"]
    processes.call(b"c")
    assert did[5:] == ["1 starts", "1 plays"]


def test_a_process_that_died_is_not_kept(did: list[str], timers: list[Timer]) -> None:
    processes = on_worker.Processes()
    with pytest.raises(EOFError):
        processes.call(DIES)
    assert did == ["0 starts", "0 plays", "0 ends"]
    assert timers == []
    processes.call(b"a")
    assert did[3:] == ["1 starts", "1 plays"]


def test_a_busy_process_does_not_end(
    did: list[str], timers: list[Timer], monkeypatch: pytest.MonkeyPatch
) -> None:
    processes = on_worker.Processes()
    processes.call(b"a")

    def play(process: Any, work: bytes) -> bytes:
        timers[0].due()  # its time came just before it got this batch
        processes.end_idle()
        return work

    monkeypatch.setattr(on_worker._Process, "call", play)
    processes.call(b"b")
    assert did == ["0 starts", "0 plays"]


def test_all_idle_processes_are_closed_before_one_is_waited_for(
    did: list[str], timers: list[Timer], monkeypatch: pytest.MonkeyPatch
) -> None:
    processes, one = on_worker.Processes(), on_worker._Process.call

    def play(process: Any, work: bytes) -> bytes:
        if work == b"a":
            processes.call(b"b")  # in a second process
        return one(process, work)

    monkeypatch.setattr(on_worker._Process, "call", play)
    processes.call(b"a")
    assert did == ["0 starts", "1 starts", "1 plays", "0 plays"]
    processes.end_idle()
    assert [each[2:] for each in did[4:]] == ["closes", "closes", "ends", "ends"]
    assert not any(timer.is_running for timer in timers)


def test_a_process_that_does_not_end_is_killed_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(on_worker, "_END_SECONDS", 0)
    process = on_worker._Process()
    os.kill(process._popen.pid, signal.SIGSTOP)
    process.end()
    assert process._popen.returncode == -signal.SIGKILL
