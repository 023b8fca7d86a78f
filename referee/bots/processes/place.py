"""Chooses the folder in which a bot starts, if there's no sandbox.

Normally that's the folder of the bot's program, just like in a sandbox. But if any other word of
the command may be a path, we use the current folder, because that's where users expect relative
paths to start.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress

from referee.bots.command import BotCommand, is_interpreter

# Words like `--book=a.txt` and `-cp a:b` also contain paths.
_SEPARATORS = re.compile("[=:,]")


def start_place(command: BotCommand) -> tuple[str, list[str]]:
    """Return the folder in which to start a bot, and the command line to use in this folder.

    If that's the current folder, we return "".
    """
    argv = [*command.argv]
    if command.directory:
        return command.directory, argv
    at = _program(argv)
    others = [word for number, word in enumerate(argv) if number not in (0, at)]
    if at is None or any(map(_may_be_path, others)):
        return "", argv
    argv[at] = os.path.abspath(argv[at])
    return os.path.dirname(argv[at]), argv


def from_here(folder: str) -> str:
    """Return a path as users type it, so it's relative if it's inside the current folder."""
    with suppress(FileNotFoundError):  # somebody may have deleted the current folder
        here = os.getcwd()
        if folder.startswith(here.rstrip(os.sep) + os.sep):
            return os.path.relpath(folder, here)
    return folder


def _program(argv: Sequence[str]) -> int | None:
    # Returns the index of the bot's own program, or None if we can't tell. In `python3 -u bot.py`,
    # it's the first word after the interpreter that isn't an option.
    at: int | None = 0
    folder, name = os.path.split(argv[0])
    if folder in os.environ.get("PATH", "").split(os.pathsep) or is_interpreter(name):
        words = enumerate(argv[1:], 1)
        at = next((number for number, word in words if not word.startswith("-")), None)
    return at if at is not None and os.path.isfile(argv[at]) else None


def _may_be_path(word: str) -> bool:
    parts = _SEPARATORS.split(word)
    return any(os.sep in part or (part and os.path.exists(part)) for part in parts)
