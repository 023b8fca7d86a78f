"""Settings and hooks for all tests."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import resource
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.support import surroundings  # noqa: F401 (signals and variables of the processes)

# Hypothesis gets no deadline, because how long an example takes depends on how busy the machine is.
settings.register_profile(
    "untimed",
    deadline=None,
    max_examples=25 * int(os.environ.get("REFEREE_TEST_TIMES", "1")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("untimed")
# Hypothesis would look for constants in all modules of `referee`, in each process, which takes as
# long as importing them. Without them, an edit of the product doesn't change what a test tries.
providers.is_local_module_file = lambda path: False  # type: ignore[attr-defined]


def pytest_xdist_auto_num_workers() -> int:
    """Use one process more than there are cores, because many tests wait for other processes."""
    return 1 + (os.cpu_count() or 1)


# pytest compiles each test module with rewritten assertions, which takes three times as long as
# loading it. We write the byte code to disk so that only one process has to do this.
sys.dont_write_bytecode = False


def pytest_collection(session: pytest.Session) -> None:
    """Load a share of the modules, so that the processes don't all compile the same ones."""
    config = session.config
    if hasattr(config, "workerinput") and config.args_source is config.ArgsSource.TESTPATHS:
        number = int(config.workerinput["workerid"].removeprefix("gw"))
        modules = sorted(Path("tests").rglob("test_*.py"))
        for path in modules[number :: config.workerinput["workercount"]]:
            # Errors in a module are shown when pytest collects it.
            with contextlib.suppress(Exception, pytest.skip.Exception):
                importlib.import_module(".".join(path.with_suffix("").parts))


# When pytest collects the tests, it creates half a million objects in each process, and they all
# stay alive. Turning off garbage collection until then saves a fifth of the time. Freezing the
# objects afterwards makes garbage collection faster for the rest of the run.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Don't trace tests marked `untraced`. Under xdist, `no_cover` of pytest-cov has no effect."""
    if item.get_closest_marker("untraced") is None:
        return (yield)
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


# --- What each test costs -------------------------------------------------------------------------

CPU_LIMIT = 0.15
"""CPU seconds that a test of README's command may use, with the processes that it starts."""
REPRESENTATIVES = Path(__file__).with_name("representatives.txt").read_text().splitlines()
"""The tests that may use more: at most 30, whole matches of each kind through the real command."""
assert len(REPRESENTATIVES) <= 30

_before = pytest.StashKey[float]()


def cpu_seconds() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--dearest", type=int, default=0, help="show the N tests that use most CPU")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    item.stash[_before] = cpu_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        report.user_properties.append(("cpu", cpu_seconds() - item.stash[_before]))
    return report


class Costs:
    """Names tests when they fail, and at the end those that use more CPU than they may."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.costs: list[tuple[float, str]] = []
        self.too_dear: list[tuple[float, str]] = []

    @property
    def terminal(self) -> Any:
        return self.config.pluginmanager.get_plugin("terminalreporter")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.terminal.write_line(f"\nFAILED {report.nodeid}", red=True)
        cost = dict(report.user_properties).get("cpu")
        if report.when == "teardown" and isinstance(cost, float):
            self.costs.append((cost, report.nodeid))
            may_be_dear = {"slow", "extras", "all_cases"} & report.keywords.keys()
            if cost > CPU_LIMIT and not may_be_dear and report.nodeid not in REPRESENTATIVES:
                self.too_dear.append((cost, report.nodeid))

    def pytest_terminal_summary(self) -> None:
        dearest: int = self.config.getoption("--dearest")
        self.show(f"more than {CPU_LIMIT} s of CPU", self.too_dear)
        self.show("most CPU", sorted(self.costs, reverse=True)[:dearest])

    def show(self, title: str, costs: list[tuple[float, str]]) -> None:
        if costs:
            total = sum(cost for cost, _ in costs)
            self.terminal.section(f"{len(costs)} tests with {title}, {total:.0f} s together")
        for cost, test in sorted(costs, reverse=True):
            self.terminal.write_line(f"{cost:7.2f} s  {test}")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Costs(config), "costs")
