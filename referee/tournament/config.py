"""A tournament's configuration file: TOML with the options of the command and its bots."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from referee.errors import UsageError
from referee.text.nearest import instead
from referee.tournament.rows import Entrant

_PATHS = ("store", "records", "seed-file")
_TABLES = ("set", "env")


class _Bot(Struct, forbid_unknown_fields=True):
    command: str
    name: str | None = None
    directory: str | None = None
    env: dict[str, str] = {}


def read_config(
    name: str, values: Collection[str], flags: Collection[str]
) -> tuple[list[str], list[Entrant], list[str]]:
    """A configuration as words of a command line, and its bots; paths are from the file's folder.

    The third part are the directories that it names, which travel to other machines.

    Args:
        values: the options that have a value, by their names: "time-limit".
        flags: those that have none.

    Raises:
        UsageError: the file cannot be read, or has what no tournament has.
    """
    try:
        with open(name, "rb") as file:
            config = tomllib.load(file)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}") from error
    except ValueError as error:  # also: no UTF-8, a number with too many digits
        raise UsageError(f"{name} is no TOML: {error}") from error
    except RecursionError as error:
        raise UsageError(f"{name} cannot be read: its values are nested too deeply") from error
    for key, value in config.items():
        if any("\0" in text for text in _strings(value)):
            raise UsageError(
                f"{name}: {key} has the character U+0000 in it, which nothing may have"
            )
    folder = Path(name).parent
    words: list[str] = []
    bots, directories = _bots(name, config.pop("bot", []), folder)
    for key, value in config.items():
        option = key.replace("_", "-")
        if option in _TABLES and isinstance(value, dict):
            words += [f"--{option}={part}={_word(chosen)}" for part, chosen in value.items()]
        elif option in flags and isinstance(value, bool):
            words += [f"--{option}"] * value
        elif option in values and isinstance(value, str | int | float):
            chosen = str(folder / str(value)) if option in _PATHS else _word(value)
            # One word, or a value that begins with a dash would be taken for an option.
            words.append(f"--{option}={chosen}")
        elif option in flags or option in values or option in _TABLES:
            kinds = dict.fromkeys(flags, "true or false") | dict.fromkeys(_TABLES, "a table")
            kind = kinds.get(option, "one value")
            raise UsageError(f"{name}: {key} is to be {kind}, not {value!r}")
        else:
            known = sorted({*values, *flags, *_TABLES, "[[bot]]"} - {"bot"})  # which is a table
            raise UsageError(f"{name}: there is no option {key!r}{instead(option, known)}")
    return words, bots, directories


def _bots(name: str, tables: Any, folder: Path) -> tuple[list[Entrant], list[str]]:
    try:
        bots = msgspec.convert(tables, list[_Bot])
    except msgspec.ValidationError as error:
        problem = str(error).replace("`$[...]", "`bot").replace("`$[", "`bot[")
        raise UsageError(f"{name}: {problem}") from error
    entrants = [_entrant(name, bot, folder / (bot.directory or ".")) for bot in bots]
    named = (found.directory for bot, found in zip(bots, entrants, strict=True) if bot.directory)
    return entrants, list(dict.fromkeys(named))


def _entrant(name: str, bot: _Bot, directory: Path) -> Entrant:
    if not directory.is_dir():
        raise UsageError(f"{name}: directory {bot.directory} of {bot.command} is not there")
    for variable in bot.env:
        if not variable or "=" in variable:
            raise UsageError(f"{name}: env of {bot.command}: {variable!r} cannot name a variable")
    # The bot is started there, and paths are looked for there.
    path = str(directory.resolve())
    return Entrant(bot.name or bot.command, bot.command, path, tuple(bot.env.items()))


def _strings(value: Any) -> Iterator[str]:
    """All that are in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _strings(part)


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
