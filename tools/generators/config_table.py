"""The table of keys in a tournament's configuration file, made from the options of the command."""

from __future__ import annotations

from referee.cli.commands.tournament import TournamentOptions
from referee.cli.options import Option

TABLES = ("bot", "env", "set")
"""Options that are tables of the file. The page describes them."""
_VALUES = {
    "ADDRESS": "an address",
    "BOT=RATING": '`"NAME=1500"`',
    "BYTES": 'bytes, or `"512M"`',
    "DIR": "a path",
    "E": "Elo",
    "FILE": "a path",
    "NAME": "a name",
    "P": "a probability",
    "S": "seconds",
    "TEXT": "a text",
}
"""Metavar -> type of the value in the file; all others are integers."""


def configuration() -> str:
    """Return a row per key of the file, in the order of the help."""
    fields = TournamentOptions.fields.values()
    options = [each for field in fields for each in field.options]
    allowed = (each for each in options if each.in_file and each.flags)
    rows = [_row(each) for each in allowed if each.name not in TABLES]
    return "\n".join(["| key | value | meaning |", "|---|---|---|", *rows])


def _row(option: Option) -> str:
    key = option.flags[-1].removeprefix("--")
    text = option.help
    if option.name == "sandbox":  # its default depends on REFEREE_SANDBOX
        text = text.partition(" (default")[0]
    return f"| `{key}` | {_value(option)} | {text} |"


def _value(option: Option) -> str:
    if option.nargs == 0:
        return "`true`"
    if option.words:
        return ", ".join(f'`"{word}"`' for word in option.words)
    value = _VALUES.get(option.metavar or "", "a whole number")
    return f"{value}, or a list of them" if option.is_repeated else value
