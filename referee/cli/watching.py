"""`--browser`: show a running match or tournament in the browser.

A process of its own serves the files that are written: viewers take nothing from the match.
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
from referee.games import GAMES, game_words
from referee.interrupts import Interrupts
from referee.text.terminal import command_line

FREE = ("--listen", f"{HOST}:0")
NICE = 10
"""How far the server's priority is below that of the match (`nice`)."""
_SLICE_NS = 100_000
"""For so long the server may go on when the match wants its processor: the least Linux allows."""
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
"""The number of the system call, which the C library has no function for; by machine."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A temporary folder that is removed at the end, or a `UsageError` if none can be made."""
    try:
        made = tempfile.TemporaryDirectory(prefix="referee-watch-", ignore_cleanup_errors=True)
    except OSError as error:
        advice = "set TMPDIR to a folder that you can write to"
        raise UsageError(f"no folder for the matches: {error.strerror}: {advice}") from error
    with made as name:
        yield Path(name)


class Server:
    """`referee serve` as a process that ends with this one, however that ends."""

    def __init__(self, game: str, paths: Sequence[str], page: str, address: Sequence[str]) -> None:
        command = [sys.executable, "-P", "-m", "referee", "serve", *(address or FREE)]
        self.game_words = game_words(game) if game in GAMES.outside else []
        command += self.game_words
        with GUARDIAN.lock:
            try:
                GUARDIAN.begin()
                self._process = subprocess.Popen(
                    [*command, *["--open"][: has_screen()], "--", *paths],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    start_new_session=True,  # Ctrl-C is for this process
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
        """The address of the page, as soon as it answers; empty if the server failed."""
        assert self._process.stdout is not None
        words = self._process.stdout.readline().decode().split()
        return f"{words[0]}{quote(self._page)}" if words else ""

    def wait(self) -> None:
        """Wait until it ends, which it does when it fails."""
        self._process.wait()

    def end(self) -> None:
        """End it."""
        with suppress(ProcessLookupError):
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
    """Serve files inside this block, and say where.

    Args:
        game: that is played, a key of `GAMES`.
        paths: of the files and folders.
        page: that is shown, below the server's address; it is in the first file.
        address: `--listen` and the like; none: a port of this machine that is free.
        begin: is called before the page is shown, once there is one.

    Yields:
        The server; None if it could not begin, and has said why.
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


def stay(interrupts: Interrupts, server: Server, kept: str | None, keeps: str) -> None:
    """Keep the page up until the user has seen enough.

    Args:
        kept: the file that shows the same later; None if the results are not kept.
        keeps: the option that makes one.

    Raises:
        Interrupted: Ctrl-C.
    """
    words = [] if kept is None else ["referee", "serve", *server.game_words, kept]
    later = f"{keeps} saves the page" if kept is None else f"later: {command_line(words)}"
    say(f"the page stays until Ctrl-C; {later}")
    with interrupts.raising():
        server.wait()


def yield_to_match(pid: int) -> None:
    """Let a process that has just begun take only what others leave of the processor."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, NICE)
    with suppress(OSError):  # of Linux, where sessions may be weighed first
        Path(f"/proc/{pid}/autogroup").write_text(str(NICE))
    call = _SCHED_SETATTR.get(os.uname().machine)
    if sys.platform == "linux" and call is not None:
        # size, policy (0: the usual one), flags, nice, priority, slice, deadline, period; a Linux
        # before 6.12 takes no notice of the slice
        wanted = struct.pack("<IIQiIQQQ", 48, 0, 0, NICE, 0, _SLICE_NS, 0, 0)
        ctypes.CDLL(None).syscall(call, pid, wanted, 0)
