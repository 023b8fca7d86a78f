"""Control groups of version 2, and finding a folder where we may create groups.

tests/test_limits.py covers version 1 on machines that have it. For version 2, most tests use a
temporary folder with the same files. Freezing, killing and counting need no controllers, so those
are tested in the real hierarchy.
"""

from __future__ import annotations

import errno
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.bots.processes import cgroups
from referee.bots.processes.cgroups import Cgroup, Home, find_cpu_quota, find_home
from referee.bots.processes.cpu import stat_fields
from referee.match.limits import Limits

CONTROLLERS = ("memory", "pids", "cpuacct", "cpu", "freezer")
LIMITS = Limits(memory_limit=2**28, process_limit=50)


def v2(folder: Path | str) -> Home:
    return Home("cgroup-v2", {name: str(folder) for name in CONTROLLERS})


def unified() -> str:
    """Return a version 2 folder where this user can create groups, or an empty string."""
    home = cgroups.home()
    if home is not None and home.name == "cgroup-v2":
        return home.folders["freezer"]
    with open("/proc/self/mountinfo") as mounts:
        for line in mounts:
            if " - cgroup2 " in line and os.access(line.split()[4], os.W_OK):
                return line.split()[4]
    return ""


needs_unified = pytest.mark.skipif(not unified(), reason="no cgroup v2 that can be written here")


def mount(point: Path, kind: str, settings: str = "rw", root: str = "/") -> str:
    return f"30 25 0:26 {root} {point} rw,relatime shared:9 - {kind} cgroup {settings}\n"


def delegated(tmp_path: Path, enabled: str = "memory pids cpu") -> Path:
    """Create a folder that looks like a delegated group."""
    base = tmp_path / "user.slice" / "run-1.scope"
    base.mkdir(parents=True)
    (base / "cgroup.controllers").write_text("cpu io memory pids\n")
    (base / "cgroup.subtree_control").write_text(enabled + "\n")
    return base


def test_groups_of_a_killed_referee_with_the_same_id_are_in_nobodys_way(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"referee-{os.getpid()}-{number}").mkdir()
    groups = [Cgroup(v2(tmp_path)) for _ in range(3)]
    for group in groups:
        group.make(LIMITS)
    assert len({folder for group in groups for folder in group.folders}) == 3


def test_a_delegated_group_of_version_2_is_a_home(tmp_path: Path) -> None:
    base = delegated(tmp_path)
    probe = base / "referee-probe"
    probe.mkdir()  # left by a killed referee
    home = find_home(mount(tmp_path, "cgroup2"), "0::/user.slice/run-1.scope\n")
    assert home == v2(base)
    assert home.name == "cgroup-v2"
    assert not probe.exists()
    # What is enabled already isn't written again.
    assert (base / "cgroup.subtree_control").read_text() == "memory pids cpu\n"


def test_where_a_hierarchy_is_twice_the_first_place_counts(tmp_path: Path) -> None:
    base = delegated(tmp_path / "first")
    mounts = mount(tmp_path / "first", "cgroup2") + mount(tmp_path / "second", "cgroup2")
    assert find_home(mounts, "0::/user.slice/run-1.scope\n") == v2(base)


def test_a_group_in_which_no_other_can_be_made_is_none(tmp_path: Path) -> None:
    (delegated(tmp_path) / "referee-probe").touch()
    assert find_home(mount(tmp_path, "cgroup2"), "0::/user.slice/run-1.scope\n") is None


def test_a_path_with_white_space_is_none(tmp_path: Path) -> None:
    """It's escaped in the list, and may be another folder's name there."""
    odd = tmp_path / r"a\040b"
    delegated(odd)
    assert find_home(mount(odd, "cgroup2"), "0::/user.slice/run-1.scope\n") is None


