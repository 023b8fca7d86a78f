"""Extends `argparse` with our own help, and with errors that fit in one line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, TypeAlias

from referee.cli.console import BUG, GAME, SHORTAGE, USAGE
from referee.text.nearest import did_you_mean
from referee.text.terminal import escaped

# Every command has these exit codes.
COMMON_EXIT_CODES = {
    USAGE: "wrong usage",
    GAME: "a mistake in the code of your own game",
    BUG: "a bug in the referee",
    SHORTAGE: "the system is short of processes, memory or file descriptors",
    130: "after Ctrl-C",
    143: "after SIGTERM",
}


class Parser(argparse.ArgumentParser):
    """The parser of a command. Options may come between positional arguments.

    Args:
        examples: pairs of a command line and its meaning, for the help and the manual page.
        exit_codes: pairs of a code and its meaning, to which we add the codes that every command
            has. None means that we don't list any codes.
        settings: arguments of `argparse.ArgumentParser`.

    Attributes:
        commands: the parsers of the commands, by name. Only the program's main parser has this.
    """

    commands: argparse._SubParsersAction[Parser]

    def __init__(
        self,
        *,
        examples: Sequence[tuple[str, str]] = (),
        exit_codes: Sequence[tuple[int, str]] | None = None,
        **settings: Any,
    ) -> None:
        defaults: dict[str, Any] = {"formatter_class": _Formatter, "allow_abbrev": False}
        super().__init__(**(defaults | settings))
        self._positionals.title = "arguments"
        self.examples = tuple(examples)
        self.exit_codes = {} if exit_codes is None else COMMON_EXIT_CODES | dict(exit_codes)

    def format_help(self) -> str:
        """Return the text of `--help`."""
        parts = [super().format_help()]
        if self.exit_codes:
            codes = [f"  {code:<5}{what}" for code, what in sorted(self.exit_codes.items())]
            parts.append("\n".join(["exit codes:", *codes, ""]))
        if self.examples:
            lines = [f"  {command}\n      {what}" for command, what in self.examples]
            parts.append("\n".join(["examples:", *lines, ""]))
        return "\n".join(parts)

    def read(
        self,
        words: Sequence[str],
        namespace: argparse.Namespace | None = None,
        commands_with: Callable[[str], Sequence[str]] = lambda flag: (),
    ) -> argparse.Namespace:
        """Parse words, or exit with an error message if they're invalid.

        Args:
            words: the words after the command's name.
            namespace: values for options that aren't in `words`.
            commands_with: returns the names of the commands that have an option, for the message
                about an unknown one.
        """
        # argparse's intermixed parser (in Python 3.11 to 3.13) loses all words after "--".
        read = self.parse_known_args if "--" in words else self.parse_known_intermixed_args
        options, extras = read(words, namespace)
        unknown = [word for word in extras if word.startswith("-")]
        if unknown:
            flag = unknown[0].partition("=")[0]
            actions = [each for each in self._actions if each.help != argparse.SUPPRESS]
            shown = [name for action in actions for name in action.option_strings]
            others = ", ".join(f"referee {name}" for name in commands_with(flag))
            hint = f"; it is an option of {others}" if others else did_you_mean(flag, shown)
            self.error(f"unknown option {flag}{hint}")
        if extras:
            self.error(f"too many arguments: {' '.join(extras)}")
        return options

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:  # argparse ignores write errors, e.g. if the disk is full
            file.write(message)
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        """Print the message and exit with code 2."""
        self.exit(USAGE, f"{self.prog}: {escaped(message)} (see {self.prog} --help)\n")


class _Formatter(argparse.HelpFormatter):
    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        # By default, argparse lists all options in the usage line. We have dozens, and they're
        # listed below anyway.
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
        # The list of commands has a heading already, so we leave out the line above it.
        if isinstance(action.choices, dict):
            lines = text.splitlines(keepends=True)[1:]
            return "".join(line.removeprefix("  ") for line in lines)
        return text

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        import textwrap  # only needed for help (argparse itself does the same)

        words = " ".join(text.split())
        # By default, textwrap also breaks lines at hyphens, e.g. in the middle of an address.
        return textwrap.fill(
            words, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        )


AddParser: TypeAlias = Callable[..., Parser]
"""A function that creates a command's parser. It takes the arguments of `Parser`."""
