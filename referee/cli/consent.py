"""Which programs a command may start: decided here for all commands (SECURITY.md has the table).

Words of the command line, and of a configuration file named there, are the user's own: they start
what they name. A record or a store is somebody else's until the user says otherwise, and a bot's
folder was handed in. Bundled bots, rule files and people start no program of anybody.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from referee.cli.options import flag
from referee.cli.settings import SANDBOX
from referee.errors import UsageError
from referee.match.sandbox import CHOICES, Choice, Kind, Sandbox
from referee.text.terminal import command_line

if TYPE_CHECKING:
    from referee.bots.command import BotSource
    from referee.bots.folder import BotFolder
    from referee.tournament.rows import Entrant

_OPTION = "--run-recorded"
_SHOWN = 8
"""Programs that are listed."""


class SandboxChoice(NamedTuple):
    """What the user says: `--sandbox` and `--sandbox-read`."""

    kind: Choice | None
    readable: tuple[str, ...]


def run_recorded_option(file: str) -> bool:
    """`--run-recorded`, which allows what a file names: "the record", for its help."""
    return flag(
        f"start the programs that {file} names; without this option they are only listed",
    )


def sandbox_of_recorded(
    choice: SandboxChoice,
    file: str,
    bots: Iterable[BotSource],
    game: str,
    played_in: Kind | None = None,
    hidden: Iterable[str | None] = (),
    *,
    run_recorded: bool,
) -> SandboxChoice:
    """The sandbox of bots that a record or a store names, if they may be started.

    Programs need `--run-recorded`, and start in the sandbox. The file cannot change that; the user
    can, with `--sandbox none`. In the sandbox they see no folder of the user's except those of
    `--sandbox-read`, so the ones that they need must be among these.

    Args:
        choice: of the user.
        file: which names them.
        bots: with the variables that the file gives them.
        played_in: the only sandbox in which the matches can be repeated; None: any will do.
        hidden: as of `chosen_sandbox`.
        run_recorded: whether the user allows it.

    Raises:
        UsageError: they may not be started; the text lists them, and names the options.
    """
    started = [bot for bot in bots if is_program(bot, game)]
    programs = list(dict.fromkeys(map(_shown, started)))
    if not programs:
        return choice
    lacking = [] if run_recorded else [_OPTION]
    folders: list[str] = []
    if played_in == "none":
        lacking += ["--sandbox none"] * (choice.kind != "none")
    elif choice.kind != "none":
        folders = _folders_to_name(started, choice.readable, filter(None, hidden))
    if lacking or folders:
        more = f" and {len(programs) - _SHOWN} more" if programs[_SHOWN:] else ""
        named = f"{file} names programs that you did not type: {'; '.join(programs[:_SHOWN])}{more}"
        raise UsageError(f"{named}. {_remedy(lacking, folders, played_in)}")
    return choice if choice.kind == "none" else choice._replace(kind="bwrap")


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
    choice: SandboxChoice,
    bots: Iterable[BotSource | Entrant | BotFolder],
    *hidden: str | None,
    recorded: bool = False,
) -> Sandbox:
    """The sandbox of the bots. With "auto" a bot in a folder needs one.

    Args:
        choice: of the user.
        bots: those that were typed; of these only the bots in folders have a `directory`.
        hidden: files and folders that no bot may see, since the referee writes them; or None.
        recorded: as of `Sandbox`.

    Raises:
        UsageError: this machine does not have the sandbox; the text says what to do.
    """
    kind = choice.kind or "none"
    if kind == "auto" and any(getattr(bot, "directory", "") for bot in bots):
        kind = "bwrap"
    if kind not in CHOICES:  # the variable may have any value
        raise UsageError(f"{SANDBOX}={kind}: there are {', '.join(CHOICES)}")
    from referee.bots.processes.sandbox import resolve

    made = resolve(kind, choice.readable, [name for name in hidden if name])
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
