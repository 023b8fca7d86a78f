"""Lets tests import what is in `support` and `generators`, also when only one folder is run."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

for folder in ("support", "generators"):
    sys.path.insert(0, str(Path(__file__).parent / folder))


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: some tests wait for a bot's time to be over."""
    return (os.cpu_count() or 1) + 1


# The tests start some thousand processes; each would compile all that it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# rustup puts its programs there, and only a login shell looks for them there.
os.environ["PATH"] += os.pathsep + str(Path.home() / ".cargo" / "bin")

# What is ignored here, as in a shell's background job or under nohup, is ignored in every process
# that is started, and the tests interrupt some. Handlers are not inherited.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)
