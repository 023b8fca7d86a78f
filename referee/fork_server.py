"""Loaded in the process from which workers are forked: it prints no traceback of a shortage.

If this process cannot fork, it ends. The program notices that, and reports the shortage in one
line. Only `referee.workers` names this module.
"""

from __future__ import annotations

import sys
from types import TracebackType


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not isinstance(error, OSError | EOFError):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _report
