"""Bots without a process: Python objects that receive lines and return a line."""

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
    """A Python object that plays. If it is deterministic, so are its matches.

    Only `reply` is required. An object may also have the following methods and attributes:

    - `notify(lines)` is called with the last lines of a match, which contain no request.
    - `attach_view(view)` is called before a match, with a function that returns the seat's view
      (`Match.view`).
    - `attach_clock(clock)` is called with a `CpuClock`. The object must then do its work in a
      `with` block of this clock.
    - `takes_messages`: True if it accepts messages as dicts in place of lines, which saves encoding
      and decoding them. It then only gets the types of news in `hears`, or all if `hears` is None.
    """

    def reply(self, lines: Sequence[bytes]) -> Answer:
        """Return the reply to the request in the last line.

        An exception means that this object has a bug. This is not a fault in the sense of the
        protocol, and the match ends with a `BotError`. Raise `OverLimitError` to be disqualified
        instead.

        Args:
            lines: all new lines, without line ends.
        """


class InProcessBot(NoProcess):
    """A Python object as a `Bot`. There's no clock, unless the object supports `CpuClock`.

    Args:
        name: its name in a `BotError`; empty: the name of its class.

    Attributes:
        takes_messages: True if it accepts messages as dicts in place of lines.
        hears: the types of news that it then receives; None for all.
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
        """Pass a clock for the next match, if the object supports it."""
        if (take := getattr(self._player, "attach_clock", None)) is not None:
            take(CpuClock(limits))

    def reword(self, note: str) -> str:
        """Reword a note of the game (`GameDefinition.notes`) for bots that are Python objects."""
        return getattr(self._player, "reword", str)(note)

    def push(self, lines: bytes) -> None:
        self._lines += split_lines(lines)

    async def reply(self, deadline: float) -> Answer:
        return self.quick_reply(0)

    def quick_reply(self, seconds: float) -> Answer:
        """Return the reply. Blocks for as long as the object takes, and ignores `seconds`."""
        lines, self._lines = self._lines, []
        return self.answer(lines)

    def answer(self, lines: Sequence[Any]) -> Answer:
        """Return the reply to lines (without line ends) or messages. The last is the request."""
        if self._killed:
            return Failure(Disqualification.EXITED, "it has left a match before")
        try:
            answer = self._player.reply(lines)
        except OverLimitError as error:
            return Failure(error.code, str(error))
        except BaseException:
            # It would be nicer to put the whole call into this block, but entering a context
            # manager takes about as long as a simple bot takes to reply.
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
        """Pass on the last lines (without line ends) or messages, which don't need a reply."""
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
