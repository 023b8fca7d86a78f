"""Play a match in which we choose the random results and secret moves.

We use this to reproduce a match from a spectator log, which doesn't show them.
"""

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
"""Stands for the reply of a player who lost because of a wrong move. Logs don't show that reply."""
_key = msgspec.json.Encoder(order="sorted").encode
Value: TypeAlias = int | tuple[int, ...] | bytes
"""The result of a draw: the index of a choice, the order of a shuffle, or a secret move as JSON."""

# To try all orders of n items, we'd have to play n! matches, which is 120 for just five items. If a
# shuffle has more items than this, we only exchange two of them. Several such steps can still reach
# any order.
SMALL_SHUFFLE = 4
"""We try all orders of a shuffle with at most this many items."""


class Draw(NamedTuple):
    """A random choice, a shuffle, or a secret move.

    A secret move isn't random, but the log doesn't show it either, so we guess it in the same way.

    Attributes:
        value: the result.
        size: the number of choices, of shuffled items, or of possible moves.
        items: the items before a shuffle, or all possible secret moves.
    """

    value: Value
    size: int
    items: Sequence[Any] = ()

    @property
    def first(self) -> Value:
        """The result to begin with, i.e. the first choice, or the order before the shuffle."""
        if isinstance(self.value, bytes):
            first: bytes = self.items[0]
            return first
        return 0 if isinstance(self.value, int) else tuple(range(self.size))

    @property
    def is_listed(self) -> bool:
        """True if there are few enough results that `others` yields all of them."""
        return not isinstance(self.value, tuple) or self.size <= SMALL_SHUFFLE

    def others(self) -> Iterator[Value]:
        """Yield the results to try instead of this one."""
        if isinstance(self.value, bytes):
            yield from (key for key in self.items if key != self.value)
        elif isinstance(self.value, int):
            yield from (value for value in range(self.size) if value != self.value)
        elif self.is_listed:
            yield from (order for order in permutations(range(self.size)) if order != self.value)
        # There are too many orders to try. Exchanging two items may at least get us closer to the
        # right one.
        else:
            for one, two in combinations(range(self.size), 2):
                yield _exchanged(self.value, one, two)

    def changed(self, random: Random) -> Draw:
        """Return a draw with a random result. In a shuffle, we only exchange two random items."""
        if isinstance(self.value, bytes):
            return self._replace(value=random.choice(self.items))
        if isinstance(self.value, int):
            return self._replace(value=random.randrange(self.size))
        if self.size < 2:
            return self
        return self._replace(value=_exchanged(self.value, *random.sample(range(self.size), 2)))

    def moves(self, value: Value, named: Sequence[Any]) -> bool:
        """Return True if one of the named items would be elsewhere if this result were `value`."""
        if not isinstance(value, tuple) or not isinstance(self.value, tuple):
            return False
        return any(
            old != new and (self.items[old] in named or self.items[new] in named)
            for old, new in zip(self.value, value, strict=True)
        )

    def is_like(self, other: Draw) -> bool:
        """Return True if the result of the other draw is also possible here."""
        if isinstance(self.value, bytes):
            return other.value in self.items
        return type(other.value) is type(self.value) and other.size == self.size


def _exchanged(order: tuple[int, ...], one: int, two: int) -> tuple[int, ...]:
    new = [*order]
    new[one], new[two] = new[two], new[one]
    return tuple(new)


class GuessedDraws:
    """A random source that returns the given results. After these it uses `Draw.first`.

    Attributes:
        draws: all draws so far.
    """

    def __init__(self, given: Sequence[Value] = ()) -> None:
        self._given = given
        self.draws: list[Draw] = []

    def choose(self, stream: str, count: int) -> int:
        """Return the next given result, or 0 if it isn't possible here."""
        value = self._next()
        # After a change of an earlier draw, the game may draw different things, and this result may
        # have been meant for another draw.
        number = value if isinstance(value, int) and value < count else 0
        self.draws.append(Draw(number, count))
        return number

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Put the items in the next given order, or leave them as they are if it doesn't fit."""
        before, value = [*items], self._next()
        fits = isinstance(value, tuple) and len(value) == len(items)
        order = value if fits and isinstance(value, tuple) else tuple(range(len(items)))
        items[:] = [before[place] for place in order]
        self.draws.append(Draw(order, len(items), before))

    def secret_move(self, moves: Sequence[Move]) -> Move:
        """Return the next given move, or the first of these moves if it isn't among them."""
        keys, value = [_key(move) for move in moves], self._next()
        place = keys.index(value) if isinstance(value, bytes) and value in keys else 0
        self.draws.append(Draw(keys[place], len(keys), keys))
        return moves[place]

    def _next(self) -> Value | None:
        place = len(self.draws)
        return self._given[place] if place < len(self._given) else None


class LoggedGame(SmallGame):
    """A match that gets its moves from a spectator log, where a part of a move may be missing."""

    def take_events(self) -> list[Struct]:
        """Return the messages since the last call, but no faults, because logs don't have them."""
        return [event for event in super().take_events() if not isinstance(event, Fault)]

    def advance(self, replies: Mapping[int, object]) -> None:
        """Apply the moves of a turn. A reply can also be `Shown`."""
        super().advance(
            {
                seat: self._meant(seat, reply) if isinstance(reply, Shown) else reply
                for seat, reply in replies.items()
            }
        )

    def candidates(self, seat: int, shown: Any) -> list[Move]:
        """Return the legal moves of a seat that would look like this in the log."""
        legal = self.legal[seat]
        # Most games have no secret moves, and the log shows the whole move.
        if type(self.game).shown is Game.shown:
            place = find(legal, shown)
            return [] if place < 0 else [legal[place]]
        return [move for move in legal if find([self.shown(seat, move)], shown) == 0]

    def _meant(self, seat: int, reply: Shown) -> MoveReply:
        # If several moves look the same in the log, we have to guess which one it was.
        among = self.candidates(seat, reply.move)
        chance: Any = self.setup.chance
        move = chance.secret_move(among) if len(among) > 1 else among[0]
        return MoveReply(plain(move))


class Shown(Struct, frozen=True):
    """A reply that the log shows, maybe without its secret part."""

    move: Any
