"""Reads the TOML that describes a bot: a `bot.toml`, or a `[[bot]]` table of a configuration.

A `bot.toml` may come from a stranger, so we limit everything that could keep us busy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from referee.errors import UsageError
from referee.inputs import read_input
from referee.text.encoding import wide_encoding
from referee.text.lookalikes import invisible
from referee.text.nearest import instead
from referee.text.terminal import escaped

MAX_BYTES = 1024 * 1024
MAX_NAME = 64
"""Maximum length of a bot's name."""
_MAX_DEPTH = 16  # how deeply tables and lists may be nested
# The limit is per line, because `tomllib` takes quadratic time for a key like a.b.c.d.
_MAX_DOTS = 100


class BotTable(Struct, kw_only=True):
    """The keys that both tables may have. A bot without a name gets a default."""

    command: str
    name: str = ""


T = TypeVar("T", bound=BotTable)


def read_toml(name: str) -> dict[str, Any]:
    """Read a TOML file, possibly one that a stranger submitted.

    Raises:
        UsageError: the file can't be read or isn't valid TOML.
    """
    import tomllib  # few matches need this module, and importing it delays the start

    try:
        data = read_input(name, MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise UsageError(f"{name} cannot be read: it has more than {MAX_BYTES:,} bytes")
        for number, line in enumerate(data.splitlines(), 1):
            if line.count(b".") > _MAX_DOTS and not line.lstrip().startswith(b"#"):
                problem = f"line {number} has more than {_MAX_DOTS} dots: use shorter keys"
                raise UsageError(f"{name} cannot be read: {problem}")
        if encoding := wide_encoding(data):
            raise UsageError(f"{name} cannot be read: it is {encoding}; save it as UTF-8")
        values = tomllib.loads(data.decode("utf-8-sig"))
        with_nul = [key for key in values if any("\0" in text for text in _strings(values[key]))]
    except ValueError as error:  # this includes UnicodeDecodeError
        raise UsageError(f"{name} is not valid TOML: {error}") from error
    except RecursionError as error:
        raise UsageError(f"{name} cannot be read: its values are nested too deeply") from error
    for key in with_nul:
        raise UsageError(f"{name}: {key} has the character U+0000 in it, which nothing may have")
    return values


def read_table(
    kind: type[T], table: Any, where: str, more: Iterable[str] = ()
) -> tuple[T, list[str]]:
    """Return a table's valid keys, and its mistakes as lines that begin with `where`.

    Args:
        more: other allowed keys, for suggestions.
    """
    if not isinstance(table, dict):
        return kind(command=""), [f"{where} must be a table, not {table!r}"]
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    found: dict[str, Any] = {}
    problems = []
    for key, value in table.items():
        if key not in fields:
            problems.append(f"{where}: unknown key {key!r}{instead(key, sorted([*fields, *more]))}")
            continue
        try:
            found[key] = msgspec.convert(value, fields[key].type)
        except msgspec.ValidationError as error:
            # For a table, msgspec doesn't say which value is wrong.
            parts = value.items() if isinstance(value, dict) else ()
            part = next((f"{name}: " for name, each in parts if not isinstance(each, str)), "")
            problems.append(f"{where}: {key}: {part}{str(error).partition(' - at ')[0]}")
    if not table.get("command", ""):
        problems.append(f"{where}: command is missing: give the command that starts the bot")
    if problem := name_problem(found.get("name", "")):
        problems.append(f"{where}: name: {problem}")
    return kind(**{"command": ""} | found), problems


def name_problem(name: str) -> str:
    """Explain in a clause why a bot can't have this name, or return "" if the name is fine."""
    if not name.isprintable():
        return f"'{escaped(name)}' has a character that cannot be shown: leave it out"
    if hidden := invisible(name):
        return f"it has an invisible character (U+{ord(hidden):04X}): leave it out"
    if name != " ".join(name.split()):
        return "it begins or ends with a space, or has two in a row: leave them out"
    if len(name) > MAX_NAME:
        return f"it has {len(name)} letters: {MAX_NAME} is the most"
    return ""


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        raise RecursionError
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _strings(part, depth + 1)
