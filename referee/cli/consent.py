"""Which programs a command may start: decided here for all commands (SECURITY.md has the table).

Words of the command line, and of a configuration file named there, are the user's own: they start
what they name. A record or a store is somebody else's until the user says otherwise, and a bot's
folder was handed in. Bundled bots, rule files and people start no program of anybody.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
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
    hidden: Iterable[str | None] = (),
) -> None:
    """See that the bots that a record or a store names may be started.

    Programs need `--run-recorded`, and start in the sandbox. The file cannot change that; the user
    can, with `--sandbox none`. In the sandbox they see no folder of the user's except those of
    `--sandbox-read`, so the ones that they need must be among these.

    Args:
        options: `--run-recorded` and `--sandbox`, which is changed from "auto" or None to "bwrap".
        bots: with the variables that the file gives them.
        played_in: the only sandbox in which the matches can be repeated; None: any will do.
        hidden: as of `chosen_sandbox`.

    Raises:
        UsageError: they may not be started; the text lists them, and names the options.
    """
    started = [bot for bot in bots if is_program(bot, game)]
    programs = list(dict.fromkeys(map(_shown, started)))
    if not programs:
        return
    lacking = [] if options.run_recorded else [_OPTION]
    folders: list[str] = []
    if played_in == "none":
        lacking += ["--sandbox none"] * (options.sandbox != "none")
    elif options.sandbox != "none":
        folders = _folders_to_name(started, options.sandbox_read, filter(None, hidden))
    if lacking or folders:
        more = f" and {len(programs) - _SHOWN} more" if programs[_SHOWN:] else ""
        named = f"{file} names programs that you did not type: {'; '.join(programs[:_SHOWN])}{more}"
        raise UsageError(f"{named}. {_remedy(lacking, folders, played_in)}")
    if options.sandbox != "none":
        options.sandbox = "bwrap"


def _remedy(lacking: Sequence[str], folders: Sequence[str], played_in: Kind | None) -> str:
    """Say what to add to a command so that it starts the programs, and sees these folders."""
    from referee.bots.processes.place import from_here
    from referee.bots.processes.sandbox import is_private_folder

    private = [folder for folder in folders if is_private_folder(folder)]
    if private:  # a line to copy would be what a stranger wants
        files = command_line(map(from_here, private[:_SHOWN]))
        return f"They start only if --sandbox-read names what they want to see: {files}"
    shown_as = [from_here(folder) if folder != os.getcwd() else os.curdir for folder in folders]
    words = [*lacking, *(f"--sandbox-read {command_line([folder])}" for folder in shown_as)]
    rights = " with your rights, in no sandbox" if played_in == "none" else ""
    shown = {0: "", 1: " and show them this folder of yours"}
    shows = shown.get(len(folders), " and show them these folders of yours")
    return f"To start them{rights}{shows}, add {' '.join(words)}"


def _folders_to_name(
    bots: Iterable[BotSource], readable: Iterable[str], hidden: Iterable[str]
) -> list[str]:
    """The folders of the user's that bots need and that are not named, or the one around them."""
    from referee.bots.command import BotCommand
    from referee.bots.processes.sandbox import is_private_folder, unnamed_folders

    seen, unseen = (tuple(map(os.path.abspath, paths)) for paths in (readable, hidden))
    sandbox = Sandbox("bwrap", seen, unseen)
    commands = [bot for bot in bots if isinstance(bot, BotCommand)]
    found = [folder for command in commands for folder in unnamed_folders(command, sandbox)]
    folders = list(dict.fromkeys(found))
    parents = {os.path.dirname(folder) for folder in folders}
    if len(folders) > 1 and len(parents) == 1 and not is_private_folder(min(parents)):
        return list(parents)
    return folders


def chosen_sandbox(
    options: argparse.Namespace,
    bots: Iterable[BotSource | Entrant | BotFolder],
    *hidden: str | None,
    recorded: bool = False,
) -> Sandbox:
    """The sandbox of the bots. With "auto" a bot in a folder needs one.

    Args:
        options: `--sandbox`, which is changed from "auto" to "bwrap" if there are such bots.
        bots: those that were typed; of these only the bots in folders have a `directory`.
        hidden: files and folders that no bot may see, since the referee writes them; or None.
        recorded: as of `Sandbox`.

    Raises:
        UsageError: this machine does not have the sandbox; the text says what to do.
    """
    if options.sandbox == "auto" and any(getattr(bot, "directory", "") for bot in bots):
        options.sandbox = "bwrap"
    choice = options.sandbox or "none"
    if choice not in CHOICES:  # argparse takes any default
        raise UsageError(f"{SANDBOX}={choice}: there are {', '.join(CHOICES)}")
    from referee.bots.processes.sandbox import resolve

    made = resolve(choice, options.sandbox_read, [name for name in hidden if name])
    return made._replace(recorded=recorded)


def is_program(bot: BotSource, game: str) -> bool:
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
