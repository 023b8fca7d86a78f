"""Decides which programs a command may start (see the table in SECURITY.md).

You typed the command line, or the name of the configuration file, so we may start the bots that are
named there. Records, stores and the folders of bots may come from strangers, and we don't start
programs from them until you say so. Bundled bots, rule files and people are always allowed, because
no unknown code runs for them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from referee.cli.options import flag
from referee.cli.settings import SANDBOX
from referee.cli.values import SandboxChoice
from referee.errors import UsageError
from referee.match.sandbox import CHOICES, Sandbox, SandboxKind
from referee.text.terminal import command_line

if TYPE_CHECKING:
    from referee.bots.command import BotSource
    from referee.bots.folder import BotFolder
    from referee.tournament.rows import Entrant

_OPTION = "--run-recorded"
# An error message lists only this many programs.
_SHOWN = 8


def run_recorded_option(file: str) -> bool:
    """Define `--run-recorded`. `file` is used in the help, e.g. "the record"."""
    return flag(
        f"start the programs in {file}; without this option they are only listed",
    )


def sandbox_of_recorded(
    choice: SandboxChoice,
    file: str,
    bots: Iterable[BotSource],
    game: str,
    played_in: SandboxKind | None = None,
    hidden: Iterable[str | None] = (),
    *,
    run_recorded: bool,
) -> SandboxChoice:
    """Check that we may start the bots in a record or a store, and return their sandbox.

    Programs only start with `--run-recorded`, and they start in a sandbox. The user can turn the
    sandbox off with `--sandbox none`, but the file can't. A bot in the sandbox sees none of the
    user's folders unless `--sandbox-read` names them, and we check that it names all folders that
    the bots need.

    Args:
        choice: the user's options.
        file: the name of the record or store.
        bots: the bots, with the environment variables that the file sets for them.
        played_in: the kind of sandbox that we need to repeat the matches, or None if any will do.
        hidden: see `chosen_sandbox`.
        run_recorded: True if the user has given `--run-recorded`.

    Raises:
        UsageError: the bots may not be started. The text lists the programs, and the options that
            the user has to add.
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


def _remedy(lacking: Sequence[str], folders: Sequence[str], played_in: SandboxKind | None) -> str:
    from referee.bots.processes.place import from_here
    from referee.bots.processes.sandbox import is_private_folder

    private = [folder for folder in folders if is_private_folder(folder)]
    # Private folders may have been chosen by a stranger who hopes that the user just pastes the
    # option that we suggest. That's why we list these folders here, but don't print an option.
    if private:
        files = command_line(map(from_here, private[:_SHOWN]))
        also = f"with {' '.join(lacking)}, and " if lacking else ""
        return f"They start only {also}if --sandbox-read names the folders that they need: {files}"
    shown_as = [from_here(folder) if folder != os.getcwd() else os.curdir for folder in folders]
    words = [*lacking, *(f"--sandbox-read {command_line([folder])}" for folder in shown_as)]
    rights = " with your rights, in no sandbox" if played_in == "none" else ""
    shown = {0: "", 1: " and show them this folder of yours"}
    shows = shown.get(len(folders), " and show them these folders of yours")
    return f"To start them{rights}{shows}, add {' '.join(words)}"


def _folders_to_name(
    bots: Iterable[BotSource], readable: Iterable[str], hidden: Iterable[str]
) -> list[str]:
    """Return the folders that `--sandbox-read` has to name, because bots need them.

    If there are several folders and all have the same parent, we only return the parent, unless
    it's a private folder.
    """
    from referee.bots.command import BotCommand
    from referee.bots.processes.sandbox import is_private_folder, unnamed_folders

    seen, unseen = (tuple(map(os.path.abspath, paths)) for paths in (readable, hidden))
    sandbox = Sandbox("bwrap", seen, unseen)
    commands = [bot for bot in bots if isinstance(bot, BotCommand)]
    found = [folder for command in commands for folder in unnamed_folders(command, sandbox)]
    folders = list(dict.fromkeys(found))
    parents = {os.path.dirname(folder) for folder in folders}
    # It's easier to type one option than ten.
    if len(folders) > 1 and len(parents) == 1 and not is_private_folder(min(parents)):
        return list(parents)
    return folders


def chosen_sandbox(
    choice: SandboxChoice,
    bots: Iterable[BotSource | Entrant | BotFolder],
    *hidden: str | None,
    recorded: bool = False,
) -> Sandbox:
    """Return the sandbox in which bots run. If a bot is in a folder, "auto" means "bwrap".

    Args:
        choice: the user's options.
        bots: the bots on the command line. Only bots in folders have a `directory`.
        hidden: files and folders that bots must not see, for example the match record. Entries can
            be None.
        recorded: see `Sandbox`.

    Raises:
        UsageError: this machine doesn't have such a sandbox. The text tells the user what to do.
    """
    kind = choice.kind or "none"
    if kind == "auto" and any(getattr(bot, "directory", "") for bot in bots):
        kind = "bwrap"
    # The value may come from the environment variable, which argparse doesn't check.
    if kind not in CHOICES:
        raise UsageError(f"{SANDBOX}={kind}: there are {', '.join(CHOICES)}")
    from referee.bots.processes.sandbox import resolve

    made = resolve(kind, choice.readable, [name for name in hidden if name])
    return made._replace(recorded=recorded)


def is_program(bot: BotSource, game: str) -> bool:
    """Return True if a bot runs unknown code, or plays from an address on the network."""
    from referee.bots.bundled import bundled_bots
    from referee.bots.command import BotCommand, PythonBot

    if isinstance(bot, PythonBot):
        return False
    # With variables like PYTHONPATH, even a bundled bot could load any code.
    own = isinstance(bot, BotCommand) and not bot.env
    return not own or bot.argument not in bundled_bots(game)


def _shown(bot: BotSource) -> str:
    from referee.bots.command import BotCommand

    if not isinstance(bot, BotCommand):
        return command_line([bot.argument])
    env = [f"{name}={value}" for name, value in bot.env]
    words = command_line([*env, *bot.argv])
    return f"{words} (in {command_line([bot.directory])})" if bot.directory else words
