"""A tournament's configuration file: TOML with the options of the command and its bots."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from msgspec import field

from referee.bots.table import BotTable, read_table, read_toml
from referee.errors import UsageError, UsageErrors
from referee.text.nearest import instead
from referee.tournament.rows import Entrant

_PATHS = ("store", "records", "seed-file", "sandbox-read")
_LISTS = ("sandbox-read",)
_Value = str | int | float
_TABLES = ("set", "env")


class _Bot(BotTable, kw_only=True):
    directory: str = ""
    env: dict[str, str] = field(default_factory=dict)


def read_config(
    name: str,
    values: Collection[str],
    flags: Collection[str],
    hint: Callable[[str], str] = lambda option: "",
) -> tuple[list[str], list[Entrant], list[str]]:
    """A configuration as words of a command line, its bots, and the directories that it names.

    Paths are from the folder of the file; from the current one if it is a pipe.

    Args:
        values: the options that have a value, by their names: "time-limit".
        flags: those that have none.
        hint: the end of the message about an unknown option, or "" if there is no hint.

    Raises:
        UsageError: the file cannot be read, or has what no tournament has.
    """
    config = read_toml(name)
    folder = Path(name).parent if os.path.isfile(name) else Path()
    words: list[str] = []
    kinds = dict.fromkeys(values, "one value") | dict.fromkeys(flags, "true or false")
    kinds |= dict.fromkeys(_LISTS, "a list") | dict.fromkeys(_TABLES, "a table")
    bots, directories = _bots(name, config.pop("bot", []), folder)
    for key, value in config.items():
        option = key.replace("_", "-")
        if option in _TABLES and isinstance(value, dict):
            words += [f"--{option}={part}={_word(chosen)}" for part, chosen in value.items()]
        elif option in flags and isinstance(value, bool):
            words += [f"--{option}"] * value
        elif option in values and isinstance(value, list if option in _LISTS else _Value):
            for each in value if isinstance(value, list) else [value]:
                chosen = str(folder / str(each)) if option in _PATHS else _word(each)
                # One word, or a value that begins with a dash would be taken for an option.
                words.append(f"--{option}={chosen}")
        elif option in kinds:
            raise UsageError(f"{name}: {key} must be {kinds[option]}, not {value!r}")
        else:
            known = sorted({*kinds, "[[bot]]"} - {"bot"})  # which is a table
            do = hint(option) or instead(option, known)
            raise UsageError(f"{name}: unknown option {key!r}{do}")
    return words, bots, directories


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


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
