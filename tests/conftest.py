"""Settings and hooks for all tests."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.support import surroundings  # noqa: F401 (signals and variables of the processes)
from tests.support.costs import Costs, cpu_seconds

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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--dearest", type=int, default=0, help="show the N tests that use most CPU")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run a test as pytest does, measure it, and report it once if nothing is wrong with it.

    pytest sends six messages for each test to the process that shows the results. That took a
    seventh of the CPU of the suite.
    """
    before = cpu_seconds()
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    cost = ("cpu", cpu_seconds() - before)
    for report in reports:
        if report.when == "call" or not report.passed:
            report.user_properties.append(cost)
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        terminal = config.pluginmanager.get_plugin("terminalreporter")
        config.pluginmanager.register(Costs(terminal, config.getoption("--dearest")), "costs")
