"""Defines the options for matches that several commands have in common."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, TypeAlias

from referee.cli.options import Heading, Option, flag, option, repeated, several
from referee.cli.values import (
    GameName,
    GivenSeed,
    SandboxChoice,
    Variable,
    count,
    grace,
    limit,
    or_none,
    player,
    seconds,
    seed,
    seed_in_file,
    size,
)
from referee.errors import UsageError
from referee.games import DEFAULT_GAME, GAMES
from referee.match.limits import LIMITS, OF_TOURNAMENTS, SANDBOXED, LimitKind, Limits, limit_word
from referee.match.limits import flag as limit_flag
from referee.match.sandbox import CHOICES, SandboxMode
from referee.text.nearest import instead

# The environment variable that sets the default of `--sandbox`.
SANDBOX = "REFEREE_SANDBOX"
# The limits and the options of the game that the user has given, by name.
Settings: TypeAlias = Mapping[str, Any]
LIMITS_OF_BOTS = Heading(
    "limits", "Limits of each bot, and options of the game. A game can have other defaults."
)
_READERS: dict[LimitKind, Any] = {
    "clock": seconds,
    "pause": grace,
    "line": size,
    "seconds": limit,
    "gain": grace,
    "bytes": or_none(size),
    "count": or_none(count),
}
_METAVARS: dict[LimitKind, str] = {"line": "BYTES", "bytes": "BYTES", "count": "N"}
_ENDLESS = {
    "time_limit": '; "none" stops all clocks, for a debugger',
    "startup_limit": ', or "none"',
}


def game_option() -> GameName:
    """Define `--game`."""
    return option("NAME", DEFAULT_GAME, _game_help(""))


def game_of_bots_option() -> GameName | None:
    """Define `--game` for commands that take bots.

    By default, the command finds out the game from its bots. We don't know the bots yet, so the
    default value is None.
    """
    text = _game_help("the only game of one of the bots, otherwise ")
    return option("NAME", None, text)


def game_of_files_option() -> tuple[GameName, ...]:
    """Define `--game` for commands whose files name their game. Only your own games need it."""
    return repeated("FILE", "file or folder of your own game that was played; its code is run")


def _game_help(first: str) -> str:
    games = ", ".join(GAMES)
    return f"the game: {games}, or the FILE of your own (default: {first}{DEFAULT_GAME})"


def seed_options() -> GivenSeed:
    """Define `--seed` and `--seed-file`."""
    about = "0 <= N < 2**53; random if not given"
    of_file = (
        'read the seed from this file ("-": stdin), so that the list of processes does not show it'
    )
    options = [
        Option("seed", ("--seed",), "N", about, seed, excludes="seed"),
        Option("seed_file", ("--seed-file",), "FILE", of_file, seed_in_file, excludes="seed"),
    ]
    return several(options, lambda given: given.get("seed_file") or GivenSeed(given.get("seed")))


def opening_option() -> int | None:
    """Define `--opening`."""
    return option(
        "N",
        None,
        "draw the first N replies of each deal at random, where all move together N rounds",
    )


def title_option(where: str) -> str | None:
    """Define `--title`. `where` says in the help what gets the title, e.g. "the page"."""
    return option("TEXT", None, f"title of {where}")


def force_option() -> bool:
    """Define `--force`."""
    return flag("replace an output file even if referee did not write it")


def settings_options(*, endless: bool = False, is_tournament: bool = False) -> Settings:
    """Define the options for limits of bots, and for the options of the game.

    Args:
        endless: True if people may turn off time limits with the word "none".
        is_tournament: True to use the defaults of tournaments.
    """
    usual = OF_TOURNAMENTS if is_tournament else {}
    limits = [_limit(name, usual, endless=endless) for name in LIMITS]
    turns = "turns per player; short for --set max_turns=N"
    own = "an option of the game; commas separate the items of a list; can be repeated"
    more = [
        Option("max_turns", ("--max-turns",), "N", turns, read=count),
        Option("set", ("--set",), "NAME=VALUE", own, is_repeated=True),
    ]
    return several([*limits, *more], _chosen)


def system_limits_options() -> Settings:
    """Define the options for limits of memory, processes etc., but not of time.

    Some commands have time limits of their own.
    """
    return several([_limit(name) for name in SANDBOXED], _chosen)


def _limit(
    name: str, usual: Mapping[str, float] = MappingProxyType({}), *, endless: bool = False
) -> Option:
    """Define the option for a limit.

    Args:
        usual: defaults of the command that differ from the usual ones.
        endless: True if people may turn off a time limit with the word "none".
    """
    row = LIMITS[name]
    kind, text = row.kind, row.about
    if endless and kind == "clock":
        kind, text = "seconds", text + _ENDLESS[name]
    # The help has to show the default that this command uses.
    default = limit_word(name, usual.get(name, getattr(Limits(), name)))
    if name in SANDBOXED and name not in usual:
        default += f"; in a sandbox {limit_word(name, SANDBOXED[name])}"
    text += f" (default: {default})"
    return Option(name, (limit_flag(name),), _METAVARS.get(kind, "S"), text, _READERS[kind])


def _chosen(given: Mapping[str, Any]) -> Settings:
    chosen: dict[str, Any] = {}
    for text in given.get("set", ()):
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"--set {text!r}: give NAME=VALUE")
        chosen[name] = value
    chosen |= {name: value for name, value in given.items() if name != "set"}
    # A bot without a time limit is probably being debugged, so it may also take long to start.
    if chosen.get("time_limit") == math.inf:
        chosen.setdefault("startup_limit", math.inf)
    return chosen


def limits_of_bot(given: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Parse the limits that a configuration file sets for one bot.

    Args:
        given: the values from TOML, by name.

    Returns:
        Pairs of name and value, in the order of `Limits`. If a limit is turned off, its value is
        None.

    Raises:
        UsageError: a value is invalid.
    """
    found = []
    for name in [name for name in LIMITS if name in given]:
        value, key = given[name], name.replace("_", "-")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise UsageError(f"{key} must be one value, not {value!r}")
        try:
            read = _READERS[LIMITS[name].kind](str(value))
        except argparse.ArgumentTypeError as error:
            raise UsageError(f"{key}: {error}") from error
        # These values are written to stores and records, and JSON doesn't have infinity.
        found.append((name, None if read == math.inf else read))
    return tuple(found)


