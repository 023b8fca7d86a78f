"""Measuring the memory of bots that aren't in a control group (limits.md, 2)."""

from __future__ import annotations

import math
import os
import socket
from types import SimpleNamespace

import pytest

from referee.bots.command import BotCommand, find_bot
from referee.bots.processes import cgroups, memory, sandbox
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.memory import MemoryWatch, memory_watch
from referee.match.limits import MIB, Limits
from referee.match.sandbox import NO_SANDBOX
from tests.support.live import hostile
from tests.support.sandboxed import needs_bwrap

HANDSHAKE = b'{"type":"player-name-request","player_number":"player1"}\n'
REQUEST = b'{"type":"play-turn","buys":0}\n'


def seen(kind: str, mib: int, limit: float, where: str = "bwrap") -> str:
    """Let a bot take memory of this kind. Return the message if it exceeds `limit`, else ""."""
    bot = find_bot(hostile("take_as", f"{kind} {mib}"), "dominion")
    assert isinstance(bot, BotCommand)
    limits = Limits(memory_limit=limit * MIB, open_file_limit=400)
    launched = LaunchedBot(bot, limits, sandbox.resolve(where))
    try:
        assert launched.popen is not None
        assert launched.popen.stdin is not None
        assert launched.popen.stderr is not None
        launched.popen.stdin.write(HANDSHAKE + REQUEST)
        assert launched.popen.stderr.readline() == b"taken\n"
        assert launched.memory is not None
        return launched.memory.exceeded(launched.roots)
    finally:
        launched.end()


@pytest.fixture(autouse=True)
def no_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "home", lambda: None)


@needs_bwrap
@pytest.mark.parametrize(
    "kind", ["shared", "let-go", "memfd", "children", "files", "unix", "packets"]
)
def test_memory_of_each_kind_is_counted(kind: str) -> None:
    assert seen(kind, 40, 30).endswith(" MiB of memory (at most 30 MiB)")


@needs_bwrap
def test_memory_that_processes_share_counts_once() -> None:
    """If we added up the nine processes, the same memory would count nine times."""
    assert seen("once", 20, 80) == ""


@pytest.mark.parametrize("kind", ["shared", "memfd", "children"])
def test_it_is_counted_without_a_sandbox_as_well(kind: str) -> None:
    assert seen(kind, 40, 30, "none") != ""


def test_nobody_looks_where_nothing_is_limited() -> None:
    assert memory_watch(Limits(), NO_SANDBOX, None) is None


# --- limits and pauses, with invented numbers -----------------------------------------------------


@pytest.mark.parametrize(("used", "is_over"), [(30 * MIB, False), (30 * MIB + 1, True)])
def test_the_limit_itself_may_be_used(
    used: int, is_over: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemoryWatch, "_used", lambda self, pids: used)
    watch = MemoryWatch(Limits(memory_limit=30 * MIB), is_inside=False)
    over = "it has used 30 MiB of memory (at most 30 MiB)"
    assert watch.exceeded({os.getpid()}) == (over if is_over else "")
    assert watch.exceeded(set()) == ""  # it has ended


