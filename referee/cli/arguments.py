"""Command lines: help texts, one-line errors, and the kinds of numbers."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, TypeVar

from referee.cli.console import BUG, SHORTAGE, USAGE, check_other_file
from referee.errors import UsageError, cannot_write
from referee.inputs import STDIN, check_input, read_input
from referee.match.limits import MAX_BYTES, MAX_COUNT, MAX_SECONDS, UNITS
from referee.text.encoding import wide_encoding
from referee.text.nearest import did_you_mean
from referee.text.terminal import escaped

N = TypeVar("N", int, float)
Options: TypeAlias = argparse._ActionsContainer
"""What options are added to: a parser, or a group of options with a title of its own."""
MAX_SEED = 2**53  # as in referee.match.machine, which is too heavy to be loaded for this

COMMON_EXIT_CODES = {
    USAGE: "wrong usage",
    BUG: "a bug in the referee",
    SHORTAGE: "the system is short of processes, memory or file descriptors",
    130: "after Ctrl-C",
    143: "after SIGTERM",
}
"""Exit codes that every command may end with."""


class Parser(argparse.ArgumentParser):
    """A parser that accepts options between the other arguments and reports errors in one line.

    Args:
        examples: pairs of a command line and its meaning, for the help and the manual page.
        exit_codes: meaning of each code; the codes that every command has are added. None: the help
            lists no codes.
        settings: of `argparse.ArgumentParser`.

    Attributes:
        commands: of the parser of the whole command, the parsers of its commands.
    """

    commands: argparse._SubParsersAction[Parser]

    def __init__(
        self,
        *,
        examples: Sequence[tuple[str, str]] = (),
        exit_codes: Mapping[int, str] | None = None,
        **settings: Any,
    ) -> None:
        defaults: dict[str, Any] = {"formatter_class": _Formatter, "allow_abbrev": False}
        super().__init__(**(defaults | settings))
        self._positionals.title = "arguments"
        self.examples = tuple(examples)
        self.exit_codes = {} if exit_codes is None else {**COMMON_EXIT_CODES, **exit_codes}

    def format_help(self) -> str:
        """The text of `--help`."""
        parts = [super().format_help()]
        if self.exit_codes:
            codes = [f"  {code:<5}{what}" for code, what in sorted(self.exit_codes.items())]
            parts.append("\n".join(["exit codes:", *codes, ""]))
        if self.examples:
            lines = [f"  {command}\n      {what}" for command, what in self.examples]
            parts.append("\n".join(["examples:", *lines, ""]))
        return "\n".join(parts)

    def read(
        self, words: Sequence[str], namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """The arguments in the words, which end the program if they are wrong.

        Args:
            words: behind the command's name.
            namespace: the values of options that the words do not set.
        """
        # argparse (3.11 to 3.13) loses what follows "--" if it has to sort out the rest.
        read = self.parse_known_args if "--" in words else self.parse_known_intermixed_args
        options, extras = read(words, namespace)
        unknown = [word for word in extras if word.startswith("-")]
        if unknown:
            from referee.cli.foreign_options import use_instead  # only on the way to an error

            flag = unknown[0].partition("=")[0]
            actions = [each for each in self._actions if each.help != argparse.SUPPRESS]
            shown = [name for action in actions for name in action.option_strings]
            hint = use_instead(flag, self.prog, actions) or did_you_mean(flag, shown)
            self.error(f"unknown option {flag}{hint}")
        if extras:
            self.error(f"too many arguments: {' '.join(extras)}")
        return options

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:  # argparse would not say that it cannot be written
            file.write(message)
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(USAGE, f"{self.prog}: {escaped(message)} (see {self.prog} --help)\n")


class _Formatter(argparse.HelpFormatter):
    """Help that lists no option twice and breaks no address at a hyphen."""

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        if usage is None:
            words = [
                self._format_args(action, self._get_default_metavar_for_positional(action))
                for action in actions
                if not action.option_strings
            ]
            usage = " ".join(["%(prog)s", "[OPTION ...]", *words])
        super().add_usage(usage, actions, groups, prefix)

    def _format_action(self, action: argparse.Action) -> str:
        text = super()._format_action(action)
        if isinstance(action.choices, dict):  # the list of commands, after a line of its own
            lines = text.splitlines(keepends=True)[1:]
            return "".join(line.removeprefix("  ") for line in lines)
        return text

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        import textwrap  # as argparse does: only for help

        words = " ".join(text.split())
        return textwrap.fill(
            words, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        )


def check_files(names: Sequence[str], *, written: str | None = None) -> None:
    """See that files can be read.

    Args:
        written: a file that is to be written, which none of them may be.

    Raises:
        UsageError: one cannot be read, or standard input is named twice.
    """
    if names.count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    for name in names:
        if name != STDIN:
            check_input(name)
    if written is not None:
        check_other_file(written, names)


def made_folder(name: str) -> Path:
    """Create the folder for output files if it does not exist.

    As with a file, the folder that it is to be in must be there: a slip in a long path makes none.

    Raises:
        UsageError: it cannot be made.
    """
    path = Path(name)
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(name, error) from error
    return path


_INTEGER = "[0-9]{1,16}"
_DECIMAL = "(?:[0-9]{1,16}[.]?[0-9]{0,16}|[.][0-9]{1,16})(?:[eE]-?[0-9]{1,3})?"


def _number(
    kind: type[N], pattern: str, accepted: Callable[[N], bool], what: str
) -> Callable[[str], N]:
    def convert(text: str) -> N:
        # int() takes "1_0", " 1", "+1" and the digits of other scripts as well.
        if not re.fullmatch(pattern, text) or not accepted(kind(text)):
            raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
        return kind(text)

    return convert


def _integer(least: int, most: int, what: str) -> Callable[[str], int]:
    return _number(int, _INTEGER, lambda number: least <= number <= most, what)


def _decimal(accepted: Callable[[float], bool], what: str) -> Callable[[str], float]:
    return _number(float, _DECIMAL, accepted, what)


number = _number(float, f"-?{_DECIMAL}", lambda _: True, "a number")
_MOST_SEED = 100
"""Characters of a file that has a seed."""
seed = _integer(0, MAX_SEED - 1, "an integer from 0 to 2**53 - 1")
count = _integer(1, MAX_COUNT, "an integer of 1 or more, at most 1,000,000,000")
seconds = _decimal(lambda s: 0 < s <= MAX_SECONDS, "a number of seconds above 0, at most 1,000,000")


def ip_address(text: str) -> str:
    """An address of IPv4 or IPv6, as the server compares it."""
    import ipaddress

    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an address such as 127.0.0.1") from None


def add_seed(parser: Options) -> None:
    """Add `--seed` and `--seed-file`, both as `seed`; and the name of the file as `seed_file`."""
    add = parser.add_mutually_exclusive_group().add_argument
    add("--seed", type=seed, metavar="N", help="0 <= N < 2**53; random if not given")
    text = 'a file that has the seed, or "-": no bot can find it in the list of processes'
    add("--seed-file", action=_SeedFile, metavar="FILE", help=text)


def add_force(parser: Options) -> None:
    """Add `--force`."""
    text = "replace an output file even if referee did not write it"
    parser.add_argument("--force", action="store_true", help=text)


def add_standings(parser: Options) -> None:
    """Add the options that say what of the standings is shown."""
    rating = "fix the rating of this bot; otherwise the mean is 1500"
    parser.add_argument("--anchor", metavar="BOT=RATING", help=rating)
    parser.add_argument("--bot", metavar="NAME", help="also show the details of this bot")


class _SeedFile(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        try:
            namespace.seed = _seed_of_file(values)
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentError(self, str(error)) from error
        setattr(namespace, self.dest, values)


def _seed_of_file(name: str) -> int:
    try:
        data = read_input(name, _MOST_SEED)
        if encoding := wide_encoding(data):
            problem = f"{name} has no seed: it is {encoding}; save it as UTF-8"
            raise argparse.ArgumentTypeError(problem)
        text = data.decode("utf-8-sig").strip()
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    except ValueError as error:  # no UTF-8
        raise argparse.ArgumentTypeError(f"{name} has no seed: it is not text") from error
    try:
        return seed(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{name}: {error}") from error


def variable(text: str) -> tuple[str, str]:
    """A variable of the environment: NAME=VALUE, or NAME for the value that it has here."""
    name, equals, value = text.partition("=")
    if not name or "\0" in text:
        raise argparse.ArgumentTypeError(f"{text!r}: give NAME=VALUE or NAME")
    if not equals and name not in os.environ:
        raise argparse.ArgumentTypeError(f"{name} has no value here: give {name}=VALUE")
    return name, value if equals else os.environ[name]


def player(text: str) -> int:
    """A player by number, "2", or as the protocol has it, "player2"."""
    try:
        return count(text.removeprefix("player"))
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a player: give 1 or player1, for example"
        ) from None


def turns(text: str) -> tuple[int, int]:
    """A range of turns: "10-20", or one turn, "10"."""
    given = re.fullmatch(r"([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?", text)
    first, last = (int(given[1]), int(given[2] or given[1])) if given else (1, 0)
    if first > last:
        raise argparse.ArgumentTypeError(f"{text!r} is not a range of turns, such as 10-20")
    return first, last


def or_none(kind: Callable[[str], float]) -> Callable[[str], float]:
    """Read an argument with `kind`; the word "none" means no limit and gives infinity."""

    def convert(text: str) -> float:
        if text in ("none", "inf"):
            return math.inf
        try:
            return kind(text)
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentTypeError(f"{error}, or 'none'") from None

    return convert


limit = or_none(seconds)
"""Seconds, or infinite if there is to be no limit."""


def size(text: str) -> int:
    """Bytes: an integer, or one with K, M or G behind it."""
    digits, unit = (text[:-1], text[-1]) if text[-1:] in UNITS else (text, "")
    if not re.fullmatch(_INTEGER, digits) or not 0 < int(digits) * UNITS.get(unit, 1) <= MAX_BYTES:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of bytes, such as 65536, 64K, 512M or 2G"
        )
    return int(digits) * UNITS.get(unit, 1)


probability = _decimal(lambda p: 0 < p < 0.5, "a number above 0 and below 0.5")
grace = _decimal(
    lambda s: 0 <= s <= MAX_SECONDS, "a number of seconds, 0 or more, at most 1,000,000"
)

AddParser: TypeAlias = Callable[..., Parser]
"""Makes the parser of a command from the arguments of `Parser`."""
