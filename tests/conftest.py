"""Lets the tests of a folder import `helpers`, also when only that folder is run."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

# A shell's background jobs ignore Ctrl-C, and so would the processes that the tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
