"""The CPU seconds of each test, and which tests use more than they may."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import pytest

CPU_LIMIT = 0.15
"""CPU seconds that a test of README's command may use, with the processes that it starts."""
REPRESENTATIVES = Path(__file__).parents[1].joinpath("representatives.txt").read_text().splitlines()
"""The tests that may use more: at most 30, whole matches of each kind through the real command."""
assert len(REPRESENTATIVES) <= 30


def cpu_seconds() -> float:
    """Return what this process has used, with the processes that it has started and awaited."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class Costs:
    """A pytest plugin that names tests when they fail, and at the end those that use much CPU."""

    def __init__(self, terminal: Any, dearest: int) -> None:
        self._terminal = terminal
        self._dearest = dearest
        self._all: list[tuple[float, str]] = []
        self._too_dear: list[tuple[float, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._terminal.write_line(f"\nFAILED {report.nodeid}", red=True)
        cost = dict(report.user_properties).get("cpu")
        if isinstance(cost, float):
            self._all.append((cost, report.nodeid))
            may_be_dear = {"slow", "extras", "all_cases"} & report.keywords.keys()
            if cost > CPU_LIMIT and not may_be_dear and report.nodeid not in REPRESENTATIVES:
                self._too_dear.append((cost, report.nodeid))

    def pytest_terminal_summary(self) -> None:
        self._show(f"more than {CPU_LIMIT} s of CPU", self._too_dear)
        self._show("most CPU", sorted(self._all, reverse=True)[: self._dearest])

    def _show(self, title: str, costs: list[tuple[float, str]]) -> None:
        if costs:
            total = sum(cost for cost, _ in costs)
            self._terminal.section(f"{len(costs)} tests with {title}, {total:.0f} s together")
        for cost, test in sorted(costs, reverse=True):
            self._terminal.write_line(f"{cost:7.2f} s  {test}")
