"""`referee help`: print the help of the program or of a command, like `--help`."""

from __future__ import annotations

from referee.cli import registry as commands
from referee.cli.console import OK, printing
from referee.cli.options import Options, argument
from referee.errors import UsageError
from referee.interrupts import Interrupts
from referee.text.nearest import did_you_mean


class HelpOptions(Options):
    """Print the help of a command, as COMMAND --help does."""

    examples = (("referee help play", "the help of referee play"),)

    command: str | None = argument("COMMAND", "the command (default: list all commands)")


def run(options: HelpOptions, interrupts: Interrupts) -> int:
    name = options.command
    if name is not None and name not in commands.COMMANDS:
        known = did_you_mean(name, commands.COMMANDS) or f": {', '.join(commands.COMMANDS)}"
        raise UsageError(f"unknown command {name!r}{known}")
    parser = commands.parser(whole=False) if name is None else commands.command_parser(name)
    with interrupts.raising(), printing():
        print(parser.format_help(), end="")
    return OK
