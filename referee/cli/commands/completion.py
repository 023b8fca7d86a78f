"""`referee completion`: print a script for completing commands in a shell.

shtab generates the script from our parser. All words are in the script itself, because starting
Python whenever you press TAB would take too long.
"""

from __future__ import annotations

import re
from typing import Any, Literal, TypeAlias, get_args

from referee.bots.bundled import bundled_bots, rule_files, templates
from referee.cli import registry as commands
from referee.cli.console import OK, printing
from referee.cli.options import Options, argument
from referee.games import DEFAULT_GAME, GAMES
from referee.interrupts import Interrupts

Shell: TypeAlias = Literal["bash", "zsh", "fish"]
SHELLS: tuple[Shell, ...] = get_args(Shell)
# For options with these metavars, the shell completes file names.
_FILES = {"FILE", "FILE.sqlite", "LOG", "RECORD"}


class CompletionOptions(Options):
    """Print a script with which a shell completes commands, options, bundled bots and files."""

    examples = (
        ('eval "$(referee completion bash)"', "a line for ~/.bashrc"),
        ('eval "$(referee completion zsh)"', "a line for ~/.zshrc, after compinit"),
        ("referee completion fish > ~/.config/fish/completions/referee.fish", "once, for fish"),
    )

    shell: Shell = argument("SHELL", ", ".join(SHELLS))


def run(options: CompletionOptions, interrupts: Interrupts) -> int:
    text = script(options.shell)
    with interrupts.raising(), printing():
        print(text)
    return OK


def script(shell: str) -> str:
    """Return the script of a shell, one of `SHELLS`."""
    import shtab

    top = commands.parser()
    parsers = top.commands.choices
    for about in top.commands._get_subactions():
        # The shell shows only one line, so use the short description.
        parsers[about.dest].description = about.help
    of_metavar = {"DIR": shtab.DIRECTORY, "BOT": _bots_and_files()}
    of_metavar |= dict.fromkeys(_FILES, shtab.FILE)
    for parser in parsers.values():
        for action in parser._actions:
            if action.metavar in of_metavar:
                action.complete = of_metavar[action.metavar]  # type: ignore[attr-defined]
            if action.dest == "game":
                action.choices = list(GAMES)
    every = [bundled_bots(game) | rule_files(game) | templates(game) for game in GAMES]
    shown = [name for files in every for name in files]
    for command, name, words in (("help", "command", list(parsers)), ("bots", "show", shown)):
        (action,) = (each for each in parsers[command]._actions if each.dest == name)
        action.choices = words
    text = shtab.complete(top, shell)
    # With shtab 1.13, zsh would complete only the first of several arguments.
    return text if shell != "zsh" else re.sub(r'"\(\*\)::?', '"*:', text)


def _bots_and_files() -> dict[str, Any]:
    of_game = {game: " ".join([*bundled_bots(game), *rule_files(game)]) for game in GAMES}
    names = " ".join(of_game.values())
    cases = "\n".join(f"    {game}) names='{bots}' ;;" for game, bots in of_game.items())
    return {
        "bash": "_referee_bots_or_files",
        "zsh": "_referee_bots_or_files",
        "fish": rf"(printf '%s\tbundled bot\n' {names}; __fish_complete_path (commandline -ct))",
        "preamble": {
            "bash": f"""\
_referee_bots_or_files() {{
  local game={DEFAULT_GAME} names= typed='--game[ =]+([a-z]+)'
  [[ "${{COMP_WORDS[*]}}" =~ $typed ]] && game=${{BASH_REMATCH[1]}}
  case $game in
{cases}
  esac
  compgen -W "$names" -- "$1"
  compgen -f -- "$1"
}}
""",
            "zsh": f"""\
_referee_bots_or_files() {{
  _alternative 'bots:bundled bot:({names})' 'files:file:_files'
}}
""",
        },
    }
