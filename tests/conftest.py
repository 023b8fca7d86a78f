"""What holds for all tests."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support import surroundings  # noqa: F401 (signals and variables of the processes)

# No test is about time: how long an example takes says how busy the machine is.
settings.register_profile(
    "untimed",
    deadline=None,
    max_examples=25 * int(os.environ.get("REFEREE_TEST_TIMES", "1")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("untimed")


def pytest_xdist_auto_num_workers() -> int:
    """Two processes for each core: many tests wait for other processes."""
    return 2 * (os.cpu_count() or 1)


# pytest compiles each module of tests once more, with its assertions rewritten, and that takes
# three times as long as to load it: no process need repeat what another did.
sys.dont_write_bytecode = False


def pytest_collection(session: pytest.Session) -> None:
    """Load a part of all modules: each process compiles others, and finds what they compiled."""
    config = session.config
    if hasattr(config, "workerinput") and config.args_source is config.ArgsSource.TESTPATHS:
        number = int(config.workerinput["workerid"].removeprefix("gw"))
        modules = sorted(Path("tests").rglob("test_*.py"))
        for path in modules[number :: config.workerinput["workercount"]]:
            # What is wrong with one is shown when it is collected.
            with contextlib.suppress(Exception, pytest.skip.Exception):
                importlib.import_module(".".join(path.with_suffix("").parts))


# To collect the tests makes half a million objects that stay, in each process: not to look for
# garbage among them saves a fifth of that time, and later some in every collection of garbage.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Trace no test that is marked `untraced`; with xdist, pytest-cov's `no_cover` does nothing."""
    if item.get_closest_marker("untraced") is None:
        return (yield)
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)
