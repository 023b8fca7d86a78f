"""A tournament's configuration file: TOML with the options of the command and its bots."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import field

from referee.bots.toml import BotTable, read_table, read_toml
from referee.errors import UsageError, UsageErrors
from referee.tournament.rows import Entrant


class Config(NamedTuple):
    """A configuration file.

    Attributes:
        options: as TOML has them, by the names that the file has.
        bots: of its `[[bot]]` tables.
        directories: that these name.
        folder: from which its paths are.
    """

    options: Mapping[str, Any]
    bots: list[Entrant]
    directories: list[str]
    folder: Path


class _Bot(BotTable, kw_only=True):
    directory: str = ""
    env: dict[str, str] = field(default_factory=dict)


def read_config(name: str) -> Config:
    """Read a configuration.

    Paths are from the folder of the file; from the current one if it is a pipe.

    Raises:
        UsageError: the file cannot be read, or a bot has what no bot has.
    """
    options = read_toml(name)
    folder = Path(name).parent if os.path.isfile(name) else Path()
    bots, directories = _bots(name, options.pop("bot", []), folder)
    return Config(options, bots, directories, folder)


def _bots(name: str, tables: Any, folder: Path) -> tuple[list[Entrant], list[str]]:
    if not isinstance(tables, list):
        raise UsageError(f"{name}: bot must be a table each: [[bot]]")
    entrants: list[Entrant] = []
    directories: list[str] = []
    problems: list[str] = []
    for number, table in enumerate(tables, 1):
        where = f"{name}: bot {number}"
        bot, wrong = read_table(_Bot, table, where)
        problems += wrong
        problems += [f"{where}: {problem}" for problem in _wrong(bot, folder)]
        # The bot is started there, and paths are looked for there.
        path = str((folder / bot.directory).resolve())
        env = tuple(bot.env.items())
        entrants.append(Entrant(bot.name or bot.command, bot.command, path, env))
        directories += [path] if bot.directory else []
    if problems:
        raise UsageErrors(problems)
    return entrants, list(dict.fromkeys(directories))


def _wrong(bot: _Bot, folder: Path) -> Iterator[str]:
    if not (folder / bot.directory).is_dir():
        yield f"directory: {bot.directory} is not there"
    for variable in bot.env:
        if not variable or "=" in variable:
            yield f"env: {variable!r} cannot name a variable"
