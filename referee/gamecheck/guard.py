"""Calls a game's code so that a mistake in it is reported, and doesn't end the check."""

from __future__ import annotations

import io
import pickle
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from typing import Any, TypeVar

from referee.errors import GameError, UsageError
from referee.gamecheck.findings import Findings, lines_in_traceback, locate_in_stack, shortened
from referee.games.interface.blaming import GameTimeoutError, in_time
from referee.games.small.author import MistakeError
from referee.games.small.machine import SmallGame
from referee.interrupts import may_be_signal

T = TypeVar("T")
_MOST_LINES = 8
_DRAWS = ("random", "choice", "choices", "shuffle", "sample", "randint", "randrange", "uniform")


class GameStoppedError(Exception):
    """A call to the game failed, so the match can't continue. The mistake was already reported."""


class Guard:
    """Calls the code of a game, and adds a finding if the call fails.

    Args:
        seconds: the time limit for each call, in case the game never returns.
        on_call: called after each call with `spent`.

    Attributes:
        spent: what was called -> the seconds that this has taken.
    """

    def __init__(
        self,
        findings: Findings,
        seconds: float,
        on_call: Callable[[Mapping[str, float]], None] = lambda spent: None,
    ) -> None:
        self._findings, self._seconds, self._on_call = findings, seconds, on_call
        self.spent: dict[str, float] = {}

    def __call__(self, what: str, call: Callable[[], T]) -> T:
        """Return the result of `call`.

        Args:
            what: how to refer to the call in a finding, e.g. "advance".

        Raises:
            GameStoppedError: the call raised an exception or took too long.
            UsageError: the game doesn't support this call.
        """
        begun = time.monotonic()
        try:
            with in_time(self._seconds):
                return call()
        except GameTimeoutError as error:
            text = f"takes more than {self._seconds:g} seconds: end its loops, and wait for nothing"
            self._add("hangs", what, text, error)
        except UsageError:
            raise
        except MistakeError as error:
            self._findings.add("data", error.problem, shortened(error.where))
        except BaseException as error:
            if may_be_signal(error):
                raise
            own = error.__cause__ if isinstance(error, GameError) else None
            raised = error if own is None else own
            said = " ".join(str(raised).split())
            text = f"raised {type(raised).__name__}{': ' * bool(said)}{said}: correct this line"
            self._add("raises", what, text, raised)
        finally:
            what = what.partition("(")[0]
            self.spent[what] = self.spent.get(what, 0.0) + time.monotonic() - begun
            self._on_call(self.spent)
        raise GameStoppedError

    def _add(self, kind: str, what: str, text: str, error: BaseException) -> None:
        lines = lines_in_traceback(error.__traceback__)
        where, function = lines[-1] if lines else ("", what)
        # The innermost line is in front of the text. A recursion has a thousand lines.
        trace = [f"{line} in {name}" for line, name in lines[:-1]][-_MOST_LINES:]
        self._findings.add(kind, f"{function} {text}", where, trace=trace)


@contextmanager
def watching(findings: Findings) -> Iterator[None]:
    """Report it if the game prints anything or uses the module `random` inside the `with` block.

    We replace the functions of `random` in the whole process. Since libraries may call them, too,
    we look at the stack to see if the call comes from the game.
    """
    draws = {name: getattr(random, name) for name in _DRAWS}
    for name, draw in draws.items():
        setattr(random, name, _watched(findings, name, draw))
    try:
        with redirect_stdout(_Output(findings)), redirect_stderr(_Output(findings)):
            yield
    finally:
        for name, draw in draws.items():
            setattr(random, name, draw)


def compare_calls(match: SmallGame, findings: Findings) -> None:
    """From now on, report it if a game changes in a call that must not change it.

    Two calls may return the same although the first one has changed the game. Therefore we compare
    the attributes that `start` has set. Any other one may be a cache.
    """
    game = match.game
    for name in ("legal", "view", "scores", "accepts"):
        setattr(game, name, partial(_compared, findings, match, getattr(game, name)))


def _compared(findings: Findings, match: SmallGame, method: Callable[..., T], *args: Any) -> T:
    game = match.game
    before = {name: _pickled(vars(game).get(name)) for name in match.set_by_start}
    result = method(*args)
    for name, data in before.items():
        if data != _pickled(vars(game).get(name)):
            code = method.__code__
            text = f"{code.co_name} changes self.{name}: it must change nothing"
            findings.add("changes", text, shortened(f"{code.co_filename}:{code.co_firstlineno}"))
    return result


def _pickled(value: Any) -> bytes:
    try:
        return pickle.dumps(value)
    except Exception:  # some values can't be pickled, and so we can't compare them
        return b""


def _watched(findings: Findings, name: str, draw: Callable[..., Any]) -> Callable[..., Any]:
    def watched(*args: Any, **kwargs: Any) -> Any:
        where = locate_in_stack(sys._getframe(1))
        if where:
            text = (
                f"random.{name} is not the chance of the match, so a match cannot be played again: "
                "draw from the game's chance"
            )
            findings.add("random", text, where)
        return draw(*args, **kwargs)

    return watched


class _Output(io.TextIOBase):
    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def write(self, text: str) -> int:
        where = locate_in_stack(sys._getframe(1))
        said = "it prints, and the output of the referee is for results: remove the print"
        self._findings.add("prints", said, where)
        return len(text)
