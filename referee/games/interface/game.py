"""The interface between a game and a match.

A game is a state machine without I/O (sans-IO), in rounds. Its `requests` are the decisions that it
waits for, at most one per seat; several requests together are a simultaneous move. `advance` takes
the answers to all of them together, so their order of arrival cannot matter, and runs to the next
requests or to the outcome. `take_events` returns the events in between. Everything follows from
random numbers, options and replies. Giving the same replies to a new game is therefore replay,
snapshot and verification.

    rules = GAMES["dominion"]
    game = rules.new(GameSetup(chance=SeededRandomSource(7), names=("Ann", "Ben"),
    options=rules.options())) while game.requests:
        game.advance({asked.seat: decide(asked) for asked in game.requests})
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
        seat: that decides, counted from 0.
        asks: the message, or, if it is big, a function that makes it: in a match without bots
            nobody may read it.
        clock: the requests of a seat that name the same clock share its time limit, such as the
            requests of one turn, or of the whole match; empty: the limit is for this reply only.
        writes: makes the message where it is only to be written as JSON; parts of it can be text
            (`msgspec.Raw`) that an earlier request has too. None: `asks` is written.
    """

    seat: int
    asks: Struct | Callable[[], Struct]
    clock: str = ""
    writes: Callable[[], Struct] | None = None

    @property
    def message(self) -> Struct:
        """The private message that asks, one of the game's request structs.

        It shows the game as it is when the message is first read, so read it before `advance`.
        """
        asks = self.asks
        if callable(asks):
            asks = self.asks = asks()
        return asks

    @property
    def written(self) -> Struct:
        """The message to be written as JSON, under the same condition."""
        return self.message if self.writes is None else self.writes()


class SeatLeft(Struct, frozen=True):
    """Replaces the reply of a seat that has left the match."""


LEFT = SeatLeft()


class Outcome(Struct, frozen=True):
    """How a match ended.

    Attributes:
        reason: one of `EndReason` or of the game's own end reasons.
        ranks: one per seat, in seat order; 1 is best, equals share one and leave the gap after it
            (1, 1, 3). Seats that have left share the last.
    """

    reason: str
    ranks: tuple[int, ...]

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats of rank 1, ascending; nobody if no player is left to win."""
        if self.reason == EndReason.NO_PLAYERS:
            return ()
        return tuple(seat for seat, rank in enumerate(self.ranks) if rank == 1)


def ranks(keys: Sequence[Any]) -> tuple[int, ...]:
    """One rank a seat, from one key a seat: the smallest key is best, equal keys share a rank."""
    return tuple(1 + sum(other < key for other in keys) for key in keys)


Score: TypeAlias = int | float
"""Points of a seat. An integer is written as one; fractions are possible, such as 2.5."""


class SeatState(Struct, frozen=True):
    """Where one seat stands, now or at the end.

    Attributes:
        facts: the game's other numbers, for people and tables; its `GameDefinition.facts`.
    """

    score: Score
    turns: int
    facts: Struct


class Audience(Enum):
    """Viewers without a seat: spectators, and readers of a whole record."""

    PUBLIC = "public"
    ALL = "all"


PUBLIC: Final = Audience.PUBLIC
ALL: Final = Audience.ALL
Viewer: TypeAlias = int | Audience
"""The viewer of a game: a seat, `PUBLIC` or `ALL`."""


class GameSetup(Struct, frozen=True, kw_only=True):
    """The settings of a new game.

    Attributes:
        names: the players' names, one entry per seat, in seat order.
        options: the game's own, its `GameDefinition.options`.
        absent: the seats that were lost before the game began; they are never asked.
        seed: of the match, for a game that must copy the generator of another program; all others
            draw from `chance`.
    """

    chance: RandomSource
    names: tuple[str, ...]
    options: Any
    absent: frozenset[int] = frozenset()
    seed: int = 0


class Game(Protocol):
    """One game as a state machine. A new one has been dealt and stands at its first requests.

    When fewer than two seats are left in it, it is over (protocol, 8.3).
    """

    @property
    def requests(self) -> Sequence[Request]:
        """The decisions that the game waits for, in seat order; none once it is over."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None before the end."""

    @property
    def turns(self) -> int:
        """Turns begun: of all players together; if all move together, of one of them. Cheap."""

    def advance(self, replies: Mapping[int, object]) -> None:
        """Answer all requests: by seat a reply struct, `InvalidReply`, or `LEFT` if it left."""

    def take_events(self) -> list[Struct]:
        """Public messages and `Fault`s since the last call, in the order they happened."""

    def standings(self) -> Sequence[SeatState]:
        """Return one entry per seat, in seat order."""

    def view(self, viewer: Viewer) -> Struct:
        """The state as data: a struct of the game's own that can be written as JSON.

        It is computed on each call, and does not change with the game.

        Args:
            viewer: a seat is shown what follows from the lines that it was sent and from its own
                replies, `PUBLIC` what follows from the public ones, `ALL` everything.
        """


class CopyableGame(Game, Protocol):
    """A game that can be copied at most of its requests."""

    def copy(self, chance: RandomSource) -> CopyableGame | None:
        """Make a game that continues as this one does.

        Args:
            chance: a copy of this game's own, for the new one.

        Returns:
            None if this game waits in the middle of an effect. Then the caller copies an earlier
            state and repeats the replies since.
        """

    def redeal(self, seat: int, chance: RandomSource) -> None:
        """Deal everything again that a seat cannot know. What results depends on the view only.

        Args:
            seat: it has a request.
            chance: this game's own, which begins again.
        """

    def reshuffle(self, chance: RandomSource) -> None:
        """Deal everything again that no seat can know, such as the order of decks; hands stay.

        What results depends on what the seats know together. This game has requests.

        Args:
            chance: this game's own, which begins again.
        """


G = TypeVar("G")
S = TypeVar("S", bound=Struct)


def beginning_at(
    new: Callable[[GameSetup, S], G], situation: type[S]
) -> Callable[[GameSetup, Mapping[str, Any]], G]:
    """Make a game's `GameDefinition.situation`."""
    return lambda setup, state: new(setup, convert(state, situation))
