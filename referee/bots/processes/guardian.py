"""Ending the bots of a referee that dies before it has ended them (protocol, 8.4).

A referee that is killed, or dies of a signal that it does not catch (SIGKILL, SIGQUIT, SIGXCPU),
ends nobody, and a bot that ignores the end of its input would live on. So a shell watches, in a
session of its own, a pipe that only the referee holds open. Each line it reads is the list of the
bots' process groups. When the pipe ends, it kills the groups of the last line.

Linux could kill a process with its parent (PR_SET_PDEATHSIG), but only that process, not what it
has started: of `sh -c 'python bot.py; true'` the bot would stay. It would also kill the bots when
no more than the thread ends that started them, and other systems have nothing like it.

What a bot has put into a session of its own is not in its group. The referee itself ends that at
the end of a match (`orphans.py`); after the death of the referee it stays.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading

_SHELL = "/bin/sh"
_SCRIPT = """
exec >&- 2>&-
groups=
while read -r line; do groups=$line; done
[ -z "$groups" ] || kill -s KILL -- $groups
"""
_STOP_SECONDS = 5


class Guardian:
    """Watches over the process groups of this process's bots; there is one of it, `GUARDIAN`.

    The shell runs while there is a bot: from before the first is started until after the last has
    ended.

    Attributes:
        lock: who holds it can be sure that no bot is being started meanwhile by another thread.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._users = 0
        self._groups: set[int] = set()
        self._shell: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """A bot is about to be started.

        Raises:
            OSError: the shell cannot be started.
        """
        with self.lock:
            if self._shell is None:
                self._shell = subprocess.Popen(
                    [_SHELL, "-c", _SCRIPT],
                    stdin=subprocess.PIPE,
                    bufsize=0,  # it closes what it inherits: where /dev is empty, all is well
                    cwd="/",
                    env={},  # a bot may read it
                    start_new_session=True,
                )
            self._users += 1

    def watch(self, group: int) -> None:
        """The bot was started: this is its process group."""
        with self.lock:
            self._groups.add(group)
            self._write_groups()

    def end(self, group: int | None) -> None:
        """The bot was not started (None), or its group was killed.

        To be called before the bot is reaped: until then its group cannot be anybody else's.
        """
        with self.lock:
            self._users -= 1
            if not self._users:
                self._stop()  # it kills the last group once more
                self._groups.clear()
            elif group is not None:
                self._groups.discard(group)
                self._write_groups()

    @property
    def processes(self) -> set[int]:
        """The bots, each the leader of its group, and the shell."""
        shell = set() if self._shell is None else {self._shell.pid}
        return self._groups | shell

    def _write_groups(self) -> None:
        if self._shell is not None and self._shell.stdin is not None:
            line = " ".join(f"-{group}" for group in self._groups) + "\n"
            with contextlib.suppress(OSError):  # somebody has killed it
                os.write(self._shell.stdin.fileno(), line.encode())

    def _stop(self) -> None:
        shell, self._shell = self._shell, None
        if shell is None or shell.stdin is None:
            return
        shell.stdin.close()
        try:
            shell.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:  # somebody has stopped it
            shell.kill()
            shell.wait()


GUARDIAN = Guardian()
