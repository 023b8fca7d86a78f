"""Runs in the process from which workers are forked, and suppresses tracebacks of shortages.

If that process can't fork, it exits, and Python would print a traceback. The program notices the
exit in any case, and reports the shortage in one line. Only `referee.workers` refers to this
module.
"""

from __future__ import annotations

import sys
from types import TracebackType


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not isinstance(error, OSError | EOFError):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _report
