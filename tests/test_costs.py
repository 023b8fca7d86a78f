"""The plugin that names the tests that use too much CPU."""

from __future__ import annotations

import pytest

from tests.support.costs import CPU_LIMIT, REPRESENTATIVES, Costs, cpu_seconds


class Terminal:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def write_line(self, line: str, **_: object) -> None:
        self.lines.append(line)

    def section(self, title: str) -> None:
        self.lines.append(title)


def report(test: str, cost: float, *marks: str, failed: bool = False) -> pytest.TestReport:
    place = ("tests/test_a.py", 1, test)
    outcome = "failed" if failed else "passed"
    made = pytest.TestReport(test, place, dict.fromkeys(marks, True), outcome, None, "call")  # type: ignore[arg-type]
    made.user_properties.append(("cpu", cost))
    return made


def shown(*reports: pytest.TestReport, dearest: int = 0) -> list[str]:
    terminal = Terminal()
    costs = Costs(terminal, dearest)
    for each in reports:
        costs.pytest_runtest_logreport(each)
    costs.pytest_terminal_summary()
    return terminal.lines


def test_what_is_above_the_limit_is_named_dearest_first() -> None:
    found = shown(report("a", CPU_LIMIT), report("b", 0.151), report("c", 2, "slow"))
    assert found == ["1 tests with more than 0.15 s of CPU, 0 s together", "   0.15 s  b"]
    found = shown(report("a", 0.2), report("b", 0.3))
    assert found[1:] == ["   0.30 s  b", "   0.20 s  a"]


@pytest.mark.parametrize("mark", ["slow", "extras", "all_cases"])
def test_marked_tests_and_representatives_may_be_dear(mark: str) -> None:
    assert shown(report("a", 9.0, mark), report(REPRESENTATIVES[0], 9.0)) == []
    assert shown(report("a", 9.0, "untraced"))


def test_the_dearest_are_shown_if_asked_for() -> None:
    found = shown(*(report(str(n), n / 100) for n in range(4)), dearest=2)
    assert found == ["2 tests with most CPU, 0 s together", "   0.03 s  3", "   0.02 s  2"]


def test_a_test_is_named_as_it_fails() -> None:
    assert shown(report("a", 0.0, failed=True)) == ["\nFAILED a"]


def test_processes_count_that_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        ru_utime, ru_stime = 2.0, 0.5

    monkeypatch.setattr("resource.getrusage", lambda who: Usage)
    assert cpu_seconds() == 5
