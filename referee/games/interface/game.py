"""The interface between a game and a match.

A game is a state machine without I/O. It proceeds in rounds. `requests` are the decisions that it
waits for, at most one per seat. Several requests make up a simultaneous move. `advance` takes all
replies together, so the order of their arrival has no effect, and runs to the next requests or to
the outcome. `take_events` returns the messages in between.

The game depends only on random numbers, options and replies. A new game with the same replies gives
the same match again. Replays, snapshots and verification rely on this.

    rules = GAMES["dominion"]
    setup = GameSetup(
        chance=SeededRandomSource(7), names=("Ann", "Ben"), options=rules.options()
    )
    game = rules.new(setup)
    while game.requests:
        game.advance({request.seat: decide(request) for request in game.requests})
        for event in game.take_events(): ...
    print(game.outcome)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from msgspec import Struct, convert

from referee.games.interface.faults import EndReason
from referee.games.interface.random_source import RandomSource


class Request(Struct, gc=False):
    """A decision that the game waits for.

    Attributes:
        seat: the seat that decides, from 0.
        asks: the message, or a function that creates it. Use a function for big messages, because
            they are often not needed.
        clock: requests of a seat with the same clock share its time limit, for example all requests
            of a turn or of the match. Empty: the limit applies to this reply only.
        writes: creates the message for encoding as JSON. Parts can be text (`msgspec.Raw`) that is
            shared with earlier requests. None: `asks` is encoded.
    """

    seat: int
    asks: Struct | Callable[[], Struct]
    clock: str = ""
    writes: Callable[[], Struct] | None = None

    @property
    def message(self) -> Struct:
        """The private message of the request, one of the game's request structs.

        It's created from the state of the game at the first access, so use it before `advance`.
        """
        asks = self.asks
        if callable(asks):
            asks = self.asks = asks()
        return asks

    @property
    def written(self) -> Struct:
        """The message for encoding as JSON. Use it before `advance`."""
        return self.message if self.writes is None else self.writes()


class SeatLeft(Struct, frozen=True):
    """Replaces the reply of a seat that left the match.

    The rules decide what that means for the turn.
    """


LEFT = SeatLeft()


class Outcome(Struct, frozen=True):
    """The end of a match.

    Attributes:
        reason: an `EndReason` or one of the game's own end reasons.
        ranks: one per seat; 1 is best. Ties share a rank and leave a gap after it (1, 1, 3). Seats
            that left share the last rank.
    """

    reason: str
    ranks: tuple[int, ...]

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats of rank 1, in order. Empty if no player is left."""
        """The seats of rank 1, in order. Empty if no player is left."""
        if self.reason == EndReason.NO_PLAYERS:
            return ()
        return tuple(seat for seat, rank in enumerate(self.ranks) if rank == 1)


def ranks(keys: Sequence[Any]) -> tuple[int, ...]:
    """Return the rank of each seat. The smallest key is best, and equal keys share a rank."""
    return tuple(1 + sum(other < key for other in keys) for key in keys)


Score: TypeAlias = int | float
"""Points of a seat. Fractions such as 2.5 are possible."""


class SeatState(Struct, frozen=True):
    """The state of one seat, during or after the game.

    Attributes:
        facts: other numbers of the game, for people and tables; a `GameDefinition.facts`.
    """

    score: Score
    turns: int
    facts: Struct


class Audience(Enum):
    """Viewers without a seat: spectators, and readers of a complete record."""

    PUBLIC = "public"
    ALL = "all"


PUBLIC: Final = Audience.PUBLIC
ALL: Final = Audience.ALL
Viewer: TypeAlias = int | Audience
"""A seat, `PUBLIC` or `ALL`."""


class GameSetup(Struct, frozen=True, kw_only=True):
    """The settings of a new game.

    Attributes:
        names: names of the players, in seat order.
        options: an instance of `GameDefinition.options`.
        absent: seats that left before the game began. They never get a request.
        seed: seed of the match, for games that reproduce the random numbers of another program.
            Other games use `chance`.
    """

    chance: RandomSource
    names: tuple[str, ...]
    options: Any
    absent: frozenset[int] = frozenset()
    seed: int = 0


class Game(Protocol):
    """A game as a state machine. A new game has been dealt and waits at its first requests.

    If fewer than two seats are left, the game is over (protocol, 8.3).
    """

    @property
    def requests(self) -> Sequence[Request]:
        """The decisions that the game waits for, in seat order. Empty after the end."""

    @property
    def outcome(self) -> Outcome | None:
        """The end of the game. None before it."""

    @property
    def turns(self) -> int:
        """Number of turns begun by all players. A simultaneous turn counts once.

        A match reads it after each reply, so it must be fast.
        """

    def advance(self, replies: Mapping[int, object]) -> None:
        """Answer all requests. Values are reply structs, `InvalidReply`, or `LEFT`."""

    def take_events(self) -> list[Struct]:
        """Return public messages and `Fault`s since the last call, in order."""

    def standings(self) -> Sequence[SeatState]:
        """Return the state of each seat, in seat order."""

    def view(self, viewer: Viewer) -> Struct:
        """Return the state as a struct of the game that can be encoded as JSON.

        It's a new object that doesn't change with the game.

        Args:
            viewer: a seat sees what follows from its received lines and its own replies. `PUBLIC`
                sees what follows from public messages. `ALL` sees everything.
        """


class CopyableGame(Game, Protocol):
    """A game that can be copied at most of its requests."""

    def copy(self, chance: RandomSource) -> CopyableGame | None:
        """Return a copy that continues like this game.

        Args:
            chance: a copy of this game's random source, for the copy.

        Returns:
            None if the game waits in the middle of an effect, because the effect is a running
            generator, which Python can't copy. The caller then copies an earlier state and repeats
            the later replies.
        """

    def redeal(self, seat: int, chance: RandomSource) -> None:
        """Shuffle everything that a seat doesn't know.

        The result depends only on the seat's view. If it depended on the true cards in any way, a
        search that averages over many redeals would learn about them.

        Args:
            seat: a seat with a request.
            chance: this game's random source, after a reset.
        """

    def reshuffle(self, chance: RandomSource) -> None:
        """Shuffle everything that no seat knows, e.g. decks. Hands stay.

        The result depends only on the combined knowledge of the seats. The game has requests.

        Args:
            chance: this game's random source, after a reset.
        """


G = TypeVar("G")
S = TypeVar("S", bound=Struct)


def beginning_at(
    new: Callable[[GameSetup, S], G], situation: type[S]
) -> Callable[[GameSetup, Mapping[str, Any]], G]:
    """Create a game's `GameDefinition.situation`."""
    return lambda setup, state: new(setup, convert(state, situation))