def limit_of(text: str) -> tuple[int, str, int | float | None]:
    """Parse PLAYER:LIMIT=VALUE. Returns the seat (from 0), the name of the limit, and its value."""
    who, _, rest = text.partition(":")
    key, _, value = rest.partition("=")
    name = key.replace("-", "_")
    if not value:
        raise argparse.ArgumentTypeError(
            f"{text!r}: give PLAYER:LIMIT=VALUE, such as 2:time-limit=5"
        )
    if name not in LIMITS:
        names = [known.replace("_", "-") for known in LIMITS]
        raise argparse.ArgumentTypeError(
            f"{text!r}: a bot has no limit {key!r}{instead(key, names)}"
        )
    try:
        ((_, read),) = limits_of_bot({name: value})
    except UsageError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from error
    return player(who) - 1, name, read


LimitOf: TypeAlias = Annotated[tuple[int, str, int | float | None], limit_of]


def env_option() -> tuple[Variable, ...]:
    """Define `--env`."""
    text = "a variable for the bots' environment, which is PATH, HOME, TMPDIR and LANG; without a "
    text += "value it is copied from here; can be repeated"
    return repeated("NAME[=VALUE]", text)


def sandbox_options(
    default: SandboxMode | None = None, help: str = "", read_help: str = ""
) -> SandboxChoice:
    """Define `--sandbox`, which isolates bots from the rest of the system, and `--sandbox-read`.

    The default depends on the command. Authors expect that their own bot can write files, so `play`
    and `conform` don't use a sandbox by default. Tournaments do, because organisers don't trust the
    bots.

    Args:
        default: the command's default. If this is None, the default is "none" for bots on the
            command line, and "bwrap" for programs that a record names.
        help, read_help: the help, if the usual one doesn't fit the command.
    """

    def chosen(given: Mapping[str, Any]) -> SandboxChoice:  # `chosen_sandbox` checks the kind
        kind = given.get("sandbox", os.environ.get(SANDBOX, default))
        return SandboxChoice(kind, tuple(given.get("sandbox_read", ())))

    help = help or (
        "sandbox for programs: bwrap (bubblewrap), none, or auto, which is bwrap if it works "
        f"(default: {chosen({}).kind or 'none; with --run-recorded bwrap'})"
    )
    usual = "another folder that bots in a sandbox can read, at the same path; can be repeated"
    options = [
        Option("sandbox", ("--sandbox",), "KIND", help, words=CHOICES),
        Option("sandbox_read", ("--sandbox-read",), "DIR", read_help or usual, is_repeated=True),
    ]
    return several(options, chosen)