@pytest.mark.parametrize(
    ("free", "took", "rest"),
    [
        (0.1 * 8 * 2**30, 0.0, 0.1),  # so long it takes to fill what is free
        (9 * 2**30, 0.0, 0.25),
        (0, 0.0, 0.05),
        (0, 0.01, 0.2),
        (0, 1.0, 0.25),
    ],
)
def test_the_next_look_is_when_the_limit_may_be_reached(
    free: float, took: float, rest: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([0.0, 0.0, 100.0, 100.0 + took])
    monkeypatch.setattr(memory, "time", SimpleNamespace(monotonic=lambda: next(times)))
    monkeypatch.setattr(MemoryWatch, "_used", lambda self, pids: 10 * 2**30 - free)
    watch = MemoryWatch(Limits(memory_limit=10 * 2**30), is_inside=False)
    watch.exceeded({os.getpid()})
    assert watch.look_at == pytest.approx(100 + took + rest)


def test_a_control_group_measures_by_itself() -> None:
    limits, group = Limits(memory_limit=MIB), SimpleNamespace()
    assert memory_watch(limits, NO_SANDBOX, group) is None  # type: ignore[arg-type]
    assert isinstance(memory_watch(limits, NO_SANDBOX, None), MemoryWatch)


FILES = {
    "/proc/5/status": b"FDSize:\t64\nRssAnon:\t100 kB\nVmPTE:\t0 kB\n",
    "/proc/5/smaps_rollup": b"Pss_Anon:  60 kB\n",
    "/proc/6/status": b"RssAnon:\t30 kB\nVmPTE:\t10 kB\n",
    "/proc/6/smaps_rollup": b"Pss_Anon:  1 kB\n",
    "/proc/meminfo": b"Shmem:  50 kB\n",
}


@pytest.mark.parametrize(
    ("limit", "unnamed", "is_slow", "used"),
    [
        (190, 0, False, 190),  # all that may be used
        (189, 0, False, 140),  # but none of the shared memory is this bot's
        (189, 20, False, 160),
        (189, 999, False, 150),  # the machine has no more, so a process is looked at
        (139, 0, False, 100),  # the largest process shares some of its own
        (99, 0, False, 71),
        (99, 0, True, 140),  # there's no time for that
    ],
)
def test_only_as_much_is_measured_as_is_needed(
    limit: int, unnamed: int, is_slow: bool, used: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exact numbers are dear, and the largest process comes first."""
    monkeypatch.setattr(memory, "_read", lambda path: FILES.get(path, b""))
    monkeypatch.setattr(memory, "_unnamed", lambda pids, most: unnamed * 1024)
    monkeypatch.delattr(memory, "_inside")  # without a sandbox, it isn't looked at
    now = iter([0.0, *[9.0 * is_slow] * 9])
    clock = SimpleNamespace(monotonic=lambda: 0.0, thread_time=lambda: next(now))
    monkeypatch.setattr(memory, "time", clock)
    watch = MemoryWatch(Limits(memory_limit=limit * 1024), is_inside=False)
    assert watch._used([6, 5]) == used * 1024


def test_of_a_process_that_may_not_be_looked_at_all_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {path: text for path, text in FILES.items() if path != "/proc/5/smaps_rollup"}
    monkeypatch.setattr(memory, "_read", lambda path: files.get(path, b""))
    monkeypatch.setattr(memory, "_unnamed", lambda pids, most: 0)
    watch = MemoryWatch(Limits(memory_limit=1024), is_inside=False)
    assert watch._used([5, 6]) == (100 + 1 + 10) * 1024


@pytest.mark.parametrize(
    ("limit", "used"),
    # 140 kB of processes, 7 kB of empty files and sockets, and a page for each of 64 descriptors
    [(460, 140 + 50 + 7 + 256), (452, 140 + 20 + 7 + 256)],
)
def test_files_sockets_and_descriptors_of_a_sandbox_count(
    limit: int, used: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_read", lambda path: FILES.get(path, b""))
    monkeypatch.setattr(memory, "_unnamed", lambda pids, most: 5 * 1024)
    monkeypatch.setattr(memory, "_inside", lambda pids: (15 * 1024, 7 * 1024))
    monkeypatch.setattr(memory, "_DESCRIPTOR_BYTES", 4096)
    watch = MemoryWatch(Limits(memory_limit=limit * 1024), is_inside=True)
    assert watch._used([5, 6]) == used * 1024


def test_what_the_system_says_of_memory_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        **FILES,
        "/proc/6/smaps_rollup": b"Pss_Anon:  1 kB\nSwapPss:  2 kB\n",
        "/proc/7/status": b"RssAnon:\t100 kB\n",  # its exact share may not be read
        "/proc/5/net/sockstat": b"sockets: used 3\nTCP: inuse 1 orphan 0 tw 0 alloc 1 mem 2\n",
        "/proc/5/maps": b"1000-3000 rw-s 4000 00:01 42 /memfd:x\n5000-6000 rw-p 0 08:01 7\n",
    }
    monkeypatch.setattr(memory, "_read", lambda path: files.get(path, b""))
    assert memory._own_share(6) == (1 + 2 + 10) * 1024
    assert memory._own_share(7) == math.inf
    assert memory._own_share(8) == 0  # it has ended
    monkeypatch.setattr(memory, "_files", lambda pid: (pid, 2))
    assert memory._inside([8, 5]) == (5, 2 * 1300 + 3 * 344 * 1024)
    assert memory._inside([8]) == (0, 0)
    assert [*memory._mappings(5, os.makedev(0, 1))] == [(42, 0x4000 + 0x2000)]


@pytest.mark.parametrize("ends", [(100, 40), (40, 100)])
def test_a_file_that_several_map_counts_once_and_to_its_end(
    ends: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_pid = {2**30 + number: [(1, end)] for number, end in enumerate(ends)}  # no such processes
    monkeypatch.setattr(memory, "_mappings", lambda pid, device: of_pid[pid])
    assert memory._unnamed([*of_pid], math.inf) == 100


def test_of_a_file_that_is_open_only_what_is_in_memory_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with open(os.memfd_create("mapped"), "wb") as file:
        mapped = [(os.fstat(file.fileno()).st_ino, 2**40)]
        monkeypatch.setattr(memory, "_mappings", lambda pid, device: mapped)
        assert memory._unnamed([os.getpid()], math.inf) < 2**40


def test_a_file_that_is_being_sent_counts_as_the_largest_that_there_may_be() -> None:
    """No process has it open, so nobody can see how large it is."""
    assert memory._unnamed([os.getpid()], math.inf) < math.inf
    ours, theirs = socket.socketpair()
    with ours, theirs, open(os.memfd_create("sent"), "wb") as file:
        socket.send_fds(ours, [b"x"], [file.fileno()])
        assert 2**50 <= memory._unnamed([os.getpid()], 2**50) < 2**51
        assert memory._unnamed([os.getpid()], math.inf) == math.inf
