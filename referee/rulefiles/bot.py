"""Runs a rule file as a bot, which looks at the view of its seat and scores the moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from referee.errors import BotNotFoundError
from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.interface.vocabulary import Vocabulary
from referee.inputs import read_input
from referee.rulefiles.reading import read, stated_game
from referee.rulefiles.scores import Book
from referee.rulefiles.source import MAX_BYTES, Problem
from referee.text.nearest import instead
from referee.text.terminal import command_line

# Once a reply of a bot has taken more steps than this, we measure the time of its later replies. We
# don't do this for other bots, because reading a thread's CPU clock would take as long as the
# reply.
TIMED_STEPS = 1_000


class RuleFile(Struct, frozen=True):
    """A rule file of a game: its path and its content."""

    game: str
    path: str
    data: bytes

    def new(self) -> RuleBot:
        """Create the bot for a match.

        Raises:
            BotNotFoundError: the file has an error.
        """
        definition = GAMES[self.game]
        book, problems = _read(self.data, self.game)
        if book is None:
            raise BotNotFoundError(_refusal(self, [p for p in problems if p.is_error]))
        return RuleBot(definition, book.fresh_copy())


_Read: TypeAlias = tuple[Book | None, list[Problem]]
# Cache files up to this total number of bytes. Once they're parsed, they take up to 100 times as
# much memory.
KEPT_BYTES = 4 * MAX_BYTES
_kept: dict[tuple[bytes, str], _Read] = {}  # the most recently used file is last
_keeping = Lock()


def _read(data: bytes, game: str) -> _Read:
    # Parsing costs as much as dozens of decisions, and in a tournament the same file plays many
    # matches, so we cache it.
    with _keeping:
        found = _kept.pop((data, game), None)
        if found is None:
            found = read(data, vocabulary_of(GAMES[game]), game)
            left = KEPT_BYTES - len(data)
            while _kept and sum(len(other) for other, _ in _kept) > left:
                del _kept[next(iter(_kept))]
        _kept[data, game] = found
        return found


def vocabulary_of(definition: GameDefinition) -> Vocabulary:
    """Return the cards, keys and other words that rule files of a game can use.

    Raises:
        BotNotFoundError: the game has no rule files.
    """
    found = definition.vocabulary
    if found is None:
        raise BotNotFoundError(f"the game {definition.name} has no rule files")
    return found


def game_of(data: bytes, path: str) -> str | None:
    """Find out which game a rule file is for.

    If the file doesn't say so, we read it with the words of every game, and return the game with
    the fewest problems. Returns None if there are several such games.

    Raises:
        BotNotFoundError: the file names a game that doesn't exist or has no rule files.
    """
    stated = stated_game(data)
    games = [name for name, rules in GAMES.items() if rules.vocabulary is not None]
    if stated in games:
        return stated
    if stated is not None:
        wrong = f"no game with rule files is called {stated!r}{instead(stated, games)}"
        raise BotNotFoundError(f"{path}: {wrong}")
    problems = {game: len(_read(data, game)[1]) for game in games}
    best = [game for game in games if problems[game] == min(problems.values())]
    return best[0] if len(best) == 1 else None


def read_rule_file(path: Path, game: str) -> RuleFile:
    """Read a rule file.

    Raises:
        UsageError: the file has a mistake.
    """
    file = RuleFile(game, str(path), read_input(str(path), MAX_BYTES + 1))
    file.new()
    return file


def _refusal(file: RuleFile, errors: Sequence[Problem]) -> str:
    first, more = errors[0], len(errors) - 1
    # We add --game, because the file doesn't have to state its game.
    command = command_line([file.path, "--game", file.game])
    others = f"; {more} more: referee rules check {command}" if more else ""
    return f"{file.path}, line {first.line}: {first.text}{others}"


class RuleBot:
    """Plays one match by a rule file. Implements `BotObject`.

    `book.looks` explains the last reply.
    """

    def __init__(self, definition: GameDefinition, book: Book) -> None:
        self._definition = definition
        self._name = book.name
        self.book = book
        self._rule_player = vocabulary_of(definition).rule_player(book)
        self._view: Callable[[], Any] = lambda: None
        self._clock: AbstractContextManager[None] = nullcontext()
        self._is_timed = False
        self._encode = msgspec.json.Encoder().encode

    def attach_clock(self, clock: AbstractContextManager[None]) -> None:
        """Set a context manager that measures the CPU time of each reply."""
        self._clock = clock

    def attach_view(self, view: Callable[[], Any]) -> None:
        """Set the function that returns the current view of the seat."""
        self._view = view

    def reword(self, note: str) -> str:
        """Replace the explanation in a note of the game, if we have one for rule files."""
        fact = note.partition(": ")[0]
        advice = vocabulary_of(self._definition).advice.items()
        return next((f"{fact}: {text}" for part, text in advice if part in fact), note)

    def reply(self, lines: Sequence[bytes]) -> bytes:
        """Reply with the bot's name in the handshake, and later with the move that it scores best.

        Raises:
            OverLimitError: the reply takes too many steps.
        """
        view = self._view()
        if view is None:
            seat = msgspec.json.decode(lines[-1])["player_number"]
            named = {"type": "player-name-reply", "player_number": seat, "name": self._name}
            return self._encode({**named, "version": 1})
        looks = self.book.looks
        looks.clear()
        if self._is_timed:
            with self._clock:
                return self._encode(self._rule_player.reply(view))
        reply = self._rule_player.reply(view)
        if looks and looks[-1].steps > TIMED_STEPS:
            self._is_timed = True
        return self._encode(reply)
