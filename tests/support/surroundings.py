"""Importing this module sets up the environment that tests and tools pass to child processes."""

from __future__ import annotations

import os
import signal
from pathlib import Path

# Sandboxes take some milliseconds per bot, and we start thousands of bots. Tests of the sandbox
# switch it on again.
os.environ["REFEREE_SANDBOX"] = "none"

# If this is set, every one of thousands of processes compiles its imports again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# rustup installs its programs there, but only a login shell has the folder on its PATH.
os.environ["PATH"] += os.pathsep + str(Path.home() / ".cargo" / "bin")

# In a background job of a shell, and under nohup, SIGINT is ignored, and child processes inherit
# that. But some tests interrupt them. Handlers aren't inherited, so this is safe.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)
