"""`referee bots`: list the bundled example bots, or print one."""

from __future__ import annotations

import sys
from pathlib import Path

from referee.cli.console import OK, PLAIN_WIDTH, printing
from referee.cli.options import Options, option
from referee.cli.values import GameName
from referee.errors import UsageError
from referee.games import GAMES, game_words
from referee.interrupts import Interrupts
from referee.text.terminal import command_line, wrap_list


class BotsOptions(Options):
    """List the bundled example bots, or print the source of one. To start a bot of your own:
    referee new my_bot
    """

    examples = (
        ("referee bots --game botwars", "the bots of one game"),
        ("referee bots --show big_money", "the source of a larger bot"),
        ("referee bots --show minimal > my_bot.py", "copy the smallest bot"),
    )

    show: str | None = option(
        "NAME", None, "print the source of this bot; the source of minimal is meant to be copied"
    )
    game: GameName | None = option("NAME", None, f"only the bots of this game: {', '.join(GAMES)}")


def run(options: BotsOptions, interrupts: Interrupts) -> int:
    from referee.bots.bundled import bundled_bots, describe_bot, rule_files, templates

    games = [options.game] if options.game else list(GAMES)
    if options.show is not None:
        files: dict[str, Path] = {}
        for game in reversed(games):
            files |= bundled_bots(game) | templates(game) | rule_files(game)
        file = files.get(options.show)
        if file is None:
            raise UsageError(f"no {options.show!r}; there are: {', '.join(files)}")
        text = file.read_text(encoding="utf-8")
        # "minimal" isn't a bundled bot. It's there to be copied, and the copy should have a name of
        # its own.
        if options.show == "minimal":
            text = text.replace('"Minimal"', '"My Bot"')
        with interrupts.raising(), printing():
            sys.stdout.write(text)
        return OK
    with interrupts.raising(), printing():
        for game in games:
            bots = bundled_bots(game)
            play = command_line(["referee", "play", *game_words(game), "BOT", "BOT"])
            print(f"{game} ({play}):")
            width = max(map(len, bots), default=0)
            for name, path in bots.items():
                print(f"  {name:{width}}  {describe_bot(path)}")
            by_name = {"Files of rules, played by name too": rule_files(game)}
            for what, files in (by_name | {"To read": templates(game)}).items():
                if files:
                    lines = wrap_list(f"{what}: {', '.join(files)}", PLAIN_WIDTH - 4)
                    print("  " + "\n    ".join(lines))
            print()
        option = (game_words(options.game) or ["--game", options.game]) if options.game else []
        show = ["referee", "bots", "--show", "NAME", *(option if games[0] in GAMES.outside else [])]
        print(f"To read one: {command_line(show)}")
        print(f"To start a bot of your own: {command_line(['referee', 'new', 'my_bot', *option])}")
    return OK
