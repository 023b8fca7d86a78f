"""Ending the bots of a referee that dies before it has ended them (protocol, 8.4).

If the referee is killed, or dies of a signal that it does not catch (SIGKILL, SIGQUIT, SIGXCPU), it
cannot end its bots, and a bot that ignores the end of its input would live on. Therefore a shell in
a session of its own watches a pipe that only the referee holds open. Each line it reads is the list
of the bots' process groups, as `kill` takes them, and of the folders of their control groups
(`cgroups.py`). When the pipe ends, it kills the groups of the last line, and removes the folders.

Linux could kill a process with its parent (PR_SET_PDEATHSIG), but only that process, not what it
has started: of `sh -c 'python bot.py; true'` the bot would stay. It would also kill the bots when
no more than the thread ends that started them, and other systems have nothing like it.

Processes that a bot puts into a session of its own are not in its group. The referee itself ends
them at the end of a match (`orphans.py`); after the death of the referee they stay.
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
"""For all these rounds."""


class Guardian:
    """Watches over the process groups of this process's bots; there is one of it, `GUARDIAN`.

    The shell runs while there is a bot: from before the first is started until after the last has
    ended.

    Attributes:
        lock: while you hold it, no other thread starts a bot.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._users = 0
        self._groups: set[int] = set()
        self._folders: set[str] = set()
        self._ended: list[Cgroup] = []
        self._shell: subprocess.Popen[bytes] | None = None

    def begin(self, folders: Iterable[str] = ()) -> None:
        """A bot is about to be started, in a control group of these folders, if it has one.

        Raises `OSError` if the shell cannot be started.
        """
        with self.lock:
            if self._shell is None:
                self._shell = subprocess.Popen(
                    _COMMAND,
                    stdin=subprocess.PIPE,
                    bufsize=0,  # it closes what it inherits: where /dev is empty, all is well
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
        """The bot was started: this is its process group."""
        with self.lock:
            self._groups.add(group)
            self._write_list()

    def end(self, group: int | None, cgroup: Cgroup | None = None) -> None:
        """The bot was not started (None), or its group was killed; its control group can go.

        To be called before the bot is reaped: until then its group cannot be anybody else's.
        """
        with self.lock:
            self._users -= 1
            if cgroup is not None:
                self._ended.append(cgroup)
            self._remove()
            if not self._users:
                if cgroup is not None:
                    self._write_list()  # what is removed already costs the shell nothing
                self._stop()  # it kills the last group once more, and removes the last folders
                self._groups.clear()
                self._folders.clear()
                self._ended.clear()
            elif group is not None:
                self._groups.discard(group)
                self._write_list()

    @property
    def processes(self) -> set[int]:
        """The bots, each the leader of its group, and the shell."""
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
            with contextlib.suppress(OSError):  # somebody has killed it
                os.write(self._shell.stdin.fileno(), line.encode())

    def _stop(self) -> None:
        shell, self._shell = self._shell, None
        if shell is None or shell.stdin is None:
            return
        shell.stdin.close()
        try:
            shell.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:  # somebody has stopped it
            shell.kill()
            shell.wait()


GUARDIAN = Guardian()


def is_guardian(pid: int) -> bool:
    """Whether a process is the shell of this process, or of another one such as a worker."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return words[:-1] == [word.encode() for word in _COMMAND]
