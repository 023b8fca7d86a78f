"""Calls what explains a bot's mistakes, so that a bug in it never costs a result.

This is the only place where an explanation may fail. Its modules are imported here and not before,
because one that can't be imported must not cost a result either.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
_PACKAGE = Path(__file__).parent


def attempt(explain: Callable[[], T], otherwise: Callable[[str], T]) -> T:
    """Return an explanation, or `otherwise` of a sentence about the bug that prevented it."""
    try:
        return explain()
    except Exception as error:
        return otherwise(_bug(error))


def sentence(name: str, *args: Any) -> str:
    """Call a function of `referee.diagnosis` that returns a text, such as "lines.quoted"."""
    return attempt(lambda: str(_function(name)(*args)), str)


def sentences(name: str, *args: Any) -> list[str]:
    """Call a function of `referee.diagnosis` that returns a list of texts."""
    return attempt(lambda: list(_function(name)(*args)), lambda bug: [bug])


def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(".")
    found: Callable[..., Any] = getattr(import_module(f"referee.diagnosis.{module}"), function)
    return found


def _bug(error: Exception) -> str:
    cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
    if isinstance(cause, SyntaxError) and cause.filename:
        file, line = cause.filename, cause.lineno
    else:
        frame = traceback.extract_tb(cause.__traceback__)[-1]
        file, line = frame.filename, frame.lineno
    path = Path(file)
    if path.is_relative_to(_PACKAGE):
        path = path.relative_to(_PACKAGE.parent)
    where = f"{type(cause).__name__} in {path}, line {line}"
    return f"the cause could not be worked out; this is a bug in the referee ({where})"
