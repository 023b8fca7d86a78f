"""The options that a match is played with, as several commands take them."""

from __future__ import annotations

import argparse
import math
import os
from typing import Any

from referee.cli.arguments import UNITS, count, grace, limit, or_none, seconds, size, variable
from referee.errors import UsageError
from referee.games import DEFAULT_GAME, GAMES
from referee.match.limits import OF_TOURNAMENTS, SANDBOXED, Limits
from referee.match.sandbox import CHOICES

SANDBOX = "REFEREE_SANDBOX"
"""The variable with the default of `--sandbox` for all commands."""
_TITLE = "limits of each bot, and options of the game"
_DEFAULTS = "A game may have other defaults than these."
_FLAGS = {
    "time_limit": (seconds, "S", "seconds for a reply"),
    "startup_limit": (seconds, "S", "seconds for the handshake"),
    "grace": (grace, "S", "seconds to exit after game-end"),
    "max_turns": (count, "N", "turns a player; short for --set max_turns=N"),
    "line_limit": (count, "BYTES", "the longest line"),
    "queue_limit": (count, "BYTES", "the most output that may wait unread"),
    "time_bank": (limit, "S", "seconds for all replies of a match together"),
    "output_limit": (or_none(size), "BYTES", "all standard output of a match"),
    "cpu_limit": (limit, "S", "CPU seconds of a match"),
    "memory_limit": (or_none(size), "BYTES", "memory, such as 512M"),
    "process_limit": (or_none(count), "N", "processes and threads at a time"),
    "open_file_limit": (or_none(count), "N", "open files of a process"),
    "file_size_limit": (or_none(size), "BYTES", "the biggest file that it may write"),
    "tmp_limit": (or_none(size), "BYTES", "what fits into /tmp of a sandbox"),
    "stderr_limit": (or_none(size), "BYTES", "what is kept in a file of its standard error"),
}
_ENDLESS = {
    "time_limit": '; "none" stops all clocks, for a debugger',
    "startup_limit": ', or "none"',
}


def add_game(parser: argparse.ArgumentParser, default: str | None = DEFAULT_GAME) -> None:
    """Add `--game`."""
    of_files = "" if default else "that of a rule file among the bots, else "
    text = f"the game: {', '.join(GAMES)} (default: {of_files}{DEFAULT_GAME})"
    parser.add_argument("--game", choices=list(GAMES), default=default, metavar="NAME", help=text)


def add_settings(
    parser: argparse.ArgumentParser, *, endless: bool = False, is_tournament: bool = False
) -> None:
    """Add the limits of a bot and the game's own options.

    Args:
        endless: whether a bot may have all the time there is.
        is_tournament: whether the defaults are those of tournaments.
    """
    add = parser.add_argument_group(_TITLE, _DEFAULTS).add_argument
    for name, (kind, metavar, text) in _FLAGS.items():
        if endless and kind is seconds:
            kind, text = limit, text + _ENDLESS[name]
        add(_flag(name), type=kind, metavar=metavar, help=text + _default(name, is_tournament))
    own = "an option of the game's own, a list with commas; may be given more than once"
    add("--set", action="append", default=[], metavar="NAME=VALUE", help=own)


def add_env(parser: argparse.ArgumentParser) -> None:
    """Add `--env`."""
    text = "a variable for the bots' environment, which is PATH, HOME, TMPDIR and LANG; without a "
    text += "value it has the one here; may be given more than once"
    parser.add_argument(
        "--env", action="append", default=[], type=variable, metavar="NAME[=VALUE]", help=text
    )


def add_system_limits(parser: argparse.ArgumentParser) -> None:
    """Add those limits alone that the system keeps, for who has clocks of his own."""
    add = parser.add_argument_group("limits of the bot").add_argument
    for name in SANDBOXED:
        kind, metavar, text = _FLAGS[name]
        add(_flag(name), type=kind, metavar=metavar, help=text + _default(name, False))


def _default(name: str, is_tournament: bool) -> str:
    if name not in Limits._fields:
        return ""
    value = Limits()._asdict()[name]
    if is_tournament and name in OF_TOURNAMENTS:
        return f" (default: {_shown(OF_TOURNAMENTS[name])})"
    in_sandbox = f"; in a sandbox {_shown(SANDBOXED[name])}" if name in SANDBOXED else ""
    return f" (default: {_shown(value)}{in_sandbox})"


def _shown(value: float) -> str:
    for unit, size_of in reversed(UNITS.items()):
        if value != math.inf and value >= size_of > 2**10 and value % size_of == 0:
            return f"{value // size_of}{unit}"
    return _number(value)


def add_sandbox(parser: argparse.ArgumentParser, default: str | None) -> None:
    """Add what keeps bots apart from everything else.

    Args:
        default: of `CHOICES`. Who tries a bot of their own does not expect that it cannot write a
            file; who lets many play trusts none of them. None: "none", but "bwrap" for
            programs that a record names.
    """
    default = os.environ.get(SANDBOX, default)
    add = parser.add_argument
    kinds = (
        "for bots that are programs: bwrap (bubblewrap), none, or auto, which is bwrap where it "
        f"works (default: {default or 'none; with --run-recorded bwrap'})"
    )
    add("--sandbox", choices=CHOICES, default=default, metavar="KIND", help=kinds)
    read = "a further folder that bots in a sandbox can read, at its own path; repeatable"
    add("--sandbox-read", action="append", default=[], metavar="DIR", help=read)


def chosen_settings(options: argparse.Namespace) -> dict[str, Any]:
    """What was chosen on the command line: name -> value.

    Raises:
        UsageError: what `--set` has is no NAME=VALUE.
    """
    chosen: dict[str, Any] = {}
    for text in getattr(options, "set", ()):
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"--set {text!r}: give NAME=VALUE")
        chosen[name] = value
    for name in _FLAGS:
        value = getattr(options, name, None)
        if value is not None:
            chosen[name] = value
    if chosen.get("time_limit") == math.inf:  # somebody is at a debugger
        chosen.setdefault("startup_limit", math.inf)
    return chosen


def _number(value: float) -> str:
    if value == math.inf:
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
