"""The commands as a table, for spec/README.md."""

from __future__ import annotations

from referee.cli.registry import COMMANDS


def commands() -> str:
    """A row for each command, in the order of the help."""
    rows = (f"| `referee {name}` | {does} |" for name, does in COMMANDS.items())
    return "\n".join(["| command | purpose |", "|---|---|", *rows])
