"""Command lines: one line for what is wrong, and the kinds of numbers."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import NoReturn, TypeAlias

from referee.cli.console import USAGE

MAX_SEED = 2**53  # as in referee.match, which is too heavy to be loaded for this


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")


def number(
    kind: Callable[[str], float], accepted: Callable[[float], bool], what: str
) -> Callable[[str], float]:
    """An argument's type: of this kind, and accepted; `what` says which are."""

    def convert(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not accepted(value):
            raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
        return value

    return convert


seed = number(int, lambda n: 0 <= n < MAX_SEED, "an integer from 0 to 2**53 - 1")
count = number(int, lambda n: n >= 1, "an integer of 1 or more")
seconds = number(float, lambda s: 0 < s < math.inf, "a number of seconds above 0")
grace = number(float, lambda s: 0 <= s < math.inf, "a number of seconds, 0 or more")

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"
"""What a command adds itself to."""
