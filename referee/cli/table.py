"""The arguments of a command, from its table `commands/COMMAND.toml`.

A table has the command's `description` and `epilog`, its `exit-codes` and `examples`. Each section
is a group of arguments, and each row has the keywords of argparse for one of them. In addition:

    help     the help of the option; an option without a text is not listed
    type     the name of a function in `arguments.py`
    either   the row excludes the others of its section that have it
    "@NAME"  as the name of a row: options that several commands have, added by `SHARED`
    $A.B:C   as a value, or ${A.B:C} in a text: what the module A.B calls C
    settings adds the limits of bots and the options of the game, or `system-limits` only the
             limits that the system enforces
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee._lazy import loaded
from referee.cli import arguments
from referee.cli.arguments import AddParser, Options, Parser

SHARED = {
    "@address": "referee.cli.serving:add_address",
    "@env": "referee.cli.settings:add_env",
    "@force": "referee.cli.arguments:add_force",
    "@game": "referee.cli.settings:add_game",
    "@run-recorded": "referee.cli.consent:add_run_recorded",
    "@sandbox": "referee.cli.settings:add_sandbox",
    "@seed": "referee.cli.arguments:add_seed",
    "@standings": "referee.cli.arguments:add_standings",
}
_VALUE = re.compile(r"\$\{([\w.:]+)\}")
_HEAD = ("description", "epilog", "exit-codes", "examples", "settings", "system-limits")


def add_command(add_parser: AddParser, name: str) -> Parser:
    """Make the parser of a command, with all its arguments."""
    table = _table(name)
    about = {key: " ".join(table[key].split()) for key in ("description", "epilog") if key in table}
    codes = table.get("exit-codes")
    exit_codes = None if codes is None else {int(code): what for code, what in codes.items()}
    parser = add_parser(examples=table["examples"], exit_codes=exit_codes, **about)
    _add_sections(parser, table)
    return parser


def add_arguments(parser: Parser, name: str) -> None:
    """Add the arguments of a command to a parser."""
    _add_sections(parser, _table(name))


def _add_sections(parser: Parser, table: Mapping[str, Any]) -> None:
    for title, rows in table.items():
        if title not in _HEAD:
            is_usual = title in ("arguments", "options")
            _add_rows(parser if is_usual else parser.add_argument_group(title), rows)
    for name in ("settings", "system-limits"):
        if name in table:
            loaded(f"referee.cli.settings:add_{name.replace('-', '_')}")(parser, **table[name])


def _add_rows(group: Options, rows: Mapping[str, dict[str, Any]]) -> None:
    either: Options | None = None
    for names, row in rows.items():
        if names in SHARED:
            loaded(SHARED[names])(group, **row)
            continue
        place = group
        if row.pop("either", False):
            place = either = either or group.add_mutually_exclusive_group()
        keywords = {key: _filled(value) for key, value in row.items()}
        if "type" in keywords:
            keywords["type"] = getattr(arguments, keywords["type"])
        keywords["help"] = keywords["help"] or argparse.SUPPRESS
        place.add_argument(*names.split(", "), **keywords)


def _table(name: str) -> dict[str, Any]:
    file = Path(__file__).with_name("commands") / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _filled(value: Any) -> Any:
    """A value of a row, with the objects that it names."""
    if not isinstance(value, str):
        return value
    if re.fullmatch(r"\$[\w.:]+", value):
        return list(loaded(value[1:]))
    return _VALUE.sub(lambda found: _as_text(loaded(found[1])), value)


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if isinstance(value, int | float) else ", ".join(value)
