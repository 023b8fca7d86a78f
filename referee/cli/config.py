"""Read command-line options from a configuration file."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from referee.cli.options import Option, Options
from referee.errors import UsageError
from referee.text.nearest import instead

# The values of options with these metavars are paths. In a configuration file, relative paths start
# at the file's folder.
_PATHS = ("FILE", "DIR")


def read_options(
    file: str, values: Mapping[str, Any], folder: Path, kind: type[Options]
) -> dict[str, Any]:
    """Return the options that a configuration file sets, by name.

    Args:
        file: the name of the file, for messages.
        values: the options, as parsed from TOML.
        folder: the folder where relative paths start.
        kind: the options of the command.

    Raises:
        UsageError: an option does not exist, or a value is invalid.
    """
    options = {each.name: each for each in _options(kind) if each.in_file}
    given: dict[str, Any] = {}
    for key, value in values.items():
        name = key.replace("-", "_")
        if name not in options:
            known = sorted({*(_key(each) for each in options), "[[bot]]"})
            do = _hint(key, kind) or instead(key.replace("_", "-"), known)
            raise UsageError(f"{file}: unknown option {key!r}{do}")
        option = options[name]
        texts = _texts(file, key, value, option, folder)
        if option.nargs == 0:
            given |= {name: True} if value else {}
            continue
        read = [_read(file, option, text) for text in texts]
        given[name] = read if option.is_repeated else read[0]
    _check_excluding(file, [options[name] for name in given])
    return given


def merge_options(
    config: Mapping[str, Any], typed: Mapping[str, Any], kind: type[Options]
) -> dict[str, Any]:
    """Merge the options of a configuration file and the command line, which takes precedence.

    Options that may be repeated keep the values from both places.
    """
    options = {each.name: each for each in _options(kind)}
    # If you type --seed, it must also replace a --seed-file in the configuration, although that's
    # another option.
    excluding = {options[name].excludes for name in typed if name in options} - {""}
    both = dict(typed)
    for name, value in config.items():
        option = options[name]
        if option.is_repeated:
            both[name] = [*value, *typed.get(name, ())]
        elif option.excludes not in excluding:
            both.setdefault(name, value)
    return both


def _options(kind: type[Options]) -> Iterator[Option]:
    return (each for field in kind.fields.values() for each in field.options if each.flags)


def _key(name: str) -> str:
    return name.replace("_", "-")


def _hint(key: str, kind: type[Options]) -> str:
    name = key.replace("-", "_")
    only_typed = {each.name for each in _options(kind) if not each.in_file}
    if name in only_typed:
        return f"; give --{_key(name)} on the command line"
    return ""


def _texts(file: str, key: str, value: Any, option: Option, folder: Path) -> list[str]:
    """Convert a value from TOML to text, as you'd type it on the command line.

    Returns one text for each time that you'd have to give the option. This way we need only one
    parser per option, and its error messages are the same everywhere.

    Raises:
        UsageError: the value has the wrong type.
    """
    if option.is_repeated and "=" in (option.metavar or ""):  # NAME=VALUE
        kind, accepted = "a table", isinstance(value, dict)
    elif option.nargs == 0:
        kind, accepted = "true or false", isinstance(value, bool)
    elif option.is_repeated:
        kind, accepted = "a list", isinstance(value, list)
    else:
        kind, accepted = "one value", isinstance(value, str | int | float)
    if not accepted:
        raise UsageError(f"{file}: {key} must be {kind}, not {value!r}")
    if isinstance(value, dict):
        return [f"{part}={_text(chosen)}" for part, chosen in value.items()]
    texts = [_text(each) for each in (value if isinstance(value, list) else [value])]
    is_path = option.metavar in _PATHS or (option.name == "game" and os.sep in texts[0])
    return [str(folder / text) for text in texts] if is_path else texts


def _text(value: object) -> str:
    # TOML's true is True in Python, but on the command line you'd write true.
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(file: str, option: Option, text: str) -> object:
    if option.words is not None and text not in option.words:
        raise UsageError(
            f"{file}: {option.flags[-1]}: {text!r} is not one of {', '.join(option.words)}"
        )
    try:
        return text if option.read is None else option.read(text)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"{file}: {option.flags[-1]}: {error}") from error


def _check_excluding(file: str, options: Collection[Option]) -> None:
    seen: dict[str, Option] = {}
    for option in options:
        if option.excludes and (other := seen.setdefault(option.excludes, option)) is not option:
            raise UsageError(f"{file}: give {_key(other.name)} or {_key(option.name)}, not both")
