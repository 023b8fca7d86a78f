"""Provides a `concurrent.futures` executor for playing matches in several processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec
from multiprocessing import forkserver, resource_tracker
from multiprocessing.sharedctypes import Synchronized
from typing import Any

from referee.bots.processes.cpu import stat_fields
from referee.bots.processes.orphans import await_end, await_guardians, children, kill_orphans
from referee.bots.processes.prctl import adopt_orphans, die_with_parent
from referee.capacity import check_descriptors
from referee.errors import ShortageError

# The fork server imports these modules, so that the workers have them from the start.
_LOADED = ["referee.fork_server", "referee.tournament.playing.worker"]
_PARENT_GONE = 70
# We look for stopped workers this often, in seconds.
_LOOK_SECONDS = 1.0
_OF_TERMINAL = (signal.SIGINT, signal.SIGHUP)
# We need this many threads: two for the executor, one for the watchdog, and one to spare.
_THREADS = 4


def prepare() -> bool:
    """Start the process from which workers are forked, on Linux.

    That process has to load the modules of a match first. If you call this early, it does so while
    this process is still loading its own modules.

    Returns:
        False on other systems, and if the process couldn't be started, e.g. because the path of the
        temporary folder is too long for a socket. Workers still work then, but start more slowly.

    Raises:
        FileNotFoundError: the working directory was deleted, so no program can start in it.
        ShortageError: there are too few file descriptors.
    """
    check_descriptors()
    if sys.platform != "linux":
        return False
    os.getcwd()
    try:
        resource_tracker.ensure_running()  # if it were started later, it would unblock the signals
        forkserver.set_forkserver_preload(_LOADED)
        with _signals_blocked():
            forkserver.ensure_running()
    except OSError:
        return False
    return True


@contextmanager
def worker_processes(
    jobs: int, *, fork: bool = False, pin: bool = False, places: Sequence[set[int]] = ()
) -> Iterator[Executor]:
    """Context manager for worker processes. On Linux they're killed if this process dies.

    The workers exit at the end of the block. If the block raises an exception, they're killed,
    along with all processes that they've started. On Linux we fork the workers from a process that
    has already loaded the modules of a match. That process also serves later blocks, and exits at
    the end of the program.

    If processes can't share memory, a single worker is a thread of this process.

    Args:
        fork: fork from this process, where that's safe (Linux). The workers inherit its open files,
            and aren't killed if somebody stops them.
        pin: pin each worker and its children to a core of its own, if there is one per worker
            (Linux). They wait for each other, so a match takes half the time on one core.
        places: for each worker, the set of cores for the worker and its children. Replaces `pin`.

    Raises:
        ShortageError: the system can't start the workers.
    """
    _check_threads()
    fork = fork and sys.platform == "linux"
    method = "fork" if fork else "forkserver" if prepare() else "spawn"
    context = multiprocessing.get_context(method)
    if pin and not places and sys.platform == "linux":
        cores = sorted(os.sched_getaffinity(0))
        places = [{core} for core in cores] if len(cores) == jobs else ()
    try:
        number = context.Value("i", 0) if places else None
        pool = _Pool(jobs, context, initializer=_begin, initargs=(places, number, {**os.environ}))
    except OSError as error:
        if jobs == 1:  # without a sandbox, a bot can kill this process then
            try:
                with ThreadPoolExecutor(1) as thread:
                    yield thread
            finally:
                adopt_orphans(False)
            return
        what = "processes cannot share memory (they need a writable /dev/shm with free space)"
        raise ShortageError(what, error) from error
    before = set(multiprocessing.active_children())
    spare = children()
    adopt_orphans()  # if a worker is killed, we become the parent of its children
    ended = threading.Event()
    watchdog = threading.Thread(target=_kill_stopped, args=(pool, ended), daemon=True)
    if not fork:  # it isn't safe to fork while another thread is running
        watchdog.start()
    is_in_order = False
    try:
        yield pool
        is_in_order = not pool.is_broken
    finally:
        if not is_in_order:
            # A broken pool terminates its workers itself, but may miss one that is being started,
            # and would wait for it forever.
            for worker in multiprocessing.active_children():
                if worker not in before:
                    worker.kill()
        ended.set()
        pool.shutdown(wait=True, cancel_futures=True)
        await_guardians(spare)
        kill_orphans(spare)
        adopt_orphans(False)


def _check_threads() -> None:
    ended = threading.Event()
    # If an executor can't start one of its threads, no error is reported, and the program waits
    # forever. We try to start the threads here, where we can report the problem.
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


@contextmanager
def _signals_blocked() -> Iterator[None]:
    # Ctrl-C in a terminal sends the signal to our workers, too. Block it while they start: it
    # mustn't interrupt their imports, and only this process decides when a worker ends.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _OF_TERMINAL)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _kill_stopped(pool: _Pool, ended: threading.Event) -> None:
    """Kill workers that were stopped, e.g. by a bot. Otherwise we'd wait for them forever."""
    # We only kill a worker if two checks in a row have found it stopped. After Ctrl-Z and `fg`,
    # processes continue one by one, and some may look stopped for a moment.
    before: set[int] = set()
    while not ended.wait(_LOOK_SECONDS):
        stopped = {pid for pid in pool.pids() if stat_fields(pid)[:1] == [b"T"]}
        for pid in before & stopped:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        before = stopped


