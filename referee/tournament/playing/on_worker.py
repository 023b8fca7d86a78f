"""Plays batches of a tournament on a Dask worker (spec/cluster.md).

We don't play matches in the worker itself, because its threads share an interpreter lock, a set of
child processes, and Dask's own work. Instead, each thread of the worker has a separate process,
which plays one batch at a time and keeps bots between batches. The worker stops a process that has
been idle for some time, and stops all of them at the end of the tournament. If the worker dies, its
processes stop themselves and their bots.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe

from referee._version import __version__
from referee.tournament.playing.directories import Packed, place, unpack
from referee.tournament.playing.worker import end_bots

IDLE_SECONDS = 30.0
# A process gets this many seconds to stop its bots and exit.
_END_SECONDS = 10.0

# An answer consists of its kind, the machine, the worker's address, and a value. If the kind is
# "done", the value is the pickled result. If it's "version", the value is the version on this
# machine. If it's "missing", the value lists the digests of folders that we need first. We only use
# plain values here, so that the other side can read them even if it has another version of the
# referee.
Answer = tuple[str, str, str, object]


def play_there(version: str, work: bytes, digests: Sequence[str]) -> Answer:
    """Play a batch on a Dask worker.

    Args:
        version: the version of the referee that made `work`.
        work: a function and a batch, pickled. The `directory` of each bot is a digest or empty. We
            only unpickle it if the versions are the same.
        digests: the folders that the bots need.

    Raises:
        EOFError, OSError: the process was killed.
    """
    from distributed import get_worker

    where = socket.gethostname(), str(get_worker().address)
    if version != __version__:
        return "version", *where, __version__
    if missing := [digest for digest in digests if not place(digest).is_dir()]:
        return "missing", *where, missing
    return "done", *where, _PROCESSES.call(work)


async def receive(packed: Packed) -> str:
    """Unpack a folder. Returns an error message, or ""."""
    try:
        await asyncio.to_thread(unpack, packed)
    except OSError as error:
        return f"cannot write {error.filename or place(packed.digest)}: {error.strerror}"
    return ""


async def end_processes() -> None:
    """Stop the idle processes and their bots."""
    await asyncio.to_thread(_PROCESSES.end_idle)


class Processes:
    """The processes in which this worker plays matches. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Maps each idle process to the timer that will end it. The most recently used one is last.
        self._idle: dict[_Process, threading.Timer] = {}

    def call(self, work: bytes) -> bytes:
        """Run a batch in an idle process, or start one if there's none."""
        process: _Process | None = None
        with self._lock:
            if self._idle:
                process, timer = self._idle.popitem()
                timer.cancel()
        process = process or _Process()
        try:
            result = process.call(work)
        except BaseException:
            process.end()
            raise
        timer = threading.Timer(IDLE_SECONDS, self.end_idle, ([process],))
        timer.daemon = True
        with self._lock:
            self._idle[process] = timer
            timer.start()
        return result

    def end_idle(self, processes: Sequence[_Process] | None = None) -> None:
        """Stop the given processes, unless they are busy. By default, stop all idle processes."""
        with self._lock:
            idle = [each for each in processes or [*self._idle] if each in self._idle]
            for process in idle:
                self._idle.pop(process).cancel()
        # Close all connections first, so that the processes stop their bots at the same time.
        for process in idle:
            process.close()
        for process in idle:
            process.end()


class _Process:
    def __init__(self) -> None:
        self._connection, theirs = Pipe()
        with theirs:
            self._popen = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                # If somebody presses Ctrl-C in the worker's terminal, the process must not receive
                # it.
                start_new_session=True,
            )

    def call(self, work: bytes) -> bytes:
        """Run a batch. Raises `EOFError` or `OSError` if the process was killed."""
        self._connection.send_bytes(work)
        return self._connection.recv_bytes()

    def close(self) -> None:
        self._connection.close()

    def end(self) -> None:
        self.close()
        try:
            self._popen.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()


_PROCESSES = Processes()


def main(connection: Connection) -> None:
    """Run the batches that the Dask worker sends until it closes the connection."""
    with suppress(EOFError, OSError):
        while True:
            function, batch = pickle.loads(connection.recv_bytes())
            here = batch.with_directories(lambda digest: str(place(digest)) if digest else "")
            connection.send_bytes(pickle.dumps(function(here)))
    end_bots()


if __name__ == "__main__":
    os.set_inheritable(int(sys.argv[1]), False)
    main(Connection(int(sys.argv[1])))
