"""Starting, stopping and replacing worker processes."""

from __future__ import annotations

import errno
import itertools
import multiprocessing
import os
import select
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from referee import workers
from referee.bots.processes import prctl
from referee.bots.processes.guardian import GUARDIAN
from referee.bots.processes.orphans import children
from referee.errors import ShortageError
from referee.workers import _begin, _Pool, prepare, worker_processes
from tests.support.live import is_running
from tests.support.marks import all_cases, slow


def stop_for_good() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def guard(folders: list[Path]) -> None:
    GUARDIAN.begin(map(str, folders))


needs_fork_server = pytest.mark.skipif(
    sys.platform != "linux", reason="workers are forked from a prepared process on Linux only"
)
PROGRAM = """
import os
from referee.workers import worker_processes
with worker_processes(1) as pool:
    print(pool.submit(os.getpid).result(), pool.submit(os.getppid).result(), flush=True)
    input()
"""


LOADING = """
from referee.bots.processes.orphans import children
from referee.workers import prepare, worker_processes
signal.signal(signal.SIGINT, signal.SIG_IGN)
prepare()
for pid in children():
    os.kill(pid, signal.SIGINT)
with worker_processes(1) as pool:
    pool.submit(os.getpid).result()
    print("forked")
"""


def is_loaded(module: str) -> bool:
    return module in sys.modules


@needs_fork_server
def test_a_worker_has_trio_from_its_start() -> None:
    """The process that forks the workers has already imported trio."""
    with worker_processes(1) as pool:
        assert pool.submit(is_loaded, "trio").result()
        assert not pool.submit(is_loaded, "numpy").result()


