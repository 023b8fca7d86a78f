"""The environment of a small game, in which each possible move is an action.

A view can be any JSON. To get an observation, we simply flatten it to a list of numbers, which
works for every game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, product, repeat
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from referee.games.interface.blaming import as_game_errors
from referee.games.interface.choices import Choices, ChoosingTranslator
from referee.games.interface.environment import Environment, Numbers
from referee.games.interface.faults import quote
from referee.games.interface.game import ALL, GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.small.author import Game, MistakeError, Move, words_of
from referee.games.small.machine import SmallGame, find, plain
from referee.games.small.messages import MoveReply, MoveRequest, View
from referee.games.small.parts import parts
from referee.games.small.person import phrases

BOUND = 2**20
"""Numbers in an observation are clipped to -BOUND and BOUND."""
_key = msgspec.json.Encoder(order="sorted").encode


def environment_of(kind: type[Game], name: str) -> Environment:
    """Create the environment of a game that defines `moves`."""
    moves = all_moves(kind)
    choices = tuple(words_of(kind, move) for move in moves)
    if len({*choices}) < len(choices):
        # The words become the names of actions, so two moves can't have the same words.
        raise MistakeError(kind, "two of `moves` have the same words")
    number = {_key(move): words for move, words in zip(moves, choices, strict=True)}

    begun: dict[tuple[int, bytes], tuple[dict[str, Any], int]] = {}

    def beginning(seats: int, options: Any) -> tuple[dict[str, Any], int]:
        """Return the whole state at the start of a match, and the length of an observation."""
        setting = seats, _key(options)
        if setting not in begun:
            # Only the author's code knows this, so we begin a match and look.
            setup = GameSetup(chance=SeededRandomSource(0), names=("",) * seats, options=options)
            game = SmallGame(kind, name, setup)
            state = game.view(ALL).state
            begun[setting] = state, len(_numbers(kind, game.view(0), state))
        return begun[setting]

    def layout(seats: int, options: Any) -> Numbers:
        _, count = beginning(seats, options)
        low = np.full(count, -BOUND, np.float32)
        # We don't know the meaning of the numbers, so we use their indices as names.
        return Numbers(tuple(map(str, range(count))), low, -low)

    class Translator(ChoosingTranslator, choices=choices):
        beginning: Callable[[], tuple[dict[str, Any], int]]

        def choices(self) -> Choices:
            legal = {_action(kind, number, move): move for move in self.view.moves}
            return MoveReply((yield legal))

        def chosen(self, reply: Any) -> Iterable[str]:
            return [number[_key(self.view.moves[find(self.view.moves, reply.move)])]]

        def observe(self) -> NDArray[np.float32]:
            state, count = self.beginning()
            numbers = _numbers(kind, self.view, state)
            if len(numbers) != count:
                raise MistakeError(
                    kind,
                    f"an observation has {len(numbers)} numbers, and {count} at the start of "
                    "a match: a view whose lists grow, or that has None where there is no value "
                    "yet, needs observe(view)",
                )
            try:
                return np.array(numbers, np.float32).clip(-BOUND, BOUND)
            except (TypeError, ValueError) as error:
                raise MistakeError(kind, f"it must return numbers: {error}", "observe") from error

        def show(self) -> str:
            lines = phrases(parts(kind, self.view.state, len(self.view.scores)))
            size = max((len(line.label) for line in lines), default=0)
            return "\n".join(f"{line.label:{size}}  {line.text}" for line in lines)

    def translator(seat: int, seats: int, options: Any) -> Translator:
        made = Translator(seat, seats)
        made.beginning = partial(beginning, seats, options)
        return made

    return Environment(
        id="".join(part.title() for part in name.split("_")),
        opponent="",
        version=1,
        choices=lambda options: choices,
        observation=layout,
        translator=translator,
        tracker=Tracker,
        simultaneous=kind.together,
    )


class Tracker:
    """A `StateTracker` for small games.

    Each request of a small game contains the whole view, so we can ignore all other messages.
    """

    def __init__(self, seat: int, seats: int) -> None:
        self._request: MoveRequest

    def observe(self, message: Struct) -> None:
        """Remember the message if it's a request."""
        if isinstance(message, MoveRequest):
            self._request = message

    def view(self) -> View:
        """Return the view of the last request."""
        own = self._request
        return View(own.turn, own.scores, own.moves, own.state)


def all_moves(kind: type[Game]) -> Sequence[Move]:
    """Return all moves that can occur, as JSON data.

    If `Game.moves` has values for each field, these are all combinations of the values.
    """
    assert kind.moves is not None
    if not isinstance(kind.moves, Mapping):
        return [plain(move) for move in kind.moves]
    fields = kind.moves
    return [plain(dict(zip(fields, values, strict=True))) for values in product(*fields.values())]


def _numbers(kind: type[Game], view: View, like: dict[str, Any]) -> list[float]:
    with as_game_errors():
        own = kind.observe(view.state)
    return [*own] if own is not None else [*view.scores, *_flat(kind, view.state, like)]


def _action(kind: type[Game], number: Mapping[bytes, str], move: Move) -> str:
    """Return the name of the action that plays a move."""
    if _key(move) not in number:
        raise MistakeError(kind, f"it lists {quote(move)}, which is not in `moves`", "legal")
    return number[_key(move)]


def _flat(kind: type[Game], value: Any, like: Any) -> list[float]:
    """Flatten a value to a list of numbers. Symbols are numbered from 1.

    A hidden value (None) becomes -1, or as many of them as there are numbers in `like`, which has
    the same value at the start of a match, not hidden.
    """
    match value:
        case dict():
            known = like if isinstance(like, dict) else {}
            return [n for key, part in value.items() for n in _flat(kind, part, known.get(key))]
        case list():
            likes = chain(like if isinstance(like, list) else (), repeat(None))
            return [n for part, each in zip(value, likes) for n in _flat(kind, part, each)]  # noqa: B905
        case str() if value in kind.symbols:
            return [kind.symbols.index(value) + 1]
        # A text that isn't a symbol may be a row of a board, so it's read letter by letter.
        case str() if len(value) > 1:
            return [number for letter in value for number in _flat(kind, letter, None)]
        case str():
            problem = f'a text of a view has "{value}": list the text or its letters in `symbols`'
            raise MistakeError(kind, problem)
        case None:
            return [-1] * _length(kind, like)
    return [value]


def _length(kind: type[Game], value: Any) -> int:
    match value:
        case dict() | list():
            parts = value.values() if isinstance(value, dict) else value
            return sum(_length(kind, part) for part in parts)
        case str() if value not in kind.symbols:
            return len(value)
    return 1
