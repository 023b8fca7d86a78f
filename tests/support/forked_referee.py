"""Start the command as a process that has imported everything already: a fork of this one.

`python -m referee play` uses half a second of CPU for its imports, and tests start it very often.
What a process does before `referee.__main__.main` begins, and the workers of a tournament, need a
real one (`live.referee_process`).
"""

from __future__ import annotations

import multiprocessing.util
import os
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from multiprocessing import forkserver, resource_tracker
from typing import Any

import jinja2  # noqa: F401
import rich.markdown  # noqa: F401 (what commands import when they need it)

import referee.conformance.suite
import referee.logs.replay.terminal
import referee.match_plan  # noqa: F401
from referee.__main__ import main
from referee.bots.processes.guardian import GUARDIAN
from referee.cli.commands import conform, explain, play, replay, validate, verify  # noqa: F401
from referee.games import GAMES

GAMES["dominion"]  # imports it


class ForkedReferee(subprocess.Popen[Any]):
    """A `Popen` whose arguments are the words after `referee`. It has a session of its own."""

    def __init__(self, *arguments: str, **options: Any) -> None:
        super().__init__(arguments, **options)

    def _execute_child(
        self,
        args: tuple[str, ...],
        executable: object,
        preexec_fn: Callable[[], object] | None,
        close_fds: object,
        pass_fds: object,
        cwd: str | None,
        env: dict[str, str] | None,
        startupinfo: object,
        creationflags: object,
        shell: object,
        p2cread: int,
        p2cwrite: int,
        c2pread: int,
        c2pwrite: int,
        errread: int,
        errwrite: int,
        *others: object,
    ) -> None:
        """Fork, in place of `Popen`'s own fork and exec, which takes these arguments."""
        with warnings.catch_warnings():
            # A thread of xdist waits for messages meanwhile. It holds no lock that we need.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid == 0:
            become_referee(args, (p2cread, c2pwrite, errwrite), preexec_fn, cwd, env)
        self._child_created = True
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)


def become_referee(
    arguments: tuple[str, ...],
    streams: tuple[int, int, int],
    prepare: Callable[[], object] | None,
    folder: str | None,
    environment: dict[str, str] | None,
) -> None:
    code = 1
    try:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.setsid()
        for fd, stream in enumerate(streams):
            if stream != -1:
                os.dup2(stream, fd)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        os.chdir(folder or ".")
        if environment is not None:
            os.environ.clear()
            os.environ.update(environment)
        GUARDIAN.__init__()  # type: ignore[misc] (bots that a test still runs are not ours)
        # The tests may have chosen other temporary folders.
        tempfile.tempdir = None
        multiprocessing.current_process()._config["tempdir"] = None  # type: ignore[attr-defined]
        if prepare is not None:
            prepare()
        for helper in (resource_tracker._resource_tracker, forkserver._forkserver):
            helper.__init__()  # type: ignore[misc] (forget those of the tests: they are closed)
        sys.stdin, sys.stdout, sys.stderr = opened(0, "r"), opened(1, "w"), opened(2, "w")
        sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr  # type: ignore[misc]
        sys.argv = ["referee", *arguments]
        code = main()
        # What follows is done by Python itself when it ends, but not by `os._exit`.
        multiprocessing.util._run_finalizers()  # type: ignore[attr-defined]
        for stream in (sys.stdout, sys.stderr):
            if not stream.closed:
                stream.flush()
    except BaseException:
        code = 1
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def opened(fd: int, mode: str) -> Any:
    """Open a standard stream as Python does when it starts: None if it is closed."""
    try:
        return open(fd, mode, 1 if fd == 2 or os.isatty(fd) else -1, encoding="utf-8")
    except OSError:
        return None


def forked_referee(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command in a fork, to test its streams, its signals, or that it leaves nothing."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with ForkedReferee(*arguments, **(pipes | options)) as process:
        out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def closing(fd: int) -> Callable[[], None]:
    """Return what a fork does first if the shell is told `N>&-`."""
    return lambda: os.close(fd)
