"""Generates the table of commands in spec/README.md."""

from __future__ import annotations

from referee.cli.registry import COMMANDS


def commands() -> str:
    """Return a row per command, in the order of the help."""
    rows = (f"| `referee {name}` | {does} |" for name, does in COMMANDS.items())
    return "\n".join(["| command | purpose |", "|---|---|", *rows])
