"""A match of a small game that reproduces a spectator log, with guessed draws and secret moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from random import Random
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from referee.games.interface.faults import WRONG_TYPE, Fault, InvalidReply
from referee.games.small.author import Game, Move
from referee.games.small.machine import SmallGame, find, plain
from referee.games.small.messages import MoveReply

LOST = InvalidReply(WRONG_TYPE, "")
"""Represents the reply of a player who lost by a wrong move."""
_key = msgspec.json.Encoder(order="sorted").encode
Value: TypeAlias = int | tuple[int, ...] | bytes
"""The result of a draw: the index of a choice, the order of a shuffle, or a secret move as JSON."""

# Trying all orders of n items takes n! matches, which is already 120 for five items. With more
# items we try exchanges of two items. Step by step, these can still reach any order.
SMALL_SHUFFLE = 4
"""Up to this number of items, all orders are tried. Otherwise all exchanges of two are tried."""


class Draw(NamedTuple):
    """A random result, or a secret move, which is handled in the same way.

    The log doesn't show either of them, so both have to be guessed.
    """

    value: Value
    size: int
    items: Sequence[Any] = ()  # the items before a shuffle, or all possible secret moves

    @property
    def first(self) -> Value:
        """The default result, i.e. the first choice, or the order before the shuffle."""
        if isinstance(self.value, bytes):
            first: bytes = self.items[0]
            return first
        return 0 if isinstance(self.value, int) else tuple(range(self.size))

    @property
    def is_listed(self) -> bool:
        """True if `others` yields all other results."""
        return not isinstance(self.value, tuple) or self.size <= SMALL_SHUFFLE

    def others(self) -> Iterator[Value]:
        """Yield other results: all choices, all orders of few items, or all exchanges of two."""
        if isinstance(self.value, bytes):
            yield from (key for key in self.items if key != self.value)
        elif isinstance(self.value, int):
            yield from (value for value in range(self.size) if value != self.value)
        elif self.is_listed:
            yield from (order for order in permutations(range(self.size)) if order != self.value)
        # There are too many orders. Exchanges at least get closer to the right order.
        else:
            for one, two in combinations(range(self.size), 2):
                yield _exchanged(self.value, one, two)

    def changed(self, random: Random) -> Draw:
        """Change the result at random. For a shuffle, two items are exchanged."""
        if isinstance(self.value, bytes):
            return self._replace(value=random.choice(self.items))
        if isinstance(self.value, int):
            return self._replace(value=random.randrange(self.size))
        if self.size < 2:
            return self
        return self._replace(value=_exchanged(self.value, *random.sample(range(self.size), 2)))

    def moves(self, value: Value, named: Sequence[Any]) -> bool:
        """True if another result of a shuffle would move a named item."""
        if not isinstance(value, tuple) or not isinstance(self.value, tuple):
            return False
        return any(
            old != new and (self.items[old] in named or self.items[new] in named)
            for old, new in zip(self.value, value, strict=True)
        )

    def is_like(self, other: Draw) -> bool:
        """True if both draws have the same set of results."""
        if isinstance(self.value, bytes):
            return other.value in self.items
        return type(other.value) is type(self.value) and other.size == self.size


def _exchanged(order: tuple[int, ...], one: int, two: int) -> tuple[int, ...]:
    new = [*order]
    new[one], new[two] = new[two], new[one]
    return tuple(new)


class GuessedDraws:
    """A random source whose first draws are given. Other draws have the default result."""

    def __init__(self, given: Sequence[Value] = ()) -> None:
        self._given = given
        self.draws: list[Draw] = []

    def choose(self, stream: str, count: int) -> int:
        """Return the given choice."""
        value = self._next()
        # If an earlier draw was changed, this value may have been meant for a different draw. If it
        # isn't possible here, use the default.
        number = value if isinstance(value, int) and value < count else 0
        self.draws.append(Draw(number, count))
        return number

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Shuffle in the given order."""
        before, value = [*items], self._next()
        fits = isinstance(value, tuple) and len(value) == len(items)
        order = value if fits and isinstance(value, tuple) else tuple(range(len(items)))
        items[:] = [before[place] for place in order]
        self.draws.append(Draw(order, len(items), before))

    def secret_move(self, moves: Sequence[Move]) -> Move:
        """Return the move that was given as the result of this draw."""
        keys, value = [_key(move) for move in moves], self._next()
        place = keys.index(value) if isinstance(value, bytes) and value in keys else 0
        self.draws.append(Draw(keys[place], len(keys), keys))
        return moves[place]

    def _next(self) -> Value | None:
        place = len(self.draws)
        return self._given[place] if place < len(self._given) else None


class LoggedGame(SmallGame):
    """A match that accepts moves as shown in a log, and publishes no faults."""

    def take_events(self) -> list[Struct]:
        """Return the messages without faults, which aren't in logs."""
        return [event for event in super().take_events() if not isinstance(event, Fault)]

    def advance(self, replies: Mapping[int, object]) -> None:
        """Apply the moves. A `Shown` reply is a move as shown in the log."""
        super().advance(
            {
                seat: self._meant(seat, reply) if isinstance(reply, Shown) else reply
                for seat, reply in replies.items()
            }
        )

    def candidates(self, seat: int, shown: Any) -> list[Move]:
        """Return the legal moves of a seat that have this public part."""
        legal = self.legal[seat]
        # Without secret moves, which is the usual case, the public part is the whole move.
        if type(self.game).shown is Game.shown:
            place = find(legal, shown)
            return [] if place < 0 else [legal[place]]
        return [move for move in legal if find([self.shown(seat, move)], shown) == 0]

    def _meant(self, seat: int, reply: Shown) -> MoveReply:
        # If several moves have the same public part, the move has to be guessed.
        among = self.candidates(seat, reply.move)
        chance: Any = self.setup.chance
        move = chance.secret_move(among) if len(among) > 1 else among[0]
        return MoveReply(plain(move))


class Shown(Struct, frozen=True):
    """A reply, known only by its public part."""

    move: Any
