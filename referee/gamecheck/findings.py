"""Collect the mistakes of a game, and find the lines of code where its author has to look."""

from __future__ import annotations

import inspect
import os
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from msgspec import Struct

from referee.games.small.machine import SmallGame

_REFEREE = str(Path(__file__).parents[1]) + os.sep
_GAMES = _REFEREE + "games" + os.sep
_SHARED = tuple(_GAMES + name + os.sep for name in ("interface", "small"))
_PYTHON = sysconfig.get_path("stdlib") + os.sep
_PACKAGES = sysconfig.get_path("purelib") + os.sep
_LIBRARIES = tuple(_PACKAGES + name + os.sep for name in ("msgspec", "numpy"))


# Authors of small games don't know our game interface. This maps each of its methods to the method
# in their class that's usually responsible.
_SMALL = {"advance": "apply", "take_events": "apply", "requests": "legal", "standings": "scores"}


class Finding(Struct, frozen=True):
    """A mistake, or a remark for the author.

    Attributes:
        kind: a short id, such as "prints".
        text: one line that says what's wrong and how to fix it.
        where: the line in the game's code, as "FILE:LINE", or "" if we don't know it.
        is_error: True if the game fails the check because of this.
        trace: the lines of the game that were running, as "FILE:LINE in FUNCTION", outermost first.
        at: the round of the match and the seats that decide in it, or "".
        seed: the match with this seed shows the mistake again, or None.
    """

    kind: str
    text: str
    where: str = ""
    is_error: bool = True
    trace: Sequence[str] = ()
    at: str = ""
    seed: int | None = None


class Findings:
    """The findings of a check. We report each kind only once for the same line of code.

    Attributes:
        at, seed: the place in the current match, for the next findings.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Finding] = {}
        self.at = ""
        self.seed: int | None = None

    def add(
        self,
        kind: str,
        text: str,
        where: str = "",
        *,
        is_error: bool = True,
        trace: Sequence[str] = (),
    ) -> None:
        """Add a finding, unless there's already one of this kind for the same line.

        Findings without a line are compared by their text instead.
        """
        found = Finding(kind, text, where, is_error, trace, self.at, self.seed)
        self._found.setdefault((kind, where or text), found)

    def has(self, kind: str) -> bool:
        """Return True if there's a finding of this kind."""
        return any(found == kind for found, _ in self._found)

    @property
    def all(self) -> list[Finding]:
        """The errors, followed by the remarks, in the order in which they were reported."""
        return sorted(self._found.values(), key=lambda finding: not finding.is_error)


def is_game_code(file: str) -> bool:
    """Return True if a file belongs to a game, and not to the referee, Python or a library."""
    if file.startswith(_REFEREE):
        return file.startswith(_GAMES) and not file.startswith(_SHARED)
    if file.startswith((*_LIBRARIES, "<")):
        return False
    return file.startswith(_PACKAGES) or not file.startswith(_PYTHON)


def lines_in_traceback(trace: TracebackType | None) -> list[tuple[str, str]]:
    """Return the lines of the game in a traceback with their functions, innermost last.

    The innermost line of the whole traceback often belongs to the referee or to a library, which
    doesn't help the author.
    """
    lines = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if is_game_code(code.co_filename):
            where = shortened(f"{code.co_filename}:{trace.tb_lineno}")
            lines.append((where, code.co_name.strip("<>")))
        trace = trace.tb_next
    return lines


def locate_in_stack(frame: FrameType | None) -> str:
    """Return the innermost line of the game's code on the stack, or "" if there isn't any."""
    while frame is not None:
        if is_game_code(frame.f_code.co_filename):
            return shortened(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        frame = frame.f_back
    return ""


def locate_method(game: Any, name: str) -> str:
    """Return the line where a method is defined, or "" if that isn't in the game's code."""
    small = isinstance(game, SmallGame)
    for kind in (type(game.game), type(game)) if small else (type(game),):
        named = _SMALL.get(name, name) if small else name
        method: Callable[..., Any] | None = getattr(kind, named, None)
        code = getattr(method, "__code__", None)
        if inspect.iscode(code) and is_game_code(code.co_filename):
            return shortened(f"{code.co_filename}:{code.co_firstlineno}")
    return ""


def shortened(where: str) -> str:
    """Make a path relative if it's inside the working directory."""
    return where.removeprefix(os.getcwd() + os.sep)
