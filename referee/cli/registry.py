"""Lists all commands, and creates the parsers of their arguments."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import NoReturn, TypeAlias

from referee._version import __version__
from referee.cli.options import Options, parser_of
from referee.cli.parser import Parser
from referee.interrupts import Interrupts
from referee.text.nearest import did_you_mean

# A function that runs a command and returns its exit code.
Run: TypeAlias = Callable[[Options, Interrupts], int]
# Each command with its text in `referee --help`, in the same order. A command "play" is the module
# `referee.cli.commands.play`, which we import only when it's used. The module has a class
# `PlayOptions` and a function `run(options, interrupts)` that returns the exit code.
COMMANDS = {
    "new": "create a folder for a new bot",
    "play": "play one match between two or more bots",
    "conform": "check a bot, or another referee, against the protocol, sentence by sentence",
    "rules": "check rule files, and explain the decisions of their bots",
    "game": "check a game of your own, or write its page for authors of bots",
    "explain": "print a section of the protocol, or the meaning of a code or word",
    "build": "build the bots in folders, each in a sandbox",
    "tournament": "play many matches between many bots, and rate them",
    "standings": "print the standings of a tournament",
    "serve": "show matches and tournaments in the browser",
    "export": "print the matches of a tournament, one row per match",
    "replay": "show a match turn by turn, from its record or its spectator log",
    "page": "show a match in the browser: one file that opens from disk",
    "verify": "run match records again and compare",
    "validate": "check spectator logs, of any referee, against the protocol",
    "bots": "list the bundled example bots",
    "doctor": "check this machine: features, missing parts, how to get them",
    "completion": "print a script that completes words in a shell",
    "help": "print the help of a command",
}


def parser(names: Iterable[str] = COMMANDS, *, whole: bool = True) -> Parser:
    """Create the parser of the program. With `whole`, it also has the arguments of the commands."""
    top = Parser(
        prog="referee",
        usage="%(prog)s COMMAND [OPTION ...] [ARGUMENT ...]",
        description="Plays matches between bots of turn-based games and reports their mistakes.",
        epilog='"referee help COMMAND" prints the help of a command.',
        examples=EXAMPLES,
    )
    version = f"referee {__version__}"
    top.add_argument("-V", "--version", action="version", version=version, help="print the version")
    top.commands = top.add_subparsers(prog="referee", title="commands", metavar="")
    for name in names:
        add_parser = partial(top.commands.add_parser, name, help=COMMANDS[name])
        if whole:
            parser_of(options_type(name), add_parser)
        else:
            add_parser()
    return top


EXAMPLES = (
    ("referee play big_money smithy_big_money", "one match between two bundled bots"),
    ("referee conform ./my_bot.py", "the mistakes of your bot, by section of the protocol"),
    ("referee tournament big_money ./my_bot.py --deals 100", "find the better of two bots"),
)


def options_type(name: str) -> type[Options]:
    """Return a command's options class."""
    kind: type[Options] = getattr(_module(name), f"{name.title()}Options")
    return kind


def command_parser(name: str) -> Parser:
    """Create the parser of one command, a key of `COMMANDS`."""
    return parser([name]).commands.choices[name]


def read_words(words: Sequence[str]) -> tuple[Run, Options]:
    """Parse a command line, and return the function that runs the command, and its options.

    Args:
        words: the command line without the program's name.

    Raises:
        SystemExit: the words are invalid, or ask for help. We've printed the error or the help.
        UsageError: the value of an option is invalid.
    """
    if not words or words[0] not in COMMANDS:
        _end_without_command(words)
    given = vars(command_parser(words[0]).read(words[1:], commands_with=_commands_with))
    run: Run = _module(words[0]).run
    return run, options_type(words[0]).of(given, words)


def _commands_with(flag: str) -> list[str]:
    return [name for name in COMMANDS if flag in command_parser(name)._option_string_actions]


def _module(name: str) -> ModuleType:
    return import_module(f"referee.cli.commands.{name}")


def _end_without_command(words: Sequence[str]) -> NoReturn:
    top = parser(whole=False)
    if not words:
        print(top.format_help(), end="", file=sys.stderr)
        # This isn't 0, so that a script notices if it has forgotten the arguments.
        raise SystemExit(2)
    first = words[0]
    if not first.startswith("-"):
        top.error(f"unknown command {first!r}{did_you_mean(first, COMMANDS)}")
    top.parse_known_args([first])  # exits if this option exists
    top.error(f"unknown option {first}: the COMMAND comes first")
