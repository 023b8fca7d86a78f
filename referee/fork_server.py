"""Hides tracebacks in the process from which `referee.workers` forks the workers.

When the system is short of processes or memory, that process can't fork and exits. Python would
print a traceback, which doesn't help anybody, because our main process notices that the fork server
is gone, and reports the shortage in one line.
"""

from __future__ import annotations

import sys
from types import TracebackType


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not isinstance(error, OSError | EOFError):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _report
