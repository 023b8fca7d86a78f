"""`referee bots`: the bundled example bots."""

from __future__ import annotations

import argparse
import sys

from referee.cli.arguments import Commands
from referee.cli.console import OK, printing
from referee.errors import UsageError
from referee.interrupts import Interrupts


def add(commands: Commands) -> None:
    """Add the command."""
    bots = commands.add_parser(
        "bots",
        help="list the bundled example bots",
        description="List the bundled example bots, or print one to start from.",
        examples=(
            ("referee bots --show minimal > my_bot.py", "a bot of your own in one line"),
            ("referee bots --show big_money.js > my_bot.js", "the same in JavaScript"),
        ),
    )
    bots.set_defaults(run=run)
    bots.add_argument("--show", metavar="NAME", help="print that bot's source")


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    """Run the command."""
    from referee.bots.bundled import bundled_bots, describe_bot, templates

    bots, others = bundled_bots(), templates()
    if options.show is not None:
        file = (bots | others).get(options.show)
        if file is None:
            raise UsageError(f"no {options.show!r}; there are: {', '.join(bots | others)}")
        with interrupts.raising(), printing():
            sys.stdout.write(file.read_text(encoding="utf-8"))
        return OK
    width = max(map(len, bots), default=0)
    with interrupts.raising(), printing():
        for name, path in bots.items():
            print(f"{name:{width}}  {describe_bot(path)}")
        print("\nTo start from (referee bots --show NAME): minimal, or in other languages")
        print("  " + ", ".join(others))
    return OK
