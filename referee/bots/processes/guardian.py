"""Kills the bots if the referee dies before it has stopped them (protocol, 8.4).

If the referee is killed by a signal that it doesn't catch (SIGKILL, SIGQUIT, SIGXCPU), it can't
stop its bots, and a bot that ignores the end of its input would run forever. That's why we start a
shell in its own session. It reads lines from a pipe that only the referee has open. Each line lists
all process groups of bots, as arguments of `kill`, and the folders of their control groups
(`cgroups.py`). When the pipe ends, the shell kills the groups in the last line and removes the
folders.

Linux can also kill a process when its parent dies (PR_SET_PDEATHSIG). We don't use this, because it
doesn't cover descendants: with `sh -c 'python bot.py; true'`, the shell would die and the bot
survive. Also, "parent" means the thread that started the process, so the bots would be killed when
only that thread ends. And other systems don't have anything like it.

Note that a bot's processes aren't in its group if they have moved to a session of their own. The
referee kills such processes at the end of a match (`orphans.py`), but they survive if the referee
dies.
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
# A control group may have several folders. All list its processes, but only one can thaw it.
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
"""We give the shell this many seconds to exit. Its 50 attempts take at most about 4 seconds."""


class Guardian:
    """Watches the process groups of this process's bots. There is one instance, `GUARDIAN`.

    The shell is started before the first bot, and runs until after the last one has ended.

    Attributes:
        lock: while you hold it, no other thread can start a bot.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._users = 0
        self._groups: set[int] = set()
        self._folders: set[str] = set()
        self._ended: list[Cgroup] = []
        self._shell: subprocess.Popen[bytes] | None = None

    def begin(self, folders: Iterable[str] = ()) -> None:
        """Prepare for a new bot. Call this before you start its process.

        Args:
            folders: the folders of the bot's control group.

        Raises:
            OSError: the shell can't be started.
        """
        with self.lock:
            if self._shell is None:
                self._shell = subprocess.Popen(
                    _COMMAND,
                    stdin=subprocess.PIPE,
                    # The script closes the inherited descriptors itself, so we don't need
                    # /dev/null.
                    bufsize=0,
                    cwd="/",
                    # We empty this because bots might be able to read it in /proc.
                    env={},
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
        """Stop watching a bot, after its process group was killed.

        Call this before you reap the bot. As long as it's a zombie, no other process can get its
        id, so the shell can't kill the wrong group.

        Args:
            group: the process group, or None if the bot couldn't be started.
        """
        with self.lock:
            self._users -= 1
            if cgroup is not None:
                self._ended.append(cgroup)
            self._remove()
            if not self._users:
                if cgroup is not None:
                    # The shell may try to remove a folder that's already gone, which is harmless.
                    self._write_list()
                # The shell kills the last group once more, and removes the last folders.
                self._stop()
                self._groups.clear()
                self._folders.clear()
                self._ended.clear()
            elif group is not None:
                self._groups.discard(group)
                self._write_list()

    @property
    def processes(self) -> set[int]:
        """Process ids of the shell and of all bots (each leads its own process group)."""
        shell = set() if self._shell is None else {self._shell.pid}
        return self._groups | shell

    def _remove(self) -> None:
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
    """Return True if a process is a guardian's shell, started by this or another process."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return words[:-1] == [word.encode() for word in _COMMAND]