@pytest.mark.slow
@needs_fork_server
def test_workers_start_where_no_socket_can_be_made(tmp_path: Path) -> None:
    """The folder for temporary files doesn't exist, or its path is too long for a socket."""
    long = tmp_path / ("x" * 100)
    long.mkdir()
    code = "import tempfile\ntempfile.tempdir = {!r}\n" + PROGRAM
    for folder in (str(long), "/nowhere"):
        done = subprocess.run(
            [sys.executable, "-c", code.format(folder)],
            input="\n",
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout
        assert done.stderr == ""


@needs_fork_server
def test_the_environment_and_folder_of_a_worker_are_those_of_now(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A new worker doesn't inherit the environment or the folder of an earlier one."""
    for value in ("one", "two"):
        monkeypatch.setenv("REFEREE_TEST_VALUE", value)
        folder = tmp_path / value
        folder.mkdir()
        monkeypatch.chdir(folder)
        with worker_processes(1) as pool:
            assert pool.submit(os.getenv, "REFEREE_TEST_VALUE").result() == value
            assert pool.submit(os.getcwd).result() == str(folder)
            assert pool.submit(begin_again, {"A": "1"}).result() == ({"A": "1"}, signal.SIG_DFL)


def begin_again(environment: dict[str, str]) -> tuple[dict[str, str], object]:
    """Set up this worker again, after somebody has handled SIGTERM."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    _begin((), None, environment)
    return dict(os.environ), signal.getsignal(signal.SIGTERM)


@needs_fork_server
@pytest.mark.parametrize("number", [signal.SIGKILL, slow(signal.SIGTERM)])
def test_nothing_stays_of_a_program_that_was_killed(number: int) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with program:
        assert program.stdout is not None
        pids = [int(pid) for pid in program.stdout.readline().split()]
        ends = [os.pidfd_open(pid) for pid in pids]
        program.send_signal(number)
    for end in ends:
        assert select.select([end], [], [], 20)[0]
        os.close(end)


@needs_fork_server
@pytest.mark.parametrize("number", [slow(signal.SIGSTOP), all_cases(signal.SIGKILL)])
def test_the_process_from_which_workers_are_forked_is_replaced(number: int) -> None:
    """A bot without a sandbox can stop or kill this process. No worker would ever start again."""
    with worker_processes(1) as pool:
        parent = pool.submit(os.getppid).result()
        end = os.pidfd_open(parent)
        os.kill(parent, number)
        with pytest.raises(BrokenProcessPool):
            pool.submit(signal.pause).result(timeout=60)
    assert select.select([end], [], [], 20)[0]
    os.close(end)
    with worker_processes(1) as pool:
        assert pool.submit(os.getppid).result(timeout=60) != parent


@needs_fork_server
def test_the_process_from_which_workers_are_forked_prints_no_traceback() -> None:
    """With only 8 descriptors, this process can't receive the pipes of another worker."""
    code = """
        import os, resource
        from concurrent.futures.process import BrokenProcessPool
        from referee.workers import worker_processes
        with worker_processes(2) as pool:
            parent = pool.submit(os.getppid).result()
            resource.prlimit(parent, resource.RLIMIT_NOFILE, (8, 8))
            try:
                [future.result() for future in [pool.submit(os.getpid) for _ in range(2)]]
            except BrokenProcessPool:
                print("noticed")
    """
    words = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("noticed\n", "")


@pytest.mark.parametrize("error", [EOFError, ConnectionRefusedError, BrokenPipeError])
def test_a_worker_that_cannot_be_forked_is_one_that_has_ended(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failed fork isn't reported as a bug in the referee."""

    def submit(*given: object) -> None:
        raise error

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit)
    main = sys.modules["__main__"].__spec__
    with _Pool(1) as pool, pytest.raises(BrokenProcessPool):
        pool.submit(os.getpid)
    assert sys.modules["__main__"].__spec__ is main


@needs_fork_server
def test_no_worker_is_left_when_another_one_has_died(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool that breaks doesn't terminate a worker that is just being started."""
    monkeypatch.setattr(ForkServerProcess, "terminate", lambda worker: None)
    before = multiprocessing.active_children()
    with worker_processes(2) as pool:
        pool.submit(signal.pause)
        pool.submit(os.getpid).result(timeout=60)
        with pytest.raises(BrokenProcessPool):
            pool.submit(os._exit, 1).result(timeout=60)
    assert multiprocessing.active_children() == before


@needs_fork_server
def test_a_block_that_fails_kills_only_its_own_workers() -> None:
    with worker_processes(1) as pool:
        worker = pool.submit(os.getpid).result()
        with suppress(KeyboardInterrupt), worker_processes(1):
            raise KeyboardInterrupt
        assert pool.submit(os.getpid).result() == worker


def outlive_the_fork_server(fifo: Path) -> None:
    """Kill the fork server. Nobody kills this worker, and it ends after the pool was shut down."""
    prctl._prctl(prctl._SET_PDEATHSIG, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.kill(os.getppid(), signal.SIGKILL)
    fifo.read_bytes()
    sum(range(2_000_000))  # after the shutdown, the worker needs some time
    os._exit(0)


@needs_fork_server
def test_a_block_waits_for_its_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the meantime, this process is the parent of what a killed worker leaves."""
    awaited: list[set[int]] = []
    adopts: list[tuple[bool, ...]] = []
    monkeypatch.setattr(workers, "await_end", awaited.append)
    monkeypatch.setattr(workers, "adopt_orphans", lambda *adopt: adopts.append(adopt))
    with worker_processes(1) as pool:
        worker = pool.submit(os.getpid).result()
    assert (awaited, adopts) == ([{worker}], [(), (False,)])


@pytest.mark.slow  # it takes another fork server, which has to import what the workers need
@needs_fork_server
def test_a_block_waits_for_workers_whose_fork_server_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pool itself doesn't wait for them, because the fork server reports their ends."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    shut_down = ProcessPoolExecutor.shutdown

    def shut_down_and_go_on(pool: ProcessPoolExecutor, **options: Any) -> None:
        shut_down(pool, **options)
        fifo.write_bytes(b"")

    monkeypatch.setattr(ProcessPoolExecutor, "shutdown", shut_down_and_go_on)
    with worker_processes(1) as pool:
        worker = pool.submit(os.getpid).result(timeout=60)
        with pytest.raises(BrokenProcessPool):
            pool.submit(outlive_the_fork_server, fifo).result(timeout=60)
        assert is_running(worker)
    assert not is_running(worker)


@pytest.mark.slow
@needs_fork_server
def test_ctrl_c_does_not_end_the_process_from_which_workers_are_forked() -> None:
    """A terminal sends Ctrl-C to every process, even to one that is still loading."""
    program = subprocess.Popen(
        [sys.executable, "-c", f"import os, signal\n{LOADING}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with program:
        assert program.stdout is not None
        assert program.stdout.read() == "forked\n"


def test_a_worker_that_two_looks_have_found_stopped_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After Ctrl-Z and `fg`, some may look stopped for a moment."""
    looks = iter([{1, 2}, {2, 3}, {3, 1}])
    stopped = set[int]()
    killed: list[int] = []
    monkeypatch.setattr(workers, "stat_fields", lambda pid: [b"T" if pid in stopped else b"S"])
    monkeypatch.setattr(os, "kill", lambda pid, number: killed.append(pid))

    def wait(seconds: float) -> bool:
        stopped.clear()
        stopped.update(next(looks, ()))
        return not stopped

    pool: Any = SimpleNamespace(pids=lambda: {1, 2, 3})
    workers._kill_stopped(pool, cast("threading.Event", SimpleNamespace(wait=wait)))
    assert killed == [2, 3]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="what is stopped is seen in /proc")
def test_a_worker_that_was_stopped_is_killed() -> None:
    """A bot can stop its worker, and the run would wait for it forever."""
    with worker_processes(1) as pool, pytest.raises(BrokenProcessPool):
        pool.submit(stop_for_good).result(timeout=60)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the processes of others are seen in /proc")
def test_guardians_of_killed_workers_do_their_work(tmp_path: Path) -> None:
    """Each guardian removes the control groups of its worker's bots. Here we use plain folders."""
    # The guardian's shell needs some time to remove so many folders.
    folders = [tmp_path / str(number) for number in range(60)]
    for folder in folders:
        folder.mkdir()
    with suppress(KeyboardInterrupt), worker_processes(1) as pool:
        pool.submit(guard, folders).result()
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the processes of others are seen in /proc")
def test_ctrl_c_does_not_end_a_worker_that_is_being_started() -> None:
    """A terminal sends Ctrl-C to every process, but only the parent decides what ends."""
    prepare()  # this starts Python's resource tracker, which SIGHUP would kill
    before = children()
    with worker_processes(1) as pool:
        blocked = pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, [])
        for pid in (children() - before) | pool.pids():
            os.kill(pid, signal.SIGINT)
            os.kill(pid, signal.SIGHUP)
        assert blocked.result() == set()  # so its bots can be interrupted


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
    assert {*threading.enumerate()} <= before  # another test's thread may have ended meanwhile


def test_without_shared_memory_only_one_worker_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """This happens if nothing is mounted on /dev/shm. The worker is a thread of this process."""

    def no_lock(*arguments: object, **options: object) -> None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr("multiprocessing.synchronize.SemLock.__init__", no_lock)
    monkeypatch.setattr(workers, "prepare", lambda: True)  # no process is forked
    with (
        pytest.raises(ShortageError, match=r"a writable /dev/shm with free space\): No such file"),
        worker_processes(2),
    ):
        pass
    with worker_processes(1) as pool:
        assert pool.submit(os.getpid).result() == os.getpid()


@needs_fork_server
def test_each_worker_stays_on_its_cores() -> None:
    (first, *others) = sorted(os.sched_getaffinity(0))
    with worker_processes(1, pin=True, places=[{first}]) as pool:
        assert pool.submit(os.sched_getaffinity, 0).result() == {first}
    with worker_processes(1, places=[{first, *others}]) as pool:
        assert pool.submit(os.sched_getaffinity, 0).result() == {first, *others}
    with worker_processes(len(others) + 2, pin=True) as pool:  # not a core for each
        assert pool.submit(os.sched_getaffinity, 0).result() == {first, *others}
