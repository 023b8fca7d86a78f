"""Which programs a command may start: decided here for all commands (SECURITY.md has the table).

Words of the command line, and of a configuration file named there, are the user's own: they start
what they name. A record or a store is somebody else's until the user says otherwise, and a bot's
folder was handed in. Bundled bots, rule files and people start no program of anybody.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from referee.cli.arguments import Options
from referee.cli.settings import SANDBOX
from referee.errors import UsageError
from referee.match.sandbox import CHOICES, Kind, Sandbox
from referee.text.terminal import command_line

if TYPE_CHECKING:
    from referee.bots.command import BotSource
    from referee.bots.folder import BotFolder
    from referee.tournament.rows import Entrant

_OPTION = "--run-recorded"
_SHOWN = 8
"""Programs that are listed."""


def add_run_recorded(parser: Options, file: str) -> None:
    """Add the option that allows what a file names: "the record", for its help."""
    text = f"start the programs that {file} names; without this option they are only listed"
    parser.add_argument(_OPTION, action="store_true", help=text)


def check_recorded(
    options: argparse.Namespace,
    file: str,
    bots: Iterable[BotSource],
    game: str,
    played_in: Kind | None = None,
) -> None:
    """See that the bots that a record or a store names may be started.

    Programs need `--run-recorded`, and start in the sandbox. The file cannot change that; the user
    can, with `--sandbox none`.

    Args:
        options: `--run-recorded` and `--sandbox`, which is changed from "auto" or None to "bwrap".
        bots: with the variables that the file gives them.
        played_in: the only sandbox in which the matches can be repeated; None: any will do.

    Raises:
        UsageError: they may not be started; the text lists them, and names the options.
    """
    programs = list(dict.fromkeys(_shown(bot) for bot in bots if _is_program(bot, game)))
    if not programs:
        return
    lacking = [] if options.run_recorded else [_OPTION]
    if played_in == "none" and options.sandbox != "none":
        lacking.append("--sandbox none")
    if lacking:
        more = f" and {len(programs) - _SHOWN} more" if programs[_SHOWN:] else ""
        rights = " with your rights, in no sandbox" if played_in == "none" else ""
        raise UsageError(
            f"{file} names programs that you did not type: {'; '.join(programs[:_SHOWN])}{more}. "
            f"To start them{rights}, add {' '.join(lacking)}"
        )
    if options.sandbox != "none":
        options.sandbox = "bwrap"


def chosen_sandbox(
    options: argparse.Namespace,
    bots: Iterable[BotSource | Entrant | BotFolder],
    *hidden: str | None,
) -> Sandbox:
    """The sandbox of the bots. With "auto" a bot in a folder needs one.

    Args:
        options: `--sandbox`, which is changed from "auto" to "bwrap" if there are such bots.
        bots: those that were typed; of these only the bots in folders have a `directory`.
        hidden: files and folders that no bot may see, since the referee writes them; or None.

    Raises:
        UsageError: this machine does not have the sandbox; the text says what to do.
    """
    if options.sandbox == "auto" and any(getattr(bot, "directory", "") for bot in bots):
        options.sandbox = "bwrap"
    choice = options.sandbox or "none"
    if choice not in CHOICES:  # argparse takes any default
        raise UsageError(f"{SANDBOX}={choice}: there are {', '.join(CHOICES)}")
    from referee.bots.processes.sandbox import resolve

    return resolve(choice, options.sandbox_read, [name for name in hidden if name])


def _is_program(bot: BotSource, game: str) -> bool:
    """Whether playing it starts a program of somebody else, or asks an address."""
    from referee.bots.bundled import bundled_bots
    from referee.bots.command import BotCommand, PythonBot

    if isinstance(bot, PythonBot):
        return False
    own = isinstance(bot, BotCommand) and not bot.env  # which could make it load anything
    return not own or bot.argument not in bundled_bots(game)


def _shown(bot: BotSource) -> str:
    from referee.bots.command import BotCommand

    if not isinstance(bot, BotCommand):
        return command_line([bot.argument])
    env = [f"{name}={value}" for name, value in bot.env]
    words = command_line([*env, *bot.argv])
    return f"{words} (in {command_line([bot.directory])})" if bot.directory else words
