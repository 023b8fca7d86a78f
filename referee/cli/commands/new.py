"""`referee new`: create a folder for a new bot or game."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Literal

from referee.cli.console import OK, printing
from referee.cli.options import Options, argument, flag, option
from referee.cli.settings import game_option
from referee.cli.values import GameName
from referee.errors import UsageError
from referee.games import DEFAULT_GAME, GAMES, game_words
from referee.interrupts import Interrupts
from referee.text.terminal import command_line, escaped


class NewOptions(Options):
    """Create a folder with a small bot that plays a whole game, a test and a README, and print the
    next steps.
    """

    exit_codes = (
        (0, "created"),
        (2, "wrong usage, or a folder that cannot be made"),
    )
    examples = (
        ("referee new my_bot", "in Python, with referee.bot"),
        ("referee new bots/smithy --language rust", "in another language"),
        ("referee new my_game --kind game", "a game of your own, with a bot"),
    )

    folder: Path = argument("FOLDER", "the new folder; the bot gets its name")
    kind: Literal["bot", "game"] = option(
        None, "bot", "game: the rules of your own game, a test, and a bot (default: bot)"
    )
    language: str = option(
        "NAME",
        "python",
        "python, javascript, java, c, cpp, rust, perl, go, or one of the game (default: python)",
    )
    plain: bool = flag("python: implement the protocol without referee.bot")
    game: GameName = game_option()


def run(options: NewOptions, interrupts: Interrupts) -> int:
    if options.kind == "game":
        return _make_game(options, interrupts)
    from referee.starters import find_language, languages_of, make_bot

    definition = GAMES[options.game]
    key = find_language(options.language, definition)
    option = command_line(_game_words(options.game, options.folder))
    made = make_bot(options.folder, definition, key, option, plain=options.plain)
    language = languages_of(definition)[key]
    needs, title, folder = language.needs, language.title, escaped(str(options.folder))
    with interrupts.raising(), printing():
        print(f"Made {folder}: a bot in {title}, a test and a README. Next:\n")
        for command in made.commands:
            print(f"  {command}")
        print(f"\nThen change {made.source}; README.md has the next steps.")
        if needs and shutil.which(needs) is None:
            print(f"Install {needs} first: it is not on the PATH.")
    return OK


def _make_game(options: NewOptions, interrupts: Interrupts) -> int:
    from referee.starters.new_game import make_game

    for given, name in (
        (options.language != "python", "--language"),
        (options.plain, "--plain"),
        (options.game != DEFAULT_GAME, "--game"),
    ):
        if given:
            raise UsageError(f"{name} is for a bot, not for --kind game")
    source, commands = make_game(options.folder)
    folder = escaped(str(options.folder))
    with interrupts.raising(), printing():
        print(f"Made {folder}: a game, a bot, a test and a README. Next:\n")
        for command in commands:
            print(f"  {command}")
        print(f"\nThen change {source}; README.md has the next steps.")
    return OK


def _game_words(game: str, folder: Path) -> list[str]:
    outside = GAMES.outside.get(game)
    if outside is None or not os.path.isabs(outside.place):
        return game_words(game)
    # People run these commands in the new folder, so a relative path must start there.
    return ["--game", os.path.relpath(outside.place, os.path.realpath(folder))]
