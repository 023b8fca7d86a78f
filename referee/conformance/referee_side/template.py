"""Fills in the placeholders in the command line of a referee that we test."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from referee.bots.command import how_to_run
from referee.bots.shell import why_shell, why_shell_program
from referee.errors import UsageError
from referee.games.interface.seats import seat_ids

_PLACEHOLDER = re.compile(r"\{(\w*)\}")
_PLAYERS = "players"
_SEED = "seed"


class Template:
    """The command line of a referee, with placeholders.

    `{player1}`, `{player2}` and so on each stand for the command line of a bot, as one argument.
    `{players}` must be a word of its own, and is replaced by one such argument per player. `{seed}`
    is replaced by the seed of the match.

    Args:
        most: maximum number of players that the game allows.

    Attributes:
        command: the command line, as the user gave it.
        seats: how many players a match can have, e.g. (2, 3, 4).
        seeded: True if there's a `{seed}`.

    Raises:
        UsageError: the quotes or placeholders are wrong, or the command needs a shell.
    """

    def __init__(self, command: str, most: int) -> None:
        self.command = command
        self._numbers = numbers = seat_ids(most)
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"referee {command!r}: {str(error).lower()}") from error
        if problem := why_shell(command):
            raise UsageError(f"COMMAND {command!r}: {problem}")
        names = {name for word in self._words for name in _PLACEHOLDER.findall(word)}
        for name in sorted(names - {*numbers, _PLAYERS, _SEED}):
            raise UsageError(
                f"unknown placeholder {{{name}}}: there are {{player1}} to {{{numbers[-1]}}}, "
                "{players} and {seed}"
            )
        given = [number for number in numbers if number in names]
        if _PLAYERS in names:
            if given:
                raise UsageError("{players} stands for all players; remove the others")
            if "{players}" not in self._words:
                raise UsageError("{players} must be a word of its own")
            given = [*numbers]
        missing = [number for number in numbers if number not in given]
        if len(given) < 2 or given != [*numbers[: len(given)]]:
            raise UsageError(
                f"{{{missing[0]}}} is missing: the command names its bots with "
                "{player1} and {player2}, or {players}"
            )
        self.seeded = _SEED in names
        self.seats = tuple(range(2, len(given) + 1))

    def check_program(self) -> None:
        """Raise `UsageError` if the program can't be run. The message says what to do."""
        program = self._words[0]
        path = Path(program)
        if shutil.which(program) is not None:
            return
        if not program:
            problem = "is empty: give a program"
        elif not path.exists():
            kind = "such file" if "/" in program else "program of that name on the PATH"
            problem = f"{program} not found: no {kind}"
            if shell := why_shell_program(self.command):
                problem = f"{self.command!r}: {shell}"
        elif path.is_dir():
            problem = f"{program} is a directory: give the program in it"
        elif os.access(path, os.X_OK):
            problem = f"{program} is not on the PATH; did you mean ./{program}?"
        else:
            problem = f"{program} is not executable; {how_to_run(program)}"
        raise UsageError(f"COMMAND {problem}")

    def fill(self, bots: Sequence[str], seed: int) -> list[str]:
        """Return the arguments for a match. `bots` has one command line per seat, in order."""
        values = dict(zip(self._numbers, bots, strict=False)) | {_SEED: str(seed)}
        filled: list[str] = []
        for word in self._words:
            if word == "{players}":
                filled += bots
            elif all(name in values for name in _PLACEHOLDER.findall(word)):
                filled.append(_PLACEHOLDER.sub(lambda found: values[found[1]], word))
            elif _PLACEHOLDER.fullmatch(word) and filled and filled[-1].startswith("-"):
                filled.pop()  # if we drop the value of an option, we also have to drop the option
        return filled
