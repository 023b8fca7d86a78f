"""The options that a match is played with, as several commands take them."""

from __future__ import annotations

import argparse
from typing import Any

from referee.cli.arguments import count, grace, seconds
from referee.errors import UsageError
from referee.games import GAMES
from referee.options import Limits

DEFAULT_GAME = "dominion"
GAME_HELP = f"the game: {', '.join(GAMES)} ({DEFAULT_GAME})"
_FLAGS = {
    "time_limit": (seconds, "S", "one reply"),
    "startup_limit": (seconds, "S", "handshake"),
    "grace": (grace, "S", "to exit after game-end"),
    "max_turns": (count, "N", "turns a player, as --set max_turns=N"),
    "line_limit": (count, "BYTES", "longest line"),
    "queue_limit": (count, "BYTES", "most output that may wait unasked for"),
}


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the limits of a bot and the game's own options."""
    add = parser.add_argument
    defaults = Limits()._asdict()
    for name, (kind, metavar, text) in _FLAGS.items():
        default = f" ({_number(defaults[name])})" if name in defaults else ""
        add(_flag(name), type=kind, metavar=metavar, help=text + default)
    own = "an option of the game's own; may be given more than once"
    add("--set", action="append", default=[], metavar="NAME=VALUE", help=own)


def chosen_settings(options: argparse.Namespace) -> dict[str, Any]:
    """What was chosen on the command line: name -> value.

    Raises:
        UsageError: what `--set` has is no NAME=VALUE.
    """
    chosen: dict[str, Any] = {}
    for text in options.set:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"--set {text!r}: give NAME=VALUE")
        chosen[name] = value
    for name in _FLAGS:
        value = getattr(options, name)
        if value is not None:
            chosen[name] = value
    return chosen


def settings_as_words(options: argparse.Namespace) -> list[str]:
    """What was chosen, as words of a command line."""
    words = []
    for text in options.set:
        words += ["--set", text]
    defaults = Limits()._asdict()
    for name in _FLAGS:
        value = getattr(options, name)
        if value not in (None, defaults.get(name)):
            words += [_flag(name), _number(value)]
    return words


def _number(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
