"""Kill the bots of a referee that dies before it has stopped them (protocol, 8.4).

If the referee is killed, or dies of a signal that it does not catch (SIGKILL, SIGQUIT, SIGXCPU), it
cannot stop its bots, and a bot that ignores the end of its input would continue to run. Therefore a
shell in its own session watches a pipe that only the referee holds open. Each line that it reads is
a list of the bots' process groups, as arguments of `kill`, and the folders of their control groups
(`cgroups.py`). At the end of the pipe it kills the groups of the last line and removes the folders.

Linux can kill a process when its parent dies (PR_SET_PDEATHSIG), but not the descendants of that
process: for `sh -c 'python bot.py; true'` the bot would survive. It would also kill the bots when
only the thread ends that started them. Other systems have nothing similar.

Processes that a bot moves into their own session are not in its group. The referee kills them at
the end of a match (`orphans.py`). After the death of the referee they survive.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path

from referee.bots.processes.cgroups import Cgroup

_SHELL = "/bin/sh"
_SCRIPT = """
exec >&- 2>&-
words=
while read -r line; do words=$line; done
for word in $words; do case $word in -*) kill -s KILL -- $word; esac; done
# What a group is frozen with is in the folder of one hierarchy, its processes in each.
round=0
while [ $round -lt 50 ]; do
    round=$((round + 1)) left=
    for folder in $words; do
        case $folder in -*) continue; esac
        [ -d "$folder" ] || continue
        rmdir "$folder" && continue
        left=1
        [ ! -f "$folder/cgroup.kill" ] || echo 1 >"$folder/cgroup.kill"
        while read -r pid; do kill -s KILL "$pid"; done <"$folder/cgroup.procs"
        [ ! -f "$folder/freezer.state" ] || echo THAWED >"$folder/freezer.state"
    done
    [ -n "$left" ] || exit 0
    if [ $round -gt 10 ]; then sleep 0.1; elif [ $round -gt 2 ]; then sleep 0.01; fi
done
"""
_COMMAND = [_SHELL, "-c", _SCRIPT]
STOP_SECONDS = 5
"""Seconds for all rounds of stopping."""


class Guardian:
    """Watches the process groups of this process's bots. There is one instance, `GUARDIAN`.

    The shell runs from before the start of the first bot until after the end of the last.

    Attributes:
        lock: while held, no other thread starts a bot.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._users = 0
        self._groups: set[int] = set()
        self._folders: set[str] = set()
        self._ended: list[Cgroup] = []
        self._shell: subprocess.Popen[bytes] | None = None

    def begin(self, folders: Iterable[str] = ()) -> None:
        """Announce the start of a bot, with the folders of its control group.

        Raises:
            OSError: the shell cannot be started.
        """
        with self.lock:
            if self._shell is None:
                self._shell = subprocess.Popen(
                    _COMMAND,
                    stdin=subprocess.PIPE,
                    bufsize=0,  # the shell closes inherited files, which needs no /dev
                    cwd="/",
                    env={},  # a bot may read it
                    start_new_session=True,
                )
            self._users += 1
            self._remove()
            if folders:
                self._folders.update(folders)
                self._write_list()

    def watch(self, group: int) -> None:
        """Add the process group of a started bot."""
        with self.lock:
            self._groups.add(group)
            self._write_list()

    def end(self, group: int | None, cgroup: Cgroup | None = None) -> None:
        """Remove a bot whose group was killed, or that was not started (None), and its group.

        Call this before the bot is reaped: until then its group cannot belong to another process.
        """
        with self.lock:
            self._users -= 1
            if cgroup is not None:
                self._ended.append(cgroup)
            self._remove()
            if not self._users:
                if cgroup is not None:
                    self._write_list()  # removing a folder again is harmless
                self._stop()  # it kills the last group again, and removes the last folders
                self._groups.clear()
                self._folders.clear()
                self._ended.clear()
            elif group is not None:
                self._groups.discard(group)
                self._write_list()

    @property
    def processes(self) -> set[int]:
        """The bots, which lead their process groups, and the shell."""
        shell = set() if self._shell is None else {self._shell.pid}
        return self._groups | shell

    def _remove(self) -> None:
        """Remove the control groups of bots that have ended."""
        for cgroup in list(self._ended):
            if cgroup.remove():
                self._ended.remove(cgroup)
                self._folders.difference_update(cgroup.folders)

    def _write_list(self) -> None:
        if self._shell is not None and self._shell.stdin is not None:
            words = [*(f"-{group}" for group in self._groups), *self._folders]
            line = " ".join(words) + "\n"
            with contextlib.suppress(OSError):  # somebody killed it
                os.write(self._shell.stdin.fileno(), line.encode())

    def _stop(self) -> None:
        shell, self._shell = self._shell, None
        if shell is None or shell.stdin is None:
            return
        shell.stdin.close()
        try:
            shell.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:  # somebody stopped it
            shell.kill()
            shell.wait()


GUARDIAN = Guardian()


def is_guardian(pid: int) -> bool:
    """True if a process is the shell of this process, or of another one such as a worker."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return words[:-1] == [word.encode() for word in _COMMAND]
