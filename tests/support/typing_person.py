"""Simulate a person at a terminal who waits for a text, and then types something."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from functools import partial
from pathlib import Path
from typing import IO

from tests.support.forked_referee import ForkedReferee
from tests.support.live import ROOT

CTRL_C, CTRL_D = "\x03", "\x04"


class TypingPerson:
    """Runs the command in a terminal of its own, where Ctrl-C works.

    Attributes:
        seen: the output so far, with "\\n" as the only line end.
    """

    def __init__(
        self,
        *arguments: str,
        columns: int = 80,
        rows: int = 24,
        stdout: IO[bytes] | None = None,
        ignores_hangup: bool = False,
        folder: Path = ROOT,
        forks: bool = True,
        **environment: str,
    ) -> None:
        self._leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}

        def prepare() -> None:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            if ignores_hangup:
                signal.signal(signal.SIGHUP, signal.SIG_IGN)

        real = [sys.executable, "-m", "referee", *arguments]
        start = partial(ForkedReferee, *arguments) if forks else partial(subprocess.Popen, real)
        self.process = start(
            stdin=follower,
            stdout=follower if stdout is None else stdout,
            stderr=follower,
            cwd=folder,
            env=kept | {"TERM": "xterm-256color", "NO_COLOR": "1"} | environment,
            start_new_session=True,
            preexec_fn=prepare,
        )
        os.close(follower)
        self.seen = ""
        self._place = 0  # `expect` has found everything before this

    def expect(self, text: str) -> str:
        """Wait until a text appears in new output. Return the output up to the end of the text."""
        while text not in self.seen[self._place :]:
            assert self._read(), f"{text!r} never came:\n{self.seen[self._place :]}"
        end = self.seen.index(text, self._place) + len(text)
        between, self._place = self.seen[self._place : end], end
        return between

    def type(self, text: str, end: str = "\n") -> None:
        os.write(self._leader, (text + end).encode())

    def answer(self, text: str) -> str:
        before = self.expect("\n> ")
        self.type(text)
        return before

    def leave(self) -> int:
        while self._read():
            pass
        return self.process.wait(timeout=60)

    def hang_up(self) -> int:
        """Close the terminal, as if the connection was lost. Return the exit code."""
        self._leader, leader = os.open(os.devnull, os.O_RDONLY), self._leader
        os.close(leader)
        return self.process.wait(timeout=60)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        os.close(self._leader)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._leader], [], [], 60)
        assert ready, f"nothing came for a minute:\n{self.seen[-2000:]}"
        try:
            data = os.read(self._leader, 65536)
        except OSError:  # the terminal was closed, because the process has ended
            return False
        self.seen += data.decode().replace("\r\n", "\n")
        return bool(data)


def on_a_terminal(*arguments: str, **environment: str) -> tuple[int, str]:
    """Run the command on a terminal with colours. Return its exit code and all that it printed."""
    person = TypingPerson(*arguments, folder=Path.cwd(), **({"NO_COLOR": ""} | environment))
    try:
        return person.leave(), person.seen
    finally:
        person.close()
