"""What processes that a test or a tool starts find around them: import it, and it holds."""

from __future__ import annotations

import os
import signal
from pathlib import Path

# A sandbox costs some milliseconds a bot: those that are about it ask for it.
os.environ["REFEREE_SANDBOX"] = "none"

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
