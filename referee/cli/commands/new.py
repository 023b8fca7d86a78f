"""`referee new`: a folder to start a bot from."""

from __future__ import annotations

import argparse
import shutil

from referee.cli.console import OK, printing
from referee.games import DEFAULT_GAME, GAMES
from referee.interrupts import Interrupts
from referee.text.terminal import escaped


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    from referee.starters import find_language, languages_of, make_bot

    rules = GAMES[options.game]
    key = find_language(options.language, rules)
    option = "" if options.game == DEFAULT_GAME else f"--game {options.game}"
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