class _Pool(ProcessPoolExecutor):
    """An executor whose workers don't run the main module of the program.

    `multiprocessing` would run the caller's program again in each worker, unless it has a guard.
    Workers don't need that module, because they only call functions of importable modules.
    """

    def submit(self, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a call, like `Executor.submit`. Starts another worker if all of them are busy.

        Raises:
            BrokenProcessPool: a worker has died, or the process from which they're forked.
        """
        main = sys.modules["__main__"]
        before = main.__spec__
        main.__spec__ = ModuleSpec("__main__", None)  # makes workers skip the main module
        try:
            with _signals_blocked():
                return super().submit(*args, **kwargs)
        except (EOFError, ConnectionError) as error:
            raise BrokenProcessPool("workers cannot be forked any more") from error
        finally:
            main.__spec__ = before

    @property
    def is_broken(self) -> bool:
        """True if a worker has died."""
        return bool(self._broken)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut down the pool, like `Executor.shutdown`."""
        workers = set(self._processes or ())
        super().shutdown(wait=wait, cancel_futures=cancel_futures)
        if wait:
            # If the fork server was killed, the pool takes its workers for ended, and doesn't wait.
            # But until a worker has ended, its guardian isn't our child, so that we can't find it.
            await_end(workers)

    def pids(self) -> set[int]:
        """Return the process ids of the workers, and of the process that forks them."""
        workers = set(self._processes or ())
        parents = {int(fields[1]) for pid in workers if (fields := stat_fields(pid))}
        return workers | parents


def _begin(
    places: Sequence[set[int]], number: Synchronized[int] | None, environment: dict[str, str]
) -> None:
    """Set up a new worker: it ignores signals of the terminal, and ends with the program.

    Args:
        places: for each worker, its cores.
        number: counts the workers that were started. If it's None, we don't pin them to cores.
        environment: the program's current environment variables, since the fork server may have
            older ones.
    """
    os.environ.clear()
    os.environ.update(environment)
    if number is not None:
        with number.get_lock():
            os.sched_setaffinity(0, places[number.value])
            number.value += 1
    for of_terminal in _OF_TERMINAL:
        signal.signal(of_terminal, signal.SIG_IGN)
    signal.pthread_sigmask(
        signal.SIG_UNBLOCK, _OF_TERMINAL
    )  # Otherwise bots would inherit the blocked signals.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        _let_go_of_fork_server()
        die_with_parent()
        program = multiprocessing.parent_process()
        if program is None or not program.is_alive():  # the program may have ended in the meantime
            os._exit(_PARENT_GONE)


def _let_go_of_fork_server() -> None:
    # The fork server stays alive as long as somebody has this pipe open, and we have inherited it.
    # Unless we close it, the fork server wouldn't end with the program.
    alive = getattr(forkserver._forkserver, "_forkserver_alive_fd", None)
    if alive is not None:
        os.close(alive)
        forkserver._forkserver._forkserver_alive_fd = None  # type: ignore[attr-defined]
