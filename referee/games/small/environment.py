"""The environment of a small game, in which each possible move is an action.

A view can be any JSON. To get an observation, we simply flatten it to a list of numbers, which
works for every game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from referee.games.interface.choices import Choices, ChoosingTranslator
from referee.games.interface.environment import Environment, Numbers
from referee.games.interface.game import GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.small.author import Game, MistakeError, Move
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
    choices = tuple(map(kind.words, moves))
    if len({*choices}) < len(choices):
        # The words become the names of actions, so two moves can't have the same words.
        raise MistakeError(kind, "two of `moves` have the same words")
    number = {_key(move): words for move, words in zip(moves, choices, strict=True)}

    counts: dict[tuple[int, bytes], int] = {}

    def layout(seats: int, options: Any) -> Numbers:
        setup = GameSetup(chance=SeededRandomSource(0), names=("",) * seats, options=options)
        # Only the author's code knows how long an observation is, so we begin a match and look.
        names = [*_names(kind, SmallGame(kind, name, setup).view(0))]
        low = np.full(len(names), -BOUND, np.int32)
        return Numbers(tuple(names), low, -low)

    class Translator(ChoosingTranslator, choices=choices):
        count: Callable[[], int]  # the numbers of an observation at the start of a match

        def choices(self) -> Choices:
            legal = {number[_key(move)]: move for move in self.view.moves}
            return MoveReply((yield legal))

        def chosen(self, reply: Any) -> Iterable[str]:
            return [number[_key(self.view.moves[find(self.view.moves, reply.move)])]]

        def observe(self) -> NDArray[np.int32]:
            numbers = _numbers(kind, self.view)
            if len(numbers) != (count := self.count()):
                raise MistakeError(
                    kind,
                    f"an observation has {len(numbers)} numbers, and {count} at the start of "
                    "a match: a view whose lists grow, or that hides a text as None, needs "
                    "observe(view)",
                )
            return np.array(numbers, np.int32).clip(-BOUND, BOUND)

        def show(self) -> str:
            lines = phrases(parts(kind, self.view.state, len(self.view.scores)))
            size = max((len(line.label) for line in lines), default=0)
            return "\n".join(f"{line.label:{size}}  {line.text}" for line in lines)

    def count(seats: int, options: Any) -> int:
        setting = seats, _key(options)
        if setting not in counts:
            counts[setting] = len(layout(seats, options).names)
        return counts[setting]

    def translator(seat: int, seats: int, options: Any) -> Translator:
        made = Translator(seat, seats)
        made.count = partial(count, seats, options)
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


def _numbers(kind: type[Game], view: View) -> list[int]:
    own = kind.observe(view.state)
    return [*own] if own is not None else [*_flat(kind, [*view.scores, view.state])]


def _names(kind: type[Game], view: View) -> list[str]:
    # We don't know the meaning of the numbers, so we use their indices as names.
    return [str(place) for place in range(len(_numbers(kind, view)))]


def _flat(kind: type[Game], value: Any) -> list[int]:
    """Flatten a value to a list of numbers. Symbols are numbered from 1, and None becomes -1."""
    match value:
        case dict():
            return [number for part in value.values() for number in _flat(kind, part)]
        case list():
            return [number for part in value for number in _flat(kind, part)]
        case str() if value in kind.symbols:
            return [kind.symbols.index(value) + 1]
        # A text that isn't a symbol may be a row of a board, so it's read letter by letter.
        case str() if len(value) > 1:
            return [number for letter in value for number in _flat(kind, letter)]
        case str():
            raise MistakeError(kind, f'a view has the text "{value}", which is not in `symbols`')
        case None:
            return [-1]
    return [round(value)]
