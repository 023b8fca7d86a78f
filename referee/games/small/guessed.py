"""A match of a small game behind a spectator log: its hidden draws and secret moves are guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from referee.games.interface.faults import WRONG_TYPE, Fault, InvalidReply
from referee.games.interface.game import GameSetup
from referee.games.small.author import Game, Move
from referee.games.small.machine import SmallGame, find, plain
from referee.games.small.messages import MoveReply

LOST = InvalidReply(WRONG_TYPE, "")
"""Stands for the reply of a player who lost by a wrong move."""
_key = msgspec.json.Encoder(order="sorted").encode
Value: TypeAlias = int | tuple[int, ...] | bytes
"""A result: the number of a choice, the order of a shuffle as places, a secret move as JSON."""


class Draw(NamedTuple):
    """A result of chance, or a secret move, which is kept as a draw."""

    value: Value
    size: int
    items: Sequence[Any] = ()  # of a shuffle, before it; or all secret moves that are possible


class GuessedDraws:
    """A random source whose first draws are given; the others are the first of all results."""

    def __init__(self, given: Sequence[Value] = ()) -> None:
        self._given = given
        self.draws: list[Draw] = []

    def choose(self, stream: str, count: int) -> int:
        """Choose as it is given."""
        value = self._next()
        number = value if isinstance(value, int) and value < count else 0
        self.draws.append(Draw(number, count))
        return number

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Shuffle as it is given."""
        before, value = [*items], self._next()
        fits = isinstance(value, tuple) and len(value) == len(items)
        order = value if fits and isinstance(value, tuple) else tuple(range(len(items)))
        items[:] = [before[place] for place in order]
        self.draws.append(Draw(order, len(items), before))

    def secret_move(self, moves: Sequence[Move]) -> Move:
        """Choose one of the moves as it is given."""
        keys, value = [_key(move) for move in moves], self._next()
        place = keys.index(value) if isinstance(value, bytes) and value in keys else 0
        self.draws.append(Draw(keys[place], len(keys), keys))
        return moves[place]

    def _next(self) -> Value | None:
        place = len(self.draws)
        return self._given[place] if place < len(self._given) else None


class LoggedGame(SmallGame):
    """A match behind a log: it keeps what it has said, and the shown moves that it was given.

    Attributes:
        draws: its chance, a `GuessedDraws`.
        said: its public messages so far, oldest first.
        given: for each turn seat -> what the log shows of its move; `LEFT`, or `LOST`.
    """

    def __init__(self, kind: type[Game], name: str, setup: GameSetup) -> None:
        self.said: list[Struct] = []
        self.given: list[Mapping[int, Any]] = []
        self.draws: Any = setup.chance
        super().__init__(kind, name, setup)
        self._keep()

    def advance(self, replies: Mapping[int, object]) -> None:
        """Carry out the moves; a `Shown` reply is a move as the log shows it."""
        self.given.append(dict(replies))
        super().advance(
            {
                seat: self._meant(seat, reply) if isinstance(reply, Shown) else reply
                for seat, reply in replies.items()
            }
        )
        self._keep()

    def candidates(self, seat: int, shown: Any) -> list[Move]:
        """The legal moves of a seat that a log shows in this way."""
        legal = self.legal[seat]
        if type(self.game).shown is Game.shown:
            place = find(legal, shown)
            return [] if place < 0 else [legal[place]]
        return [move for move in legal if find([self.shown(seat, move)], shown) == 0]

    def _meant(self, seat: int, reply: Shown) -> MoveReply:
        among = self.candidates(seat, reply.move)
        move = self.draws.secret_move(among) if len(among) > 1 else among[0]
        return MoveReply(plain(move))

    def _keep(self) -> None:
        """Keep the messages. A log has no faults, so this match does not publish any."""
        self._events = [event for event in self._events if not isinstance(event, Fault)]
        self.said += self._events


class Shown(Struct, frozen=True):
    """Stands for a reply: what a log shows of the move."""

    move: Any
