"""The options that a match is played with, as several commands take them."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from referee.cli.arguments import Options, count, grace, limit, or_none, seconds, size, variable
from referee.errors import UsageError
from referee.games import DEFAULT_GAME, GAMES
from referee.match.limits import LIMITS, OF_TOURNAMENTS, SANDBOXED, Kind, Limits, flag, limit_word
from referee.match.sandbox import CHOICES

SANDBOX = "REFEREE_SANDBOX"
"""The variable with the default of `--sandbox` for all commands."""
_TITLE = "limits"
_ABOUT = "Limits of each bot, and options of the game. A game can have other defaults."
_READERS: dict[Kind, Any] = {
    "clock": seconds,
    "pause": grace,
    "line": size,
    "seconds": limit,
    "bytes": or_none(size),
    "count": or_none(count),
}
_METAVARS: dict[Kind, str] = {"line": "BYTES", "bytes": "BYTES", "count": "N"}
_ENDLESS = {
    "time_limit": '; "none" stops all clocks, for a debugger',
    "startup_limit": ', or "none"',
}


def add_game(parser: Options, *, of_files: bool = False) -> None:
    """Add `--game`, whose default may be the game of a rule file among the bots, found later."""
    default = None if of_files else DEFAULT_GAME
    files = "the game of a rule file among the bots, otherwise " if of_files else ""
    text = f"the game: {', '.join(GAMES)} (default: {files}{DEFAULT_GAME})"
    parser.add_argument("--game", choices=list(GAMES), default=default, metavar="NAME", help=text)


def add_settings(
    parser: argparse.ArgumentParser, *, endless: bool = False, is_tournament: bool = False
) -> None:
    """Add the limits of a bot, also `endless` ones, and the game's own options."""
    add = parser.add_argument_group(_TITLE, _ABOUT).add_argument
    for name in LIMITS:
        _add_limit(add, name, OF_TOURNAMENTS if is_tournament else {}, endless=endless)
    add(
        "--max-turns", type=count, metavar="N", help="turns per player; short for --set max_turns=N"
    )
    own = "an option of the game; a list has commas; can be repeated"
    add("--set", action="append", default=[], metavar="NAME=VALUE", help=own)


def add_env(parser: Options) -> None:
    """Add `--env`."""
    text = "a variable for the bots' environment, which is PATH, HOME, TMPDIR and LANG; without a "
    text += "value it is copied from here; can be repeated"
    parser.add_argument(
        "--env", action="append", default=[], type=variable, metavar="NAME[=VALUE]", help=text
    )


def add_system_limits(parser: argparse.ArgumentParser) -> None:
    """Add only the limits that the system enforces, for callers with their own clocks."""
    add = parser.add_argument_group(_TITLE).add_argument
    for name in SANDBOXED:
        _add_limit(add, name)


def _add_limit(
    add: Callable[..., object],
    name: str,
    usual: Mapping[str, float] = MappingProxyType({}),
    *,
    endless: bool = False,
) -> None:
    """Add the option of a limit; `usual` has defaults of the command, `endless` allows "none"."""
    row = LIMITS[name]
    kind, text = row.kind, row.about
    if endless and kind == "clock":
        kind, text = "seconds", text + _ENDLESS[name]
    default = limit_word(name, usual.get(name, getattr(Limits(), name)))
    if name in SANDBOXED and name not in usual:
        default += f"; in a sandbox {limit_word(name, SANDBOXED[name])}"
    text += f" (default: {default})"
    add(flag(name), type=_READERS[kind], metavar=_METAVARS.get(kind, "S"), help=text)


def add_sandbox(parser: Options, default: str | None = None, kinds: str = "") -> None:
    """Add what keeps bots apart from everything else.

    Args:
        default: one of `CHOICES`. If you try your own bot, you do not expect that it cannot write a
            file. An organiser of a tournament trusts no bot. None: "none", but "bwrap" for programs
            that a record names.
        kinds: the help of a command whose bots only a store names; "": of any other.
    """
    default = os.environ.get(SANDBOX, default)
    add = parser.add_argument
    read = "a further folder that bots in a sandbox can read, at its own path; repeatable"
    if kinds:
        read = "a folder that the programs of the store may see, with those in it; repeatable"
    kinds = kinds or (
        "for bots that are programs: bwrap (bubblewrap), none, or auto, which is bwrap where it "
        f"works (default: {default or 'none; with --run-recorded bwrap'})"
    )
    add("--sandbox", choices=CHOICES, default=default, metavar="KIND", help=kinds)
    add("--sandbox-read", action="append", default=[], metavar="DIR", help=read)


def chosen_settings(options: argparse.Namespace) -> dict[str, Any]:
    """The settings of the command line, name -> value; raises `UsageError` for a wrong `--set`."""
    chosen: dict[str, Any] = {}
    for text in getattr(options, "set", ()):
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"--set {text!r}: give NAME=VALUE")
        chosen[name] = value
    for name in (*LIMITS, "max_turns"):
        value = getattr(options, name, None)
        if value is not None:
            chosen[name] = value
    if chosen.get("time_limit") == math.inf:  # somebody is at a debugger
        chosen.setdefault("startup_limit", math.inf)
    return chosen
