"""The interface between a game and a match.

A game is a state machine without I/O, which proceeds in rounds. `requests` are the decisions that
it waits for, at most one per seat. If there are several, the seats move simultaneously. `advance`
takes all replies together, so it doesn't matter in which order they arrived, and runs to the next
requests or to the outcome. `take_events` returns the messages in between.

A game must only depend on its random source, its options and the replies. If you start a new game
with the same seed and give it the same replies, you get the same match again. Replays, snapshots
and verification rely on this.

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
        asks: the message, or a function that creates it. Use a function if the message is big,
            because often nobody reads it.
        clock: requests of a seat share a time limit if they have the same clock, for example all
            requests of a turn or of the match. If it's empty, this reply has a limit of its own.
        writes: creates the message if it's going to be encoded as JSON. Parts of it may already be
            JSON (`msgspec.Raw`), which saves encoding them for each request. By default we encode
            the message from `asks`.
    """

    seat: int
    asks: Struct | Callable[[], Struct]
    clock: str = ""
    writes: Callable[[], Struct] | None = None

    @property
    def message(self) -> Struct:
        """The message to the seat, which is one of the game's request structs.

        The first access creates it from the state of the game, so get it before you call `advance`.
        """
        asks = self.asks
        if callable(asks):
            asks = self.asks = asks()
        return asks

    @property
    def written(self) -> Struct:
        """The message to encode as JSON. Get it before you call `advance`."""
        return self.message if self.writes is None else self.writes()


class SeatLeft(Struct, frozen=True):
    """Passed to the game instead of a reply if the seat has left the match.

    The rules decide what happens to its turn.
    """


LEFT = SeatLeft()


class Outcome(Struct, frozen=True):
    """How a match ended.

    Attributes:
        reason: an `EndReason` or one of the game's own end reasons.
        ranks: the rank of each seat, where 1 is best. Tied seats share a rank, and the next rank is
            skipped (1, 1, 3). Seats that left share the last rank.
    """

    reason: str
    ranks: tuple[int, ...]

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats with rank 1, in order, or () if no player is left."""
        if self.reason == EndReason.NO_PLAYERS:
            return ()
        return tuple(seat for seat, rank in enumerate(self.ranks) if rank == 1)


def ranks(keys: Sequence[Any]) -> tuple[int, ...]:
    """Return the rank of each seat. The smallest key is best, and equal keys share a rank."""
    return tuple(1 + sum(other < key for other in keys) for key in keys)


Score: TypeAlias = int | float
"""Points of a seat. Fractions such as 2.5 are possible."""


class SeatState(Struct, frozen=True):
    """Score and turns of one seat, during or after the game.

    Attributes:
        facts: an instance of `GameDefinition.facts`, with other numbers that people may want to see
            in tables.
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
    """The rules and the state of one match.

    A new game has already dealt the cards, and waits at its first requests. It's over as soon as
    fewer than two seats are left (protocol, 8.3).
    """

    @property
    def requests(self) -> Sequence[Request]:
        """The decisions that the game waits for, in seat order, or none if the game is over."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None if it isn't over yet."""

    @property
    def turns(self) -> int:
        """How many turns all players together have begun. A simultaneous turn counts once.

        The match reads this after each reply, so it must be fast.
        """

    def advance(self, replies: Mapping[int, object]) -> None:
        """Answer all requests.

        `replies` has a value for each seat with a request, which is one of the game's reply
        structs, an `InvalidReply`, or `LEFT`.
        """

    def take_events(self) -> list[Struct]:
        """Return public messages and `Fault`s since the last call, in order."""

    def standings(self) -> Sequence[SeatState]:
        """Return the state of each seat, in seat order."""

    def view(self, viewer: Viewer) -> Struct:
        """Return the state as the viewer knows it, as a struct that can be encoded as JSON.

        The view mustn't change when the game continues, so put copies of lists into it.

        Args:
            viewer: a seat may see what its bot can know from the lines it received and from its own
                replies. `PUBLIC` may see what follows from the public messages. `ALL` sees
                everything.
        """


class CopyableGame(Game, Protocol):
    """A game that can usually be copied while it waits for a reply."""

    def copy(self, chance: RandomSource) -> CopyableGame | None:
        """Return a copy that continues in the same way as this game, or None if that's impossible.

        It's impossible if the game waits in the middle of an effect, because the effect is a
        running generator, which Python can't copy. In that case the caller takes a copy of an
        earlier state and repeats the replies since then.

        Args:
            chance: the random source for the new game, which is a copy of this game's source.
        """

    def redeal(self, seats: Sequence[int], chance: RandomSource) -> None:
        """Shuffle everything that none of these seats knows.

        The result may only depend on what the seats know together. If it depended on the real cards
        in any way, a search that averages over many redeals would find out about them.

        We only call this if the game has requests.

        Args:
            seats: a single seat with a request, or all seats. In the second case, the decks are
                shuffled, for example, but not the hands.
            chance: this game's random source, which now has a new seed.
        """


G = TypeVar("G")
S = TypeVar("S", bound=Struct)


def beginning_at(
    new: Callable[[GameSetup, S], G], situation: type[S]
) -> Callable[[GameSetup, Mapping[str, Any]], G]:
    """Return a function for `GameDefinition.situation`.

    It decodes the JSON object as `situation`, and passes the result to `new`.
    """
    return lambda setup, state: new(setup, convert(state, situation))
