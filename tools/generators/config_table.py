"""Generates the table of keys in a tournament's configuration file from the command's options."""

from __future__ import annotations

from collections import defaultdict

from referee.cli.commands.tournament import TournamentOptions
from referee.cli.options import Option

# These options are tables in the file, which the page describes in its text.
TABLES = ("bot", "env", "set")
# Metavar -> type of the value in the file. If it's not here, the value is an integer.
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


def keys() -> str:
    """Return a row for each group of keys."""
    rows = [
        f"| [{group}](#{group}) | {', '.join(f'`{_key(option)}`' for option in options)} |"
        for group, options in _groups().items()
    ]
    return "\n".join(["| about | keys |", "|---|---|", *rows])


def configuration() -> str:
    """Return a table for each group, with one row per key."""
    lines = []
    for group, options in _groups().items():
        lines += [f"### {group.capitalize()}", ""]
        lines += ["| key | value | meaning |", "|---|---|---|", *map(_row, options), ""]
    return "\n".join(lines)


def _groups() -> dict[str, list[Option]]:
    """Return the options that a configuration file can have, by their heading in the help."""
    groups: defaultdict[str, list[Option]] = defaultdict(list)
    for field in TournamentOptions.fields.values():
        for option in field.options:
            if option.in_file and option.flags and option.name not in TABLES:
                assert field.heading is not None
                groups[field.heading.title].append(option)
    return groups


def _key(option: Option) -> str:
    return option.flags[-1].removeprefix("--")


def _row(option: Option) -> str:
    text = option.help
    if option.name == "sandbox":  # its default depends on this machine's REFEREE_SANDBOX
        text = text.partition(" (default")[0]
    return f"| `{_key(option)}` | {_value(option)} | {text} |"


def _value(option: Option) -> str:
    if option.nargs == 0:
        return "`true`"
    if option.words:
        return ", ".join(f'`"{word}"`' for word in option.words)
    value = _VALUES.get(option.metavar or "", "a whole number")
    return f"{value}, or a list of them" if option.is_repeated else value
