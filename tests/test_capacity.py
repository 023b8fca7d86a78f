"""How many cores the referee may use."""

from __future__ import annotations

import errno
import math
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee import capacity
from referee.bots.processes import cgroups
from referee.capacity import check_descriptors, cores, shares
from referee.errors import ShortageError


@pytest.mark.parametrize(
    ("quota", "count"), [(math.inf, 8), (99, 8), (8, 8), (2.5, 2), (1.5, 1), (0.5, 1), (0.01, 1)]
)
def test_a_part_of_a_core_is_none(
    quota: float, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    monkeypatch.setattr(cgroups, "cpu_quota", lambda: quota)
    assert cores() == count


@pytest.mark.parametrize(("count", "found"), [(4, 4), (None, 1)])
def test_a_system_without_affinity_has_the_cores_of_the_machine(
    count: int | None, found: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: count)
    assert cores() == found


@pytest.mark.parametrize(
    ("jobs", "expected"),
    [
        (1, [{0, 1, 2, 3, 8, 9, 10, 11}]),
        (2, [{0, 8, 1, 9}, {2, 10, 3, 11}]),
        (3, [{0, 8}, {1, 9}, {2, 10}]),
        (4, [{0, 8}, {1, 9}, {2, 10}, {3, 11}]),
        (5, [{0}, {8}, {1}, {9}, {2}]),
        (8, [{0}, {8}, {1}, {9}, {2}, {10}, {3}, {11}]),
        (9, []),
    ],
)
def test_jobs_share_the_cores(
    jobs: int, expected: list[set[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine has four cores with two threads each. CPUs 0 and 8 share the first core."""
    cpus = {0, 1, 2, 3, 8, 9, 10, 11}
    monkeypatch.setattr(os, "sched_setaffinity", None, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: cpus, raising=False)
    monkeypatch.setattr("referee.capacity._core_of", lambda cpu: (cpu % 8, cpu))
    assert shares(jobs) == expected


@pytest.mark.parametrize(("siblings", "core"), [("2-3\n", 2), ("1,9\n", 1), ("5\n", 5), ("", 7)])
def test_the_core_of_a_cpu_is_the_first_of_its_threads(
    siblings: str, core: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the system doesn't say, each CPU is a core."""
    file = tmp_path / "thread_siblings_list"
    file.write_text(siblings)
    monkeypatch.setattr(capacity, "open", lambda path: file.open(), raising=False)
    assert capacity._core_of(7) == (core, 7)


@pytest.mark.parametrize(("free", "is_enough"), [(48, True), (47, False)])
def test_a_match_needs_so_many_descriptors(
    free: int, is_enough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that were opened to find out are closed."""
    opened = list[int]()

    def limited(path: str, flags: int) -> int:
        if len(opened) == free:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        opened.append(len(opened))
        return opened[-1]

    closed = list[int]()
    monkeypatch.setattr(
        capacity, "os", SimpleNamespace(**vars(os) | {"open": limited, "close": closed.append})
    )
    if is_enough:
        check_descriptors()
    else:
        with pytest.raises(ShortageError, match="a match needs 48 file descriptors"):
            check_descriptors()
    assert closed == opened
