"""Command lines: one line for what is wrong, and the kinds of numbers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, TypeAlias

from referee.cli.console import USAGE
from referee.errors import UsageError
from referee.options import MAX_COUNT, MAX_SECONDS
from referee.terminal import escaped

MAX_SEED = 2**53  # as in referee.match, which is too heavy to be loaded for this


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(USAGE, f"{self.prog}: {escaped(message)} (see {self.prog} --help)\n")


def check_files(names: Sequence[str]) -> None:
    """See that files can be there to be read.

    Raises:
        UsageError: one is not there or a directory, or standard input is named twice.
    """
    if names.count("-") > 1:
        raise UsageError("standard input can be read only once")
    for name in names:
        if name != "-" and not Path(name).exists():
            raise UsageError(f"cannot read {name}: there is no such file")
        if Path(name).is_dir():
            raise UsageError(f"cannot read {name}: it is a directory; name the files in it")


_INTEGER = re.compile("[0-9]{1,16}")
_DECIMAL = re.compile("(?:[0-9]{1,16}[.]?[0-9]{0,16}|[.][0-9]{1,16})(?:[eE]-?[0-9]{1,3})?")


def _integer(least: int, most: int, what: str) -> Callable[[str], int]:
    def convert(text: str) -> int:
        # int() takes "1_0", " 1", "+1" and the digits of other scripts as well.
        if not _INTEGER.fullmatch(text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
        return int(text)

    return convert


def _decimal(accepted: Callable[[float], bool], what: str) -> Callable[[str], float]:
    def convert(text: str) -> float:
        if not _DECIMAL.fullmatch(text) or not accepted(float(text)):
            raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
        return float(text)

    return convert


def number(text: str) -> float:
    """A number, which may be negative."""
    if not _DECIMAL.fullmatch(text.removeprefix("-")):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return float(text)


seed = _integer(0, MAX_SEED - 1, "an integer from 0 to 2**53 - 1")
count = _integer(1, MAX_COUNT, "an integer of 1 or more, at most 1,000,000,000")
seconds = _decimal(lambda s: 0 < s <= MAX_SECONDS, "a number of seconds above 0, at most 1,000,000")
probability = _decimal(lambda p: 0 < p < 0.5, "a number above 0 and below 0.5")
grace = _decimal(
    lambda s: 0 <= s <= MAX_SECONDS, "a number of seconds, 0 or more, at most 1,000,000"
)

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"
"""What a command adds itself to."""
