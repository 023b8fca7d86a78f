"""`referee new`: a folder to start a bot from."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from referee.cli.console import OK, printing
from referee.cli.options import Options, argument, flag, option
from referee.cli.settings import game_option
from referee.cli.values import GameName
from referee.games import GAMES, game_words
from referee.interrupts import Interrupts
from referee.text.terminal import command_line, escaped


class NewOptions(Options):
    """Make a folder with a small bot that plays a whole game, a test and a README, and print the
    next steps.
    """

    exit_codes = (
        (0, "made"),
        (2, "wrong usage, or a folder that cannot be made"),
    )
    examples = (
        ("referee new my_bot", "in Python, with referee.bot"),
        ("referee new bots/smithy --language rust", "in another language"),
    )

    folder: Path = argument("FOLDER", "to be made; its name is the bot's: my_bot")
    language: str = option(
        "NAME",
        "python",
        "python, javascript, java, c, cpp, rust, perl, go, or one of the game (python)",
    )
    plain: bool = flag("python: speak the protocol, without referee.bot")
    game: GameName = game_option()


def run(options: NewOptions, interrupts: Interrupts) -> int:
    from referee.starters import find_language, languages_of, make_bot

    rules = GAMES[options.game]
    key = find_language(options.language, rules)
    option = command_line(_game_words(options.game, options.folder))
    made = make_bot(options.folder, rules, key, option, plain=options.plain)
    language = languages_of(rules)[key]
    needs, title, folder = language.needs, language.title, escaped(str(options.folder))
    with interrupts.raising(), printing():
        print(f"Made {folder}: a bot in {title}, a test and a README. Next:\n")
        for command in made.commands:
            print(f"  {command}")
        print(f"\nThen change {made.source}; README.md has the next steps.")
        if needs and shutil.which(needs) is None:
            print(f"Install {needs} first: it is not on the PATH.")
    return OK


def _game_words(game: str, folder: Path) -> list[str]:
    """The game as an option of a command that is run in the new folder."""
    outside = GAMES.outside.get(game)
    if outside is None or not os.path.isabs(outside.place):
        return game_words(game)
    return ["--game", os.path.relpath(outside.place, os.path.realpath(folder))]
