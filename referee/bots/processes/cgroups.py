"""Uses control groups to limit and count all processes of a bot together (Linux; limits.md).

We also use them to find out how many cores the referee itself may use.

Each bot gets its own group: one folder with cgroup v2, or one in each hierarchy with v1. We create
these groups beside or below the group of our own process. That's only possible if:

- v2: our group was delegated to us, e.g. by `systemd-run --user --scope -p Delegate=yes`, or we run
  in a container. We don't use any other group, because systemd may remove its controllers at any
  time. A group can't contain processes while its child groups have controllers, so we move our own
  processes to a child group, `LEAF`.
- v1: we can write to the hierarchies. Root can usually do that.

A killed referee leaves groups behind. The guardian's shell removes them (`guardian.py`).
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from referee.match.limits import Limits, LimitsBy

LEAF = "referee"
"""With v2, the referee moves itself into a child group of this name."""
_V1 = ("memory", "pids", "cpuacct", "cpu", "freezer")
_NEEDED = {"memory", "pids"}
_SYSTEMD_SECONDS = 10


class Home(NamedTuple):
    """A place where we can create groups.

    Attributes:
        name: the kind of control groups, as written to the header of a record.
        folders: for each controller, the folder for new groups. With v2, it's always the same one.
    """

    name: LimitsBy
    folders: Mapping[str, str]


@cache
def home() -> Home | None:
    """Return where this process can create groups, or None if it isn't allowed to.

    With v2, this may enable controllers, and move the processes of our group to `LEAF`.
    """
    if sys.platform != "linux":
        return None
    try:
        with open("/proc/self/mountinfo") as mounts, open("/proc/self/cgroup") as groups:
            return find_home(mounts.read(), groups.read())
    except OSError:
        return None


def find_home(mounts: str, groups: str) -> Home | None:
    """Do the work of `home`, given the contents of /proc/self/mountinfo and /proc/self/cgroup."""
    found = _own_groups(mounts, groups)
    delegated = _delegated(found[""]) if "" in found else None
    if delegated is not None:
        return Home("cgroup-v2", dict.fromkeys(_V1, delegated))
    usable = {name: folder for name, folder in found.items() if name and _can_make_in(folder)}
    return Home("cgroup-v1", usable) if usable.keys() >= _NEEDED else None


def _own_groups(mounts: str, groups: str) -> dict[str, str]:
    # maps each controller ("" for v2) to the group's path in its hierarchy
    own: dict[str, str] = {}
    for line in groups.splitlines():
        _, controllers, path = line.split(":", 2)
        own.update(dict.fromkeys(controllers.split(","), path))
    found: dict[str, str] = {}
    for line in mounts.splitlines():
        fields, _, rest = line.partition(" - ")
        root, point = fields.split()[3:5]
        kind, _, settings = rest.split(" ", 2)
        # If a path contains white space, it's escaped there.
        if "\\" in point or kind not in ("cgroup", "cgroup2"):
            continue
        for name in [""] if kind == "cgroup2" else set(settings.split(",")) & set(_V1):
            if name not in own:
                continue
            inside = own[name].removeprefix(root.rstrip("/")).rstrip("/")
            base = point + inside if os.path.isdir(point + inside) else point
            found.setdefault(name, base)
    return found


@cache
def cpu_quota() -> float:
    """Return how many cores this process may use, e.g. 0.5, or infinity if there's no quota."""
    return find_cpu_quota(_read("/proc/self/mountinfo"), _read("/proc/self/cgroup"))


def find_cpu_quota(mounts: str, groups: str) -> float:
    """Do the work of `cpu_quota`, given the contents of the same files as in `find_home`.

    A group can't use more than its parent groups, so we return the smallest quota of all of them.
    """
    found = _own_groups(mounts, groups)
    own = [Path(found[name]) for name in ("", "cpu") if name in found]
    return min((_quota(at) for group in own for at in (group, *group.parents)), default=math.inf)


def _quota(group: Path) -> float:
    # v2 has one file with both numbers, v1 has two files. Without a quota, the first number is
    # "max" or -1, and the root group doesn't have such a file.
    text = _read(f"{group}/cpu.max")
    text = text or " ".join(_read(f"{group}/cpu.cfs_{name}_us") for name in ("quota", "period"))
    words = text.split()
    return int(words[0]) / int(words[1]) if len(words) == 2 and words[0].isdigit() else math.inf


def _delegated(base: str) -> str | None:
    if os.path.basename(base) == LEAF:
        base = os.path.dirname(base)
    offered = set(_read(f"{base}/cgroup.controllers").split())
    wanted = offered & {"memory", "pids", "cpu"}
    if not offered >= _NEEDED or not os.access(base, os.W_OK):
        return None
    try:
        if not wanted <= set(_read(f"{base}/cgroup.subtree_control").split()):
            words = " ".join(f"+{name}" for name in sorted(wanted))
            try:
                _write(f"{base}/cgroup.subtree_control", words)
            except OSError as error:
                if error.errno != errno.EBUSY or not _is_ours(base):
                    return None
                _empty(base)
                _write(f"{base}/cgroup.subtree_control", words)
    except OSError:
        return None
    return base if _can_make_in(base) else None


def _is_ours(base: str) -> bool:
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(base, name) == b"1":
                return True
    is_root_of_container = not os.path.exists(f"{os.path.dirname(base)}/cgroup.procs")
    is_users = os.stat(base).st_uid == os.geteuid() != 0
    return is_root_of_container or (is_users and _is_delegated(os.path.basename(base)))


