"""A rule file as a bot: it looks at the view of its seat, and answers by its scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from referee.errors import BotNotFoundError
from referee.games import GAMES
from referee.games.interface.rules import Rules
from referee.games.interface.vocabulary import Vocabulary
from referee.rulefiles.book import Book
from referee.rulefiles.problems import Problem
from referee.rulefiles.reading import read

_MOST_SHOWN = 3
"""Problems of a file that are told where it is a bot; `referee rules check` tells all."""


class RuleFile(Struct, frozen=True):
    """A rule file as a bot of a game: its path, and what stood in it when it was read."""

    game: str
    path: str
    data: bytes

    def new(self) -> RuleBot:
        """Make the bot for a match.

        Raises:
            BotNotFoundError: the file has an error.
        """
        rules = GAMES[self.game]
        book, problems = read(self.data, vocabulary_of(rules), self.game)
        if book is None:
            raise BotNotFoundError(_refusal(self, [p for p in problems if p.is_error]))
        return RuleBot(rules, book)


def vocabulary_of(rules: Rules) -> Vocabulary:
    """The words of a game's rule files.

    Raises:
        BotNotFoundError: it has none.
    """
    found = rules.vocabulary
    if found is None:
        raise BotNotFoundError(f"the game {rules.name} has no rule files")
    return found


def read_rule_file(path: Path, game: str) -> RuleFile:
    """Read a file, and make sure that it can be played.

    Raises:
        BotNotFoundError: it cannot be read, or has an error.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BotNotFoundError(f"BOT {path}: {error.strerror}") from error
    file = RuleFile(game, str(path), data)
    file.new()
    return file


def _refusal(file: RuleFile, errors: Sequence[Problem]) -> str:
    lines = [f"{file.path}:{each.line}: {each.text} ({each.path})" for each in errors[:_MOST_SHOWN]]
    if len(errors) > _MOST_SHOWN:
        lines.append(f"{len(errors) - _MOST_SHOWN} more: `referee rules check {file.path}`")
    return "; ".join(lines)


class RuleBot:
    """Plays one match by a rule file; a `referee.bots.in_process.Player` that wants the view.

    Args:
        rules: the game.
        book: the file.
    """

    def __init__(self, rules: Rules, book: Book) -> None:
        self._name = book.name
        self._book = book
        self._pilot = vocabulary_of(rules).pilot(book)
        self._view: Callable[[], Any] = lambda: None
        self._encode = msgspec.json.Encoder().encode

    def sit(self, view: Callable[[], Any]) -> None:
        """Take what gives the view of its seat, whenever it is called."""
        self._view = view

    def reply(self, lines: Sequence[bytes]) -> bytes:
        """Say its name, or do what the scores say."""
        view = self._view()
        if view is None:
            seat = msgspec.json.decode(lines[-1])["player_number"]
            named = {"type": "player-name-reply", "player_number": seat, "name": self._name}
            return self._encode({**named, "version": 1})
        self._book.looks.clear()
        return self._encode(self._pilot.reply(view))