def test_the_referee_moves_out_of_a_group_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group with processes can't have groups with controllers below it."""
    base = delegated(tmp_path, enabled="")
    processes = base / "cgroup.procs"
    processes.write_text("11\n12\n")
    write = cgroups._write

    def written(path: str, text: str) -> None:
        left = processes.read_text().split()
        if path.endswith("subtree_control") and left:
            raise OSError(errno.EBUSY, "busy")
        if path == f"{base}/referee/cgroup.procs":
            processes.write_text("\n".join(pid for pid in left if pid != text))
        write(path, text)

    monkeypatch.setattr(cgroups, "_write", written)
    for is_ours in (False, True):
        monkeypatch.setattr(cgroups, "_is_ours", lambda base, is_ours=is_ours: is_ours)
        home = find_home(mount(tmp_path, "cgroup2"), "0::/user.slice/run-1.scope\n")
        assert home == (v2(base) if is_ours else None)
        assert (processes.read_text() == "") == is_ours
    assert (base / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"


def test_processes_that_were_started_meanwhile_are_moved_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, moved = iter(["5\n", "6 7\n", ""]), []

    def move(path: str, pid: str) -> None:
        moved.append(pid)
        if pid == "6":
            raise ProcessLookupError  # it has ended

    monkeypatch.setattr(cgroups, "_read", lambda path: next(found))
    monkeypatch.setattr(cgroups, "_write", move)
    cgroups._empty(str(tmp_path))
    assert moved == ["5", "6", "7"]


def test_another_referee_may_try_the_same_group_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(path: str) -> None:
        raise FileNotFoundError(path)

    base = delegated(tmp_path)
    monkeypatch.setattr(os, "rmdir", gone)
    groups = "0::/user.slice/run-1.scope\n"
    assert find_home(mount(tmp_path, "cgroup2"), groups) == v2(base)


def test_the_referee_may_be_in_its_own_group_below_already(tmp_path: Path) -> None:
    base = delegated(tmp_path)
    (base / "referee").mkdir()
    home = find_home(mount(tmp_path, "cgroup2"), "0::/user.slice/run-1.scope/referee\n")
    assert home == v2(base)


def test_controllers_are_enabled(tmp_path: Path) -> None:
    base = delegated(tmp_path, enabled="")
    assert find_home(mount(tmp_path, "cgroup2"), "0::/user.slice/run-1.scope\n") == v2(base)
    assert (base / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"


@pytest.mark.parametrize(
    ("group", "systemctl", "is_ours"),
    [
        ("run-1.scope", "echo yes", True),
        ("run-1.scope", "echo no", False),  # a terminal's scope isn't delegated
        ("run-1.scope", "echo no bus >&2; exit 1", False),
        ("run-1.scope", None, False),
        ("made_by_hand", None, True),
    ],
)
def test_a_group_of_the_user_is_left_to_systemd_unless_it_was_delegated(
    group: str,
    systemctl: str | None,
    is_ours: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In such a group, systemd would remove the controllers, so bots would lose their limits."""
    user = os.geteuid() or 65534
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    if systemctl is not None:
        program = tmp_path / "systemctl"
        program.write_text(f'#!/bin/sh\n[ "$5" = {group} ] && {{ {systemctl}; }}\n')
        program.chmod(0o755)
    else:
        monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "cgroup.procs").touch()  # so that `base` isn't the root of a container
    base = tmp_path / group
    base.mkdir()
    os.chown(base, user, -1)
    assert cgroups._is_ours(str(base)) == is_ours


def test_a_group_of_root_is_left_to_systemd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "geteuid", lambda: 0)
        patched.setattr(os, "stat", lambda path: SimpleNamespace(st_uid=0))
        is_ours = cgroups._is_ours(str(tmp_path / "made_by_hand"))
    assert not is_ours


@pytest.mark.parametrize("controllers", ["", "cpu memory", "pids io"])
def test_without_the_controllers_it_is_none(controllers: str, tmp_path: Path) -> None:
    base = delegated(tmp_path)
    (base / "cgroup.controllers").write_text(controllers)
    assert find_home(mount(tmp_path, "cgroup2"), "0::/user.slice/run-1.scope\n") is None


def test_of_version_1_each_hierarchy_has_a_path_of_its_own(tmp_path: Path) -> None:
    points = {name: tmp_path / name for name in ("memory", "pids", "cpu,cpuacct")}
    for point in points.values():
        (point / "box").mkdir(parents=True)
    mounts = "".join(mount(point, "cgroup", f"rw,{name}") for name, point in points.items())
    groups = "4:memory:/docker/box\n3:pids:/\n2:cpu,cpuacct:/gone\n0::/\n"
    # In a container, the root of the mount may differ from the root of the hierarchy. Here the
    # memory controller is mounted like that.
    mounts = mounts.replace("0:26 / " + str(points["memory"]), f"0:26 /docker {points['memory']}")
    assert find_home(mounts, groups) == Home(
        "cgroup-v1",
        {
            "memory": f"{points['memory']}/box",
            "pids": str(points["pids"]),
            "cpu": str(points["cpu,cpuacct"]),
            "cpuacct": str(points["cpu,cpuacct"]),
        },
    )


def test_without_memory_or_pids_version_1_is_none(tmp_path: Path) -> None:
    (tmp_path / "pids").mkdir()
    assert find_home(mount(tmp_path / "pids", "cgroup", "rw,pids"), "3:pids:/\n") is None


@pytest.mark.parametrize(
    ("own", "above", "quota"),
    [
        ("max 100000", "max 100000", math.inf),
        ("150000 100000", "max 100000", 1.5),
        ("max 100000", "50000 100000", 0.5),
        ("400000 100000", "100000 50000", 2),
        ("", "300000 100000", 3),  # the cpu controller isn't enabled in the group itself
        ("", "", math.inf),
    ],
)
def test_the_smallest_quota_of_a_group_and_those_above_counts(
    own: str, above: str, quota: float, tmp_path: Path
) -> None:
    group = tmp_path / "above" / "own"
    group.mkdir(parents=True)
    for folder, text in ((group, own), (group.parent, above)):
        if text:
            (folder / "cpu.max").write_text(f"{text}\n")
    assert find_cpu_quota(mount(tmp_path, "cgroup2"), "0::/above/own\n") == quota


@pytest.mark.parametrize(("quota", "cores"), [("-1", math.inf), ("50000", 0.5), ("800000", 8)])
def test_version_1_has_a_quota_in_two_files(quota: str, cores: float, tmp_path: Path) -> None:
    """The mount is like one in a container, where the group itself is the root."""
    (tmp_path / "cpu.cfs_quota_us").write_text(f"{quota}\n")
    (tmp_path / "cpu.cfs_period_us").write_text("100000\n")
    mounts = mount(tmp_path, "cgroup", "rw,cpu,cpuacct", root="/docker/box")
    assert find_cpu_quota(mounts, "3:cpu,cpuacct:/docker/box\n0::/\n") == cores


def test_without_control_groups_there_is_no_quota() -> None:
    assert find_cpu_quota("", "") == math.inf


def test_a_group_of_version_2_has_its_limits_and_counters(tmp_path: Path) -> None:
    group = Cgroup(v2(tmp_path))
    (folder,) = map(Path, group.folders)
    assert group.joining == (f"{folder}/cgroup.procs",)
    group.make(LIMITS)
    assert {file.name: file.read_text() for file in folder.iterdir()} == {
        "memory.max": str(2**28),
        "pids.max": "50",
    }
    for limit, name in (
        (Limits(memory_limit=2**28), "memory.max"),
        (Limits(process_limit=50), "pids.max"),
    ):
        other = Cgroup(v2(tmp_path))
        other.make(limit)
        assert [file.name for file in Path(*other.folders).iterdir()] == [name]
    assert (group.oom_kills, group.refused_forks, group.cpu_seconds) == (0, 0, None)
    (folder / "memory.events").write_text("low 0\noom 3\noom_kill 2\noom_group_kill 1\n")
    (folder / "pids.events").write_text("max 7\n")
    (folder / "cpu.stat").write_text("usage_usec 1500000\nuser_usec 1\n")
    assert (group.oom_kills, group.refused_forks, group.cpu_seconds) == (2, 7, 1.5)
    assert group.freeze()
    assert (folder / "cgroup.freeze").read_text() == "1"
    assert group.freeze(False)
    assert (folder / "cgroup.freeze").read_text() == "0"


def v1(folder: Path) -> Home:
    for name in CONTROLLERS:
        (folder / name).mkdir()
    return Home("cgroup-v1", {name: str(folder / name) for name in CONTROLLERS})


def contents(group: Cgroup) -> dict[str, str]:
    return {
        file.name: file.read_text() for folder in group.folders for file in Path(folder).iterdir()
    }


SWAP = {"cgroup-v2": "memory.swap.max", "cgroup-v1": "memory.memsw.limit_in_bytes"}


@pytest.mark.parametrize(
    ("version", "has_swap", "expected"),
    [
        (v2, True, {"memory.max": str(2**28), "memory.swap.max": "0"}),
        (v1, False, {"memory.limit_in_bytes": str(2**28)}),
        (v1, True, dict.fromkeys(("memory.limit_in_bytes", SWAP["cgroup-v1"]), str(2**28))),
    ],
)
def test_swap_is_limited_with_the_memory(
    version: Callable[[Path], Home],
    has_swap: bool,
    expected: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Systems without swap lack this file."""
    home = version(tmp_path)
    mkdir = os.mkdir

    def make(folder: str) -> None:
        mkdir(folder)
        if has_swap and folder.startswith(home.folders["memory"]):
            Path(folder, SWAP[home.name]).touch()

    monkeypatch.setattr(cgroups.os, "mkdir", make)
    group = Cgroup(home)
    group.make(LIMITS)
    assert contents(group) == expected | {"pids.max": "50"}
    other = Cgroup(home)
    other.make(Limits())
    assert {name for name, text in contents(other).items() if text} == set()


def test_a_group_of_version_1_has_its_counters(tmp_path: Path) -> None:
    group = Cgroup(v1(tmp_path))
    group.make(Limits())
    at = {Path(folder).parent.name: Path(folder) for folder in group.folders}
    assert (group.cpu_seconds, group.oom_kills) == (None, 0)
    assert group.refused_forks == 0
    (at["cpuacct"] / "cpuacct.usage").write_text("1500000000\n")
    (at["memory"] / "memory.oom_control").write_text("oom_kill_disable 0\noom_kill 2\n")
    (at["pids"] / "pids.events").write_text("max 7\n")
    assert (group.oom_kills, group.refused_forks, group.cpu_seconds) == (2, 7, 1.5)
    state = at["freezer"] / "freezer.state"
    assert group.freeze()
    assert state.read_text() == "FROZEN"
    for text, is_frozen in (("FREEZING\n", False), ("FROZEN\n", True), ("THAWED\n", False)):
        state.write_text(text)
        assert group.is_frozen == is_frozen
    state.unlink()
    assert group.freeze(False)
    assert state.read_text() == "THAWED"


def test_without_a_freezer_nothing_is_frozen(tmp_path: Path) -> None:
    home = v1(tmp_path)
    group = Cgroup(Home(home.name, {"memory": home.folders["memory"], "pids": str(tmp_path)}))
    assert not group.freeze()
    assert group.cpu_seconds is None
    assert not Cgroup(home).freeze()  # its folder doesn't exist


@pytest.mark.parametrize("version", [v1, v2])
def test_without_cgroup_kill_each_process_is_killed(
    version: Callable[[Path], Home], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No new one can start meanwhile, and a frozen one is thawed, so that it dies."""
    killed: list[tuple[int, int]] = []

    def kill(pid: int, number: int) -> None:
        killed.append((pid, number))
        if pid == 4242:
            raise ProcessLookupError

    monkeypatch.setattr(cgroups.os, "kill", kill)
    group = Cgroup(version(tmp_path))
    group.make(Limits())
    at = {Path(folder).parent.name: Path(folder) for folder in group.folders}
    folder = at["pids"] if version is v1 else Path(group.folders[0])
    (folder / "cgroup.procs").write_text("4242\n4243\n")
    group.kill()
    assert killed == [(4242, signal.SIGKILL), (4243, signal.SIGKILL)]
    assert (folder / "pids.max").read_text() == "0"
    thawed = at["freezer"] / "freezer.state" if version is v1 else folder / "cgroup.freeze"
    assert thawed.read_text() == ("THAWED" if version is v1 else "0")


def test_version_2_kills_all_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(cgroups.os, "kill")
    group = Cgroup(v2(tmp_path))
    group.make(Limits())
    (folder,) = map(Path, group.folders)
    (folder / "cgroup.kill").touch()
    (folder / "cgroup.procs").write_text("4242\n")
    group.kill()
    assert (folder / "cgroup.kill").read_text() == "1"
    assert not (folder / "pids.max").exists()


def test_a_group_with_a_process_is_not_removed_but_the_others_are(tmp_path: Path) -> None:
    group = Cgroup(v1(tmp_path))
    group.make(Limits())
    full = Path(group.folders[0], "process")
    full.touch()
    assert not group.remove()
    assert [Path(folder).exists() for folder in group.folders] == [True, *[False] * 4]
    full.unlink()
    assert group.remove()


@needs_unified
def test_version_2_freezes_kills_and_counts() -> None:
    group = Cgroup(v2(unified()))
    group.make(Limits())
    code = "import os, sys\nos.fork() or os.setsid()\nwhile True: pass"
    join = f"echo 0 >{group.joining[0]}; exec {sys.executable} -ISc '{code}'"
    process = subprocess.Popen(["/bin/sh", "-c", join])
    try:
        end = time.monotonic() + 10
        while (group.cpu_seconds or 0) < 0.02:
            assert time.monotonic() < end
        assert group.freeze()
        events = f"{group.folders[0]}/cgroup.events"
        while "frozen 1" not in Path(events).read_text():
            assert time.monotonic() < end
        used = group.cpu_seconds
        assert not select_for(0.02)
        assert group.cpu_seconds == used
        group.kill()  # while it's still frozen
        process.wait(10)
        while not group.remove():
            assert time.monotonic() < end
        assert stat_fields(process.pid) == []
    finally:
        process.kill()
        process.wait()
    assert not any(os.path.exists(folder) for folder in group.folders)


def select_for(seconds: float) -> bool:
    """Spin until this thread has used `seconds` of CPU time, so that others could run.

    Returns False.
    """
    begin = time.thread_time()
    while time.thread_time() - begin < seconds:
        pass
    return False


def test_a_group_that_is_gone_can_be_removed(tmp_path: Path) -> None:
    group = Cgroup(v2(tmp_path))
    assert group.remove()
    assert cgroups.remove(str(tmp_path / "none"))
