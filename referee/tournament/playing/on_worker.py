"""The part of a tournament that a Dask worker does (spec/cluster.md).

Matches are not played in the worker itself, whose threads share one interpreter lock, one set of
child processes and Dask's own work, but in processes beside it, one for each of its threads. Such a
process plays one batch at a time and keeps bots from batch to batch. Its worker ends it when it had
nothing to do for a while or the tournament is over; and it ends by itself, with its bots, when
its worker is gone.
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
_END_SECONDS = 10.0
"""Seconds that a process has to end its bots and itself."""

Answer = tuple[str, str, str, object]
"""Kind, machine, address of the worker, and as the kind is: "done" and pickled bytes, "version" and
the one here, "missing" and the digests of directories. Plain, since any version must read it."""


def play_there(version: str, work: bytes, digests: Sequence[str]) -> Answer:
    """Play a batch in a Dask worker; raise `EOFError` or `OSError` if its process was killed.

    Args:
        work: a function and a batch, pickled; the `directory` of an entrant is a digest or empty.
    """
    from distributed import get_worker

    where = socket.gethostname(), str(get_worker().address)
    if version != __version__:
        return "version", *where, __version__
    if missing := [digest for digest in digests if not place(digest).is_dir()]:
        return "missing", *where, missing
    return "done", *where, _PROCESSES.call(work)


async def receive(packed: Packed) -> str:
    """Unpack a directory. Returns: why it could not be; empty if it was."""
    try:
        await asyncio.to_thread(unpack, packed)
    except OSError as error:
        return f"cannot write {error.filename or place(packed.digest)}: {error.strerror}"
    return ""


async def end_processes() -> None:
    """End the processes that have nothing to do, and their bots."""
    await asyncio.to_thread(_PROCESSES.end_idle)


class Processes:
    """The processes of this worker that play."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: dict[_Process, threading.Timer] = {}  # with what will end it; the latest last

    def call(self, work: bytes) -> bytes:
        """Let one of them work; callers may do so in parallel."""
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
        """End those of these processes, or of all, that have nothing to do."""
        with self._lock:
            idle = [each for each in processes or [*self._idle] if each in self._idle]
            for process in idle:
                self._idle.pop(process).cancel()
        for process in idle:
            process.close()
        for process in idle:
            process.end()


class _Process:
    """A process that plays."""

    def __init__(self) -> None:
        self._connection, theirs = Pipe()
        with theirs:
            self._popen = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # it ends with its worker, whatever signals come
            )

    def call(self, work: bytes) -> bytes:
        """Let it work; raise `EOFError` or `OSError` if it was killed."""
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
    """Work for the process at the other end, until it ends."""
    with suppress(EOFError, OSError):
        while True:
            function, batch = pickle.loads(connection.recv_bytes())
            here = batch.in_directories(lambda digest: str(place(digest)) if digest else "")
            connection.send_bytes(pickle.dumps(function(here)))
    end_bots()


if __name__ == "__main__":
    os.set_inheritable(int(sys.argv[1]), False)
    main(Connection(int(sys.argv[1])))
