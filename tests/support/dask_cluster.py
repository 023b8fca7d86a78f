"""A Dask scheduler and workers as local processes, on free ports."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from typing import IO, Self

END_SECONDS = 20


class DaskCluster:
    """A scheduler and workers with one thread each, started by Dask's own commands.

    Attributes:
        address: the address of the scheduler.
        workers: the worker processes, even those that have ended.
    """

    def __init__(self, workers: int, **env: str) -> None:
        self._env = {**os.environ, **env}
        self._processes: list[subprocess.Popen[str]] = []
        self._threads: list[threading.Thread] = []
        try:
            self.address = self._start(r"Scheduler at: +(\S+)", "scheduler", "--port", "0")
            for _ in range(workers):
                self.add_worker()
        except BaseException:
            self.end()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.end()

    @property
    def workers(self) -> list[subprocess.Popen[str]]:
        return self._processes[1:]

    def add_worker(self) -> None:
        self._start("Registered to", "worker", self.address, "--nthreads", "1", "--no-nanny")

    def end(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

        for thread in self._threads:
            thread.join(END_SECONDS)

    def _start(self, ready: str, *command: str) -> str:
        """Start a process and wait for an output line. Return the last group of the match."""
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *command, "--host", "127.0.0.1", "--no-dashboard"],
            env=self._env,
            cwd="/",
            stderr=subprocess.PIPE,
            text=True,
        )
        self._processes.append(process)
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if found := re.search(ready, line):
                self._threads.append(threading.Thread(target=_drain, args=(process.stderr,)))
                self._threads[-1].start()
                return found[found.re.groups]
        raise RuntimeError("".join(lines))


def _drain(stream: IO[str]) -> None:
    with stream:
        stream.read()
