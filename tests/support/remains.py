"""Count the processes, files and mounts that hostile bots leave on a machine."""

from __future__ import annotations

import os
from glob import escape, glob
from pathlib import Path
from typing import NamedTuple

from referee.bots.processes import cgroups
from referee.bots.processes.orphans import descendants

_GROUPS = "/referee-*-*"


class Remains(NamedTuple):
    """Leftovers of the referee and its bots on this machine.

    Attributes:
        processes: number of descendants of this process, including zombies.
        descriptors: number of open file descriptors of this process and its descendants.
        kib: memory of these processes in KiB.
        cgroups: number of cgroups of bots whose referee has ended, or is one of these processes.
            Call this between matches, when no cgroup is in use.
        mounts: number of mounts that this process sees.
    """

    processes: int
    descriptors: int
    kib: int
    cgroups: int
    mounts: int

    def is_more_than(self, other: Remains) -> bool:
        """Return True if there is more of anything than before.

        Memory doesn't count, because it varies anyway.
        """
        return any(
            getattr(self, name) > getattr(other, name)
            for name in ("processes", "descriptors", "cgroups", "mounts")
        )

    def __str__(self) -> str:
        return ", ".join(
            f"{value} {'KiB' if name == 'kib' else name}" for name, value in self._asdict().items()
        )


def remains() -> Remains:
    others = descendants(os.getpid())
    ours = {os.getpid(), *others}
    return Remains(
        len(others),
        sum(map(_descriptors, ours)),
        sum(map(_kib, ours)),
        len(lost_cgroups(ours)),
        Path("/proc/self/mountinfo").read_text().count("\n"),
    )


def _descriptors(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:  # the process has ended, or belongs to another user
        return 0


def _kib(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return int((status.partition("VmRSS:")[2].split() or ["0"])[0])


def lost_cgroups(ours: set[int]) -> list[str]:
    return [path for path, pid in _cgroups() if pid in ours or not os.path.exists(f"/proc/{pid}")]


def cgroups_of(referees: set[int]) -> list[str]:
    return [path for path, pid in _cgroups() if pid in referees]


def _cgroups() -> list[tuple[str, int]]:
    """Return the path of each bot's cgroup "referee-PID-TOKEN", with the pid in its name."""
    home = cgroups.home()
    folders = set(home.folders.values()) if home is not None else set()
    found = [path for folder in folders for path in glob(escape(folder) + _GROUPS)]
    return [(path, int(path.split("-")[-2])) for path in found]
