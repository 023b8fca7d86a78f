"""Reads the configuration file of a tournament.

It's a TOML file with the options of the command, and a `[[bot]]` table for each bot.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import field

from referee.bots.toml import BotTable, read_table, read_toml
from referee.errors import UsageError, UsageErrors
from referee.match.limits import LIMITS
from referee.tournament.rows import Entrant


class Config(NamedTuple):
    """The content of a configuration file.

    Attributes:
        options: the options of the command, by name. Their values are not checked yet.
        bots: the bots of the `[[bot]]` tables, without their limits.
        limits: the limits in each `[[bot]]` table, in the order of `bots`. They're dicts by name,
            and aren't checked yet either.
        directories: absolute paths of the folders that `[[bot]]` tables give as `directory`.
        folder: relative paths in the options start from this folder.
    """

    options: Mapping[str, Any]
    bots: list[Entrant]
    limits: Sequence[Mapping[str, Any]]
    directories: list[str]
    folder: Path


class _Bot(BotTable, kw_only=True):
    directory: str = ""
    env: dict[str, str] = field(default_factory=dict)


def read_config(name: str) -> Config:
    """Read a configuration file.

    Relative paths are relative to the folder of the file. A pipe isn't in any folder, so its paths
    are relative to the current one.

    Raises:
        UsageError: the file cannot be read, or a `[[bot]]` table has an unknown key.
    """
    options = read_toml(name)
    folder = Path(name).parent if os.path.isfile(name) else Path()
    tables = options.pop("bot", [])
    if not isinstance(tables, list):
        raise UsageError(f"{name}: bot must be a table each: [[bot]]")
    for where, table in [(name, options), *_numbered(name, tables)]:
        _check_spellings(where, table)
    parts = [_without_limits(table) for table in tables]
    bots, directories = _bots(name, [rest for rest, _ in parts], folder)
    limits = [own for _, own in parts]
    return Config(options, bots, limits, directories, folder)


def _numbered(name: str, tables: list[Any]) -> list[tuple[str, Any]]:
    return [(f"{name}: bot {number}", table) for number, table in enumerate(tables, 1)]


def _check_spellings(where: str, table: Any) -> None:
    # An option may be written with "-" or "_". If both are there, we can't know which one is meant.
    first: dict[str, str] = {}
    for key in table if isinstance(table, dict) else ():
        other = first.setdefault(_name(key), key)
        if other != key:
            raise UsageError(
                f"{where}: {other} and {key} are the same option: leave one of them out"
            )


def _without_limits(table: Any) -> tuple[Any, dict[str, Any]]:
    """Return a `[[bot]]` table without its limits, and these limits by name."""
    own = [key for key in table if _name(key) in LIMITS] if isinstance(table, dict) else []
    rest = {key: table[key] for key in table if key not in own} if own else table
    return rest, {_name(key): table[key] for key in own}


def _name(key: str) -> str:
    return key.replace("-", "_")


def _bots(name: str, tables: list[Any], folder: Path) -> tuple[list[Entrant], list[str]]:
    entrants: list[Entrant] = []
    directories: list[str] = []
    problems: list[str] = []
    for where, table in _numbered(name, tables):
        bot, wrong = read_table(_Bot, table, where, [each.replace("_", "-") for each in LIMITS])
        problems += wrong
        problems += [f"{where}: {problem}" for problem in _problems(bot, folder)]
        # The bot is started in that folder, so the paths in its arguments are relative to it, too.
        path = str((folder / bot.directory).resolve())
        env = tuple(bot.env.items())
        entrants.append(Entrant(bot.name or bot.command, bot.command, path, env))
        directories += [path] if bot.directory else []
    if problems:
        raise UsageErrors(problems)
    return entrants, list(dict.fromkeys(directories))


def _problems(bot: _Bot, folder: Path) -> Iterator[str]:
    if not (folder / bot.directory).is_dir():
        yield f"directory: {bot.directory} is not there"
    for variable in bot.env:
        if not variable or "=" in variable:
            yield f"env: {variable!r} cannot name a variable"
