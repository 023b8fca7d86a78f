"""`--browser`: show a running match or tournament in the browser.

A separate process serves the files. That way, viewers don't slow down the match.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from referee.bots.processes.guardian import GUARDIAN
from referee.cli.console import say
from referee.cli.serving import HOST, has_screen
from referee.errors import ShortageError, UsageError
from referee.games import outside_words
from referee.interrupts import Interrupts
from referee.text.terminal import command_line

FREE = ("--listen", f"{HOST}:0")
# The server's `nice` value is this much higher than the value of the match.
NICE = 10
# While the match waits for the processor, the server's time slices are at most this long. (Linux
# doesn't allow shorter ones.)
_SLICE_NS = 100_000
# The number of the system call for each kind of processor. The C library has no function for it.
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Context manager for a temporary folder. Raises `UsageError` if it can't be created."""
    try:
        made = tempfile.TemporaryDirectory(prefix="referee-watch-", ignore_cleanup_errors=True)
    except OSError as error:
        advice = "set TMPDIR to a folder that you can write to"
        raise UsageError(f"no folder for the matches: {error.strerror}: {advice}") from error
    with made as name:
        yield Path(name)


class Server:
    """A process that runs `referee serve`. It ends with this one, even if this one is killed."""

    def __init__(self, game: str, paths: Sequence[str], page: str, address: Sequence[str]) -> None:
        command = [sys.executable, "-P", "-m", "referee", "serve", *(address or FREE)]
        self.game_words = outside_words(game)
        command += self.game_words
        with GUARDIAN.lock:
            try:
                GUARDIAN.begin()
                self._process = subprocess.Popen(
                    [*command, *["--open"][: has_screen()], "--", *paths],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    start_new_session=True,  # Ctrl-C must not reach the server
                )
            except OSError as error:
                GUARDIAN.end(None)
                raise ShortageError(
                    "--browser: cannot start the server of the page", error
                ) from error
            GUARDIAN.watch(self._process.pid)
        yield_to_match(self._process.pid)
        self._page = page

    def url(self) -> str:
        """Wait until the page can be reached, and return its URL, or "" if the server failed."""
        assert self._process.stdout is not None
        words = self._process.stdout.readline().decode().split()
        return f"{words[0]}{quote(self._page)}" if words else ""

    def wait(self) -> None:
        """Wait for the server to exit, which only happens if it fails."""
        self._process.wait()

    def end(self) -> None:
        """Stop the server."""
        with suppress(ProcessLookupError):
            # The server has nothing to save, so we can kill it.
            os.killpg(self._process.pid, signal.SIGKILL)
        GUARDIAN.end(self._process.pid)
        with self._process:  # closes the pipe, and waits
            pass


@contextmanager
def watched(
    interrupts: Interrupts,
    game: str,
    paths: Sequence[str],
    page: str,
    address: Sequence[str] = (),
    begin: Callable[[], object] = lambda: None,
) -> Iterator[Server | None]:
    """Context manager: serve files, and print the address.

    Args:
        game: the game, a key of `GAMES`.
        paths: the files and folders.
        page: path of the first page below the server's address. It belongs to the first file.
        address: options, e.g. `--listen`; empty: a free port of this machine.
        begin: called after the server has started and before the page is shown.

    Yields:
        The server; None if it failed to start and printed the reason.
    """
    server = Server(game, paths, page, address)
    try:
        with interrupts.raising():
            url = server.url()
        if url:
            begin()
            say(f"watch it at {url}")
        yield server if url else None
    finally:
        server.end()


def wait_for_viewers(interrupts: Interrupts, server: Server, kept: str | None, keeps: str) -> None:
    """Keep the page available until Ctrl-C.

    Args:
        kept: a file from which the page can be shown later; None if the results are not kept.
        keeps: the option that would keep the results.

    Raises:
        Interrupted: Ctrl-C was pressed.
    """
    words = [] if kept is None else ["referee", "serve", *server.game_words, kept]
    later = f"{keeps} saves the page" if kept is None else f"later: {command_line(words)}"
    say(f"the page stays until Ctrl-C; {later}")
    with interrupts.raising():
        server.wait()


def yield_to_match(pid: int) -> None:
    """Let a process use only the processor time that other processes don't need."""
    # If the system doesn't support one of these calls, the server may just take more processor
    # time.
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, NICE)
    # Linux only. With autogroups, `nice` only has an effect within a session, and the server has a
    # session of its own.
    with suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(NICE))
    call = _SCHED_SETATTR.get(os.uname().machine)
    if sys.platform == "linux" and call is not None:
        # The fields are: size, policy (0: the usual one), flags, nice, priority, slice, deadline,
        # period. Linux before 6.12 ignores the slice.
        wanted = struct.pack("<IIQiIQQQ", 48, 0, 0, NICE, 0, _SLICE_NS, 0, 0)
        ctypes.CDLL(None).syscall(call, pid, wanted, 0)
