"""How many cores the referee may use."""

from __future__ import annotations

import math
import os

import pytest

from referee.bots.processes import cgroups
from referee.capacity import cores


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
