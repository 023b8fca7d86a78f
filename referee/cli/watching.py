"""Shows a running match or tournament in the browser (`--browser`).

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
# We raise the server's `nice` value by this much.
NICE = 10
# Maximum length of the server's time slices, in nanoseconds, while the match waits for the
# processor. Linux doesn't allow shorter time slices.
_SLICE_NS = 100_000
# Numbers of the sched_setattr system call, by processor. The C library has no function for it.
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Create a temporary folder for a `with` block.

    Raises:
        UsageError: the folder can't be created.
    """
    try:
        made = tempfile.TemporaryDirectory(prefix="referee-watch-", ignore_cleanup_errors=True)
    except OSError as error:
        advice = "set TMPDIR to a folder that you can write to"
        raise UsageError(f"no folder for the matches: {error.strerror}: {advice}") from error
    with made as name:
        yield Path(name)


class Server:
    """A process that runs `referee serve`. It ends with ours, even if ours is killed."""

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
        """Wait for the server to exit. It only exits if it fails."""
        self._process.wait()

    def end(self) -> None:
        """Stop the server."""
        with suppress(ProcessLookupError):
            # The server has nothing to save, so we can kill it.
            os.killpg(self._process.pid, signal.SIGKILL)
        GUARDIAN.end(self._process.pid)
        with self._process:  # this closes the pipe, and waits
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
    """Serve files for a `with` block, and print the address.

    Args:
        game: the game, a key of `GAMES`.
        paths: the files and folders.
        page: the path of the page to show first, without the server's address.
        address: options for the server, e.g. `--listen`. By default, it uses a free port of this
            machine.
        begin: called when the server is ready, just before we print the address.

    Yields:
        The server, or None if it failed to start, in which case it has printed the reason.
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
    """Keep the server running until Ctrl-C, so that people can look at the final page.

    Args:
        kept: the file with the results, which we suggest for `referee serve`, or None if the
            results aren't saved.
        keeps: the option that would save the results.

    Raises:
        Interrupted: Ctrl-C was pressed.
    """
    words = [] if kept is None else ["referee", "serve", *server.game_words, kept]
    later = f"{keeps} saves the page" if kept is None else f"later: {command_line(words)}"
    say(f"the page stays until Ctrl-C; {later}")
    with interrupts.raising():
        server.wait()


def yield_to_match(pid: int) -> None:
    """Give a process only the processor time that nobody else needs."""
    # Ignore errors. If the system doesn't support a call, the server just takes more processor
    # time.
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, NICE)
    # With autogroups (only on Linux), `nice` only matters within a session. The server has its own
    # session, so we have to set the value of the group, too.
    with suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(NICE))
    call = _SCHED_SETATTR.get(os.uname().machine)
    if sys.platform == "linux" and call is not None:
        # The fields of struct sched_attr: size, policy (0 is the normal one), flags, nice,
        # priority, slice, deadline, period. Before 6.12, Linux ignored the slice.
        wanted = struct.pack("<IIQiIQQQ", 48, 0, 0, NICE, 0, _SLICE_NS, 0, 0)
        ctypes.CDLL(None).syscall(call, pid, wanted, 0)
