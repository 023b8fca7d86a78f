"""Recognises which game a bot plays, if it can only play one."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterable

from referee.bots.bundled import bundled_bots
from referee.games import GAMES

_IMPORT = re.compile(rb"^(?:from|import)[ \t]+(\w+)", re.MULTILINE)
_MOST_BYTES = 1 << 20


def only_game(argument: str, directory: str = "") -> str | None:
    """Return the game that a bot plays, or None if we can't tell or if it's more than one.

    We recognise the game by the name of a bundled bot, a dialect, an adapter, or the libraries that
    a Python file imports.
    """
    path = os.path.join(directory, argument)
    if os.path.lexists(path):
        imported = libraries(path) - sys.stdlib_module_names
        if not imported:  # loading all games is slow
            return None
        return _only(
            name
            for name, definition in GAMES.items()
            if any(adapter.library in imported for adapter in definition.adapters.values())
        )
    prefix, colon, spoken = argument.partition(":")
    if not colon:
        return _only(game for game in GAMES if _first_word(argument) in bundled_bots(game))
    games = [
        name
        for name, definition in GAMES.items()
        if prefix in {*definition.dialects, *definition.adapters}
    ]
    named = [game for game in games if _first_word(spoken) in bundled_bots(game)]
    return _only(named or games)


def libraries(path: str) -> set[str]:
    """Return the modules that a Python file imports at its top level, without running it.

    We only use this as a hint, so a regular expression is good enough.
    """
    if not path.endswith(".py") or not os.path.isfile(path):
        return set()
    try:
        with open(path, "rb") as file:
            return {name.decode() for name in _IMPORT.findall(file.read(_MOST_BYTES))}
    except OSError:
        return set()


def _first_word(command: str) -> str:
    try:
        return next(iter(shlex.split(command)), "")
    except ValueError:
        return ""


def _only(games: Iterable[str]) -> str | None:
    found = list(games)
    return found[0] if len(found) == 1 else None