def _is_delegated(group: str) -> bool:
    # We have to ask systemd whether it has delegated the group. A user's systemd doesn't mark
    # groups that it has delegated, and when it reloads its configuration, it removes the
    # controllers of all other units. The limits of our groups would then silently disappear.
    if not group.endswith((".scope", ".service")):
        return True
    words = ("systemctl", "--user", "show", "--property=Delegate", "--value", group)
    try:
        said = subprocess.run(words, capture_output=True, timeout=_SYSTEMD_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return said.stdout == b"yes\n"


def _empty(base: str) -> None:
    with contextlib.suppress(FileExistsError):
        os.mkdir(f"{base}/{LEAF}")
    for _ in range(10):  # while we move some processes, others may start new ones
        pids = _read(f"{base}/cgroup.procs").split()
        if not pids:
            return
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                _write(f"{base}/{LEAF}/cgroup.procs", pid)


def _can_make_in(folder: str) -> bool:
    # If a referee was killed here, it has left its folder behind. We always use the same name, so
    # this removes that folder as well.
    probe = f"{folder}/referee-probe"
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(probe)
        with contextlib.suppress(FileNotFoundError):  # another referee has just removed it
            os.rmdir(probe)
    except OSError:
        return False
    return True


class Cgroup:
    """The group of one bot. Call `make` to create it, and remove `folders` at the end."""

    def __init__(self, place: Home) -> None:
        # The process id isn't enough for a name. An earlier referee with the same id may have been
        # killed together with its guardian, so that its groups still exist.
        name = f"referee-{os.getpid()}-{secrets.token_hex(4)}"
        self._is_v2 = place.name == "cgroup-v2"
        self._at = {kind: f"{folder}/{name}" for kind, folder in place.folders.items()}
        self.folders = tuple(dict.fromkeys(self._at.values()))

    def make(self, limits: Limits) -> None:
        """Create the group, and limit its memory and its number of processes.

        Raises:
            OSError: the system doesn't let us.
        """
        for folder in self.folders:
            os.mkdir(folder)
        memory, at = limits.memory_limit, self._at
        if memory < math.inf:
            if self._is_v2:
                name, of_swap, swap = "memory.max", "memory.swap.max", "0"
            else:  # v1 counts memory and swap together
                name, of_swap = "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"
                swap = str(memory)
            _write(f"{at['memory']}/{name}", str(memory))
            with contextlib.suppress(OSError):  # the file is missing if there's no swap
                _write(f"{at['memory']}/{of_swap}", swap, create=False)
        if limits.process_limit < math.inf:
            _write(f"{at['pids']}/pids.max", str(limits.process_limit))

    @property
    def joining(self) -> tuple[str, ...]:
        """The files to which a process has to write 0 to join the group."""
        return tuple(f"{folder}/cgroup.procs" for folder in self.folders)

    @property
    def cpu_seconds(self) -> float | None:
        """CPU time of all processes that were ever in the group, or None if it isn't counted."""
        if self._is_v2:
            usage = _value(f"{self._at['cpu']}/cpu.stat", "usage_usec")
            return None if usage is None else usage / 1e6
        folder = self._at.get("cpuacct")
        text = "" if folder is None else _read(f"{folder}/cpuacct.usage")
        return int(text) / 1e9 if text else None

    @property
    def oom_kills(self) -> int:
        """Number of processes that the system killed because of the memory limit."""
        name = "memory.events" if self._is_v2 else "memory.oom_control"
        return _value(f"{self._at['memory']}/{name}", "oom_kill") or 0

    @property
    def refused_forks(self) -> int:
        """Number of times that starting a process failed because of the limit."""
        return _value(f"{self._at['pids']}/pids.events", "max") or 0

    def freeze(self, frozen: bool = True) -> bool:
        """Freeze or thaw all processes. Returns False if that isn't possible."""
        if "freezer" not in self._at:
            return False
        file, words = "freezer.state", ("THAWED", "FROZEN")
        if self._is_v2:
            file, words = "cgroup.freeze", ("0", "1")
        try:
            _write(f"{self._at['freezer']}/{file}", words[frozen])
        except OSError:
            return False
        return True

    @property
    def is_frozen(self) -> bool:
        """True once all processes are frozen. This may be some time after `freeze`."""
        if self._is_v2:
            return _value(f"{self._at['freezer']}/cgroup.events", "frozen") == 1
        return _read(f"{self._at['freezer']}/freezer.state") == "FROZEN\n"

    def kill(self) -> None:
        """Kill all processes."""
        folder = self._at["pids"]
        try:
            if self._is_v2:
                _write(f"{folder}/cgroup.kill", "1", create=False)
                return
        except OSError:  # Linux before 5.14 doesn't have this file.
            pass
        with contextlib.suppress(OSError):
            # so that no new process can start while we kill the others
            _write(f"{folder}/pids.max", "0")
        for pid in _read(f"{folder}/cgroup.procs").split():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(pid), signal.SIGKILL)
        # With v1, a frozen process doesn't die until it's thawed.
        self.freeze(False)

    def remove(self) -> bool:
        """Remove the group. Returns False if a process in it hasn't ended yet."""
        # We need a list here. With a generator, all() would stop at the first failure.
        removed = [remove(folder) for folder in self.folders]
        return all(removed)


def remove(folder: str) -> bool:
    """Remove the folder of a group. Returns False if that isn't possible yet."""
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _read(path: str) -> str:
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def _write(path: str, text: str, *, create: bool = True) -> None:
    # In a real group all files exist, but not in the plain folder that tests use instead.
    descriptor = os.open(path, os.O_WRONLY | (os.O_CREAT if create else 0), 0o644)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _value(path: str, name: str) -> int | None:
    for line in _read(path).splitlines():
        found, _, value = line.partition(" ")
        if found == name and value.isdigit():
            return int(value)
    return None
