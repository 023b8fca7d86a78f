"""The environment of processes that a test or a tool starts. Importing this module sets it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

# A sandbox takes some milliseconds per bot, so only tests of the sandbox use one.
os.environ["REFEREE_SANDBOX"] = "none"

# The tests start thousands of processes, which would all compile their imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# rustup installs its programs there, and only a login shell adds the folder.
os.environ["PATH"] += os.pathsep + str(Path.home() / ".cargo" / "bin")

# Child processes inherit an ignored SIGINT, as in a shell's background job or under nohup, but some
# tests interrupt them. They do not inherit handlers.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)
