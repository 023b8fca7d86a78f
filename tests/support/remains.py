"""What hostile bots could leave on a machine, counted."""

from __future__ import annotations

import os
from glob import glob
from pathlib import Path
from typing import NamedTuple

from referee.bots.processes.orphans import descendants

_CGROUPS = "/sys/fs/cgroup"
_GROUPS = "/referee-*-*"
_DEPTH = 4
"""Below this, groups are other programs' own."""


class Remains(NamedTuple):
    """How much there is of each.

    Attributes:
        processes: that descend from this one, zombies among them.
        descriptors: of this process.
        kib: of memory of this process.
        cgroups: of bots whose referee has ended.
        mounts: that this process sees.
    """

    processes: int
    descriptors: int
    kib: int
    cgroups: int
    mounts: int

    def is_more_than(self, other: Remains) -> bool:
        """Whether anything is left that was not there; what other programs do is not counted."""
        return any(
            getattr(self, name) > getattr(other, name)
            for name in ("processes", "descriptors", "cgroups", "mounts")
        )

    def __str__(self) -> str:
        return ", ".join(
            f"{value} {'KiB' if name == 'kib' else name}" for name, value in self._asdict().items()
        )


def remains() -> Remains:
    """Count them now."""
    status = Path("/proc/self/status").read_text()
    return Remains(
        len(descendants(os.getpid())),
        len(os.listdir("/proc/self/fd")),
        int(status.partition("VmRSS:")[2].split()[0]),
        len(lost_cgroups()),
        Path("/proc/self/mountinfo").read_text().count("\n"),
    )


def lost_cgroups() -> list[str]:
    """The groups of bots whose referee has ended: "referee-PID-NUMBER"."""
    found = [path for depth in range(_DEPTH) for path in glob(_CGROUPS + "/*" * depth + _GROUPS)]
    return [path for path in found if not os.path.exists(f"/proc/{path.split('-')[-2]}")]
