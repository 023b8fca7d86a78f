"""Runs bots that are Python objects in the referee's own process."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from msgspec import Struct

from referee.bots.bot import Answer, Failure, NoProcess, as_line, split_lines
from referee.bots.cpu_clock import CpuClock
from referee.errors import BotError
from referee.games.interface.faults import Disqualification, OverLimitError
from referee.match.decode import is_blank
from referee.match.limits import Limits


class BotObject(Protocol):
    """A bot that is a Python object in the referee's own process.

    If all bots of a match are objects and deterministic, so is the match. Only `reply` is required,
    but an object may also have these methods and attributes:

    - `notify(lines)` is called at the end of a match, with the lines after the last request.
    - `attach_view(view)` is called before a match. Its argument is a function that returns the
      current view of the seat (`Match.view`).
    - `attach_clock(clock)` is called before a match with a `CpuClock`. The object must then do all
      of its work in `with` blocks of this clock.
    - `takes_messages` is True if the object accepts messages as dicts in place of lines. We then
      don't have to encode and decode them.
    - `hears` lists the types of news that such an object gets. If this is None, the object gets all
      of them.
    """

    def reply(self, lines: Sequence[bytes]) -> Answer:
        """Return the reply to the request in the last line.

        If this raises an exception, that's a bug in your object: nobody is disqualified, and the
        match ends with a `BotError`. Raise `OverLimitError` if you want to be disqualified instead.

        Args:
            lines: all lines since the last request, without newlines.
        """


class InProcessBot(NoProcess):
    """Makes a `Bot` out of a Python object.

    Its time isn't limited, unless the object supports `CpuClock`.

    Args:
        name: shown in a `BotError`. The default is the name of the object's class.

    Attributes:
        takes_messages: True if the object accepts messages as dicts in place of lines.
        hears: if it accepts dicts, the types of news that it wants, or None for all.
    """

    def __init__(self, player: BotObject, name: str = "") -> None:
        self._player = player
        self._name = name or type(player).__name__
        self.takes_messages: bool = getattr(player, "takes_messages", False)
        self.hears: Collection[str] | None = getattr(player, "hears", None)
        self._lines: list[bytes] = []
        self._killed = False

    def attach_view(self, view: Callable[[], Struct | None]) -> None:
        """Pass the function that returns the seat's view, if the object supports it."""
        if (take := getattr(self._player, "attach_view", None)) is not None:
            with as_bot_errors(self._name):
                take(view)

    def attach_limits(self, limits: Limits) -> None:
        """Give the object a CPU clock for the next match, if it supports one."""
        if (take := getattr(self._player, "attach_clock", None)) is not None:
            take(CpuClock(limits))

    def reword(self, note: str) -> str:
        """Let the object reword a hint for its author. Rule files add advice here.

        The hint is one of the game's notes (`GameDefinition.notes`).
        """
        return getattr(self._player, "reword", str)(note)

    def push(self, lines: bytes) -> None:
        self._lines += split_lines(lines)

    async def reply(self, deadline: float) -> Answer:
        return self.quick_reply(0)

    def quick_reply(self, seconds: float) -> Answer:
        """Return the reply. `seconds` has no effect, because we can't interrupt the object."""
        lines, self._lines = self._lines, []
        return self.answer(lines)

    def answer(self, lines: Sequence[Any]) -> Answer:
        """Return the object's reply to the last line or message, which must be a request.

        Lines are passed without their newlines. You may only pass messages if the object takes
        them.
        """
        if self._killed:
            return Failure(Disqualification.EXITED, "it has left a match before")
        try:
            answer = self._player.reply(lines)
        except OverLimitError as error:
            return Failure(error.code, str(error))
        except BaseException:
            # It would be simpler to always use a `with` block here, but entering a context manager
            # takes about as long as a simple bot takes to reply.
            with as_bot_errors(self._name):
                raise
        if isinstance(answer, bytes):
            is_line = b"\n" not in answer and (answer[:1] == b"{" or not is_blank(answer))
            return answer if is_line else as_line(answer)
        if isinstance(answer, Failure):
            return answer
        kind = type(answer).__name__
        raise BotError(f"the bot {self._name} replied with {kind}; its reply has to be bytes")

    async def finish(self, grace: float) -> None:
        lines, self._lines = self._lines, []
        self.hear_the_rest(lines)

    def hear_the_rest(self, lines: Sequence[Any]) -> None:
        """Pass on the lines or messages at the end of a match, which don't need a reply."""
        notify = getattr(self._player, "notify", None)
        if notify is not None and lines and not self._killed:
            with as_bot_errors(self._name):
                notify(lines)

    async def kill(self) -> None:
        self._killed = True


@contextmanager
def as_bot_errors(name: str) -> Iterator[None]:
    """Convert exceptions of a bot in this block to `BotError`.

    This includes SystemExit, so that a bot that calls `sys.exit()` doesn't end the whole program.
    """
    try:
        yield
    except BotError:
        raise
    except (Exception, SystemExit) as error:
        text = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise BotError(f"the bot {name} raised {text}") from error
