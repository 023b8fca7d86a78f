"""Converts the bots that a Python program passes to us (spec/python.md, 2)."""

from __future__ import annotations

import inspect
import os
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from referee.bots.bot import Answer
from referee.bots.bundled import bundled_bots
from referee.bots.command import BotAddress, BotCommand, BotSource, PythonBot, find_bot
from referee.bots.in_process import BotObject, InProcessBot, as_bot_errors
from referee.errors import BotError, UsageError

Message: TypeAlias = dict[str, Any]
BotFunction: TypeAlias = Callable[[Message], Mapping[str, object] | None]
"""A function that gets every message, and returns a reply to requests, otherwise None."""
BotLike: TypeAlias = (
    str
    | os.PathLike[str]
    | Sequence[str]
    | BotObject
    | BotFunction
    | Callable[[], BotObject | BotFunction]
    | BotSource
)
"""Anything that a program can pass as a bot."""

_KINDS = (
    "a string as `referee play` takes it, a path, a list of words, a function, a class, or an "
    "object with a method `reply`"
)


def bot_source(bot: BotLike, game: str) -> BotSource:
    """Convert a bot that a program passed, e.g. a function or a command line.

    Raises:
        UsageError: the value isn't a bot, or we can't run anything by this name.
    """
    if isinstance(bot, BotCommand | BotAddress | PythonBot):
        return bot
    if isinstance(bot, str):
        return find_bot(bot, game)
    if isinstance(bot, os.PathLike):
        path = os.fspath(bot)
        if isinstance(path, str):
            # `Path("random")` means a file, while "random" is a bundled bot. A path with a
            # directory in it is never taken for a name or an address.
            return find_bot(os.path.join(".", path), game)._replace(argument=path)
    elif isinstance(bot, list | tuple):
        if bot and all(isinstance(word, str) for word in bot):
            return find_bot(shlex.join(bot), game)
    elif callable(getattr(bot, "reply", None)) or callable(bot):
        return _python_bot(bot)
    raise UsageError(f"{_shown(bot)} is not a bot; a bot is {_KINDS}")


def bot_sources(bots: Sequence[BotLike], game: str) -> list[BotSource]:
    """Convert all bots of a match with `bot_source`.

    Raises:
        UsageError: see `bot_source`. It's also raised if an object is in two seats, because it
            would get the messages of both seats and mix them up.
    """
    sources = [bot_source(bot, game) for bot in bots]
    for number, bot in enumerate(bots):
        has_state = hasattr(bot, "reply") and not isinstance(bot, type)
        if has_state and any(bot is other for other in bots[:number]):
            raise UsageError(
                f"the same {type(bot).__name__} object sits in two seats: give its class, or two"
            )
    return sources


def bundled_here(bot: BotLike, game: str) -> PythonBot | None:
    """Return a bundled bot that runs in this process, or None for other bots and for dialects."""
    file = bundled_bots(game).get(bot) if isinstance(bot, str) else None
    kind = None if file is None else bundled_class(file)
    return None if kind is None else PythonBot(str(bot), lambda: _new_bot(kind, str(bot)))


@cache
def bundled_class(file: Path) -> Callable[[], BotFunction] | None:
    """Load a bundled bot's file and return its class `Bot`, or None if it doesn't have one.

    The class is cached, but you need a new instance for each match.
    """
    space: dict[str, Any] = {"__name__": file.stem}
    exec(compile(file.read_bytes(), file, "exec"), space)
    return space.get("Bot")


def _python_bot(bot: Any) -> PythonBot:
    function = bot.func if isinstance(bot, partial) else bot
    name = getattr(function, "__name__", None)
    name = name.strip("<>") if isinstance(name, str) else type(function).__name__
    if not isinstance(function, type) and callable(getattr(bot, "reply", None)):
        return PythonBot(name, lambda: InProcessBot(bot, name))
    if inspect.iscoroutinefunction(function):
        raise UsageError(f"{name} is an async function; a bot is called without await")
    if isinstance(function, type) or not _takes_message(bot):
        return PythonBot(name, lambda: _new_bot(bot, name))
    return PythonBot(name, lambda: InProcessBot(FunctionPlayer(bot, name), name))


def _new_bot(factory: Callable[[], Any], name: str) -> InProcessBot:
    with as_bot_errors(name):
        bot = factory()
    if callable(getattr(bot, "reply", None)):
        return InProcessBot(bot, name)
    if not callable(bot):
        raise UsageError(
            f"{name}() made {_shown(bot)}, which is not a bot: it does not have `reply`"
        )
    return InProcessBot(FunctionPlayer(bot, name), name)


def _takes_message(function: Callable[..., Any]) -> bool:
    # Some built-in functions have no signature, which raises ValueError. We accept these functions
    # without a check.
    try:
        inspect.signature(function).bind(None)
    except (
        TypeError,
        ValueError,
    ) as error:
        return isinstance(error, ValueError)
    return True


def _shown(value: object) -> str:
    if value is None:
        return "None"
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"


class FunctionPlayer:
    """A `BotObject` that calls a function with each message.

    The function doesn't have to know about the handshake. If it returns None for the
    `player-name-request`, we send the reply ourselves, with the bot's name. If the function has an
    attribute `hears`, we only call it with requests and with the types of news that this attribute
    lists, which saves most of the calls.
    """

    takes_messages = True

    def __init__(self, function: BotFunction, name: str) -> None:
        self._function = function
        self._name = name
        self.hears: Collection[str] | None = getattr(function, "hears", None)

    def reply(self, lines: Sequence[bytes | Message]) -> Answer:
        """Call the function with each message. Its result for the last one is the reply."""
        *news, last = lines
        if news:
            self.notify(news)
        asked = _message(last)
        reply = self._function(asked)
        if reply is None and asked["type"] == "player-name-request":
            number = asked["player_number"]
            reply = {"type": "player-name-reply", "player_number": number, "name": self._name}
        # isinstance() against an ABC is slow, and nearly every reply is a plain dict. That's why we
        # ask for a dict first.
        if type(reply) is not dict and not isinstance(reply, Mapping):
            raise BotError(f"{self._returned(reply, asked)}; return a dict for it")
        try:
            return msgspec.json.encode(dict(reply))
        except (TypeError, ValueError, RecursionError) as error:
            returned = self._returned(reply, asked)
            raise BotError(f"{returned}, which is not JSON: {error}") from error

    def notify(self, lines: Sequence[bytes | Message]) -> None:
        """Call the function with messages that don't need a reply. It must return None for them."""
        for line in lines:
            message = _message(line)
            reply = self._function(message)
            if reply is not None:
                returned = self._returned(reply, message)
                raise BotError(f"{returned}, which asks for nothing; return None for it")

    def _returned(self, reply: object, asked: Message) -> str:
        return f"the bot {self._name} returned {_shown(reply)} for {asked['type']!r}"


def _message(line: bytes | Message) -> Message:
    if isinstance(line, bytes):
        message: Message = msgspec.json.decode(line)
        return message
    return line
