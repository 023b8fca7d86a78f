"""Base classes of games whose players sit around a table and take turns.

The rules of such a game are one generator, which yields whenever a player must decide. Turns and
effects of cards are generators inside it, so the rules read from top to bottom as in the rule book.

The disadvantage is that between two replies, the state of a game is the position of its generator,
and Python can't copy a generator. Instead, a state is represented by the random numbers and the
replies so far.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from itertools import chain
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    NamedTuple,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
)

from msgspec import Meta, Struct

from referee.games.interface.faults import WRONG_TYPE, EndReason, Fault, InvalidReply
from referee.games.interface.game import ALL, LEFT, Outcome, Request, Viewer, ranks
from referee.games.interface.random_source import RandomSource
from referee.games.interface.sentence import Part


class Player(Protocol):
    """One seat of a table, from 0. `left` is True if the seat has left the match."""

    seat: int
    turns: int
    left: bool


class CardFacts(Struct, frozen=True):
    """Facts about a seat of a card game, in addition to its score and turns."""

    cards: Annotated[dict[str, int], Meta(description="Card -> count owned at the end.")]


class Move(Struct, frozen=True, omit_defaults=True, rename={"from_": "from"}):
    """Equal cards of a seat that moved between places. An empty card is unknown to the viewer."""

    seat: int
    from_: str
    to: str
    card: str = ""
    count: int = 1


class Moved(NamedTuple):
    """An action of a player with the cards that it moved, as known to each viewer.

    Attributes:
        whole: all moves.
        own: the moves as known to the seat.
        public: the moves as known to the public.
        did: description for the seat, words after the player's name. Empty: nothing new.
        told: description for the public.
        got: cards that the seat received.
        shows: cards that were played earlier and are public from now on.
        counters: counters of the turn after the action, known to the seat. Empty: unchanged.
    """

    seat: int
    whole: Sequence[Move] = ()
    own: Sequence[Move] = ()
    public: Sequence[Move] = ()
    did: Sequence[Part] = ()
    told: Sequence[Part] = ()
    got: Sequence[str] = ()
    shows: Sequence[str] = ()
    counters: Sequence[int] = ()

    def moves_for(self, viewer: Viewer) -> Sequence[Move]:
        """Return the moves as known to a viewer."""
        if viewer is ALL:
            return self.whole
        return self.own if viewer == self.seat else self.public

    def description_for(self, viewer: Viewer) -> Sequence[Part]:
        """Return the description for a viewer."""
        return self.did if viewer is ALL or viewer == self.seat else self.told


def moves_of(seat: int, cards: Iterable[str], from_: str, to: str) -> list[Move]:
    """Return the moves of these cards. Equal cards are combined, in order of first use."""
    return [Move(seat, from_, to, card, count) for card, count in Counter(cards).items()]


IN_PLAY = ("play", "played", "agents")
"""Places of cards in play."""
Watcher: TypeAlias = Callable[[Sequence[Moved]], None]
"""Called after each card that moves within a reply, with all moves since the last call."""

P = TypeVar("P", bound=Player)


class Table(Generic[P]):
    """The players and the events of a game. Each game adds its own cards.

    Attributes:
        sections: code of a fault -> section of the protocol that defines it.
        players: one entry per seat, in seat order. Seats that left stay in the list.
        watchers: called after each card that moves within a reply.
        noted: moves since the last call of the watchers. To save time, moves are only recorded if
            there are watchers, which is rare.
    """

    sections: ClassVar[Mapping[str, str]]

    def __init__(self, players: Sequence[P]) -> None:
        self.players = players
        self.events: list[Struct] = []  # public messages and faults not yet collected, in order
        self.watchers: list[Watcher] = []
        self.noted: list[Moved] = []

    def note(self, seat: int, moves: Sequence[Move], *did: Part, got: Sequence[str] = ()) -> None:
        """Record public moves for the watchers. Call this only if there are watchers."""
        self.noted.append(Moved(seat, moves, moves, moves, did, did, got))

    def moved(self, *what: Moved) -> None:
        """Call the watchers with the recorded moves and the given ones."""
        noted, self.noted = [*self.noted, *what], []
        for watcher in self.watchers:
            watcher(noted)

    def flush(self) -> None:
        """Call the watchers if there are recorded moves."""
        if self.noted:
            self.moved()

    def fault(self, player: P, code: str, detail: str, *, section: str = "") -> None:
        """Publish a fault. By default, its section is the section that defines the code."""
        self.events.append(Fault(player.seat, code, section or self.sections[code], detail))

    def no_reply(self, player: P, reply: object, wrong: str, section: str) -> None:
        """Publish the fault of a line that doesn't reply to the request.

        Args:
            wrong: explanation that is used if the line replies to another request.
        """
        if type(reply) is InvalidReply:
            self.fault(player, reply.code, reply.detail, section=section)
        else:
            self.fault(player, WRONG_TYPE, wrong, section=section)


T = TypeVar("T", bound=Table[Any])


class TableGame(Generic[T]):
    """The common part of `referee.games.interface.game.Game` for such games.

    A subclass creates its table and its script, and calls `begin`. It also defines the methods that
    show the state.
    """

    def __init__(self, table: T) -> None:
        self.requests: tuple[Request, ...] = ()
        self.outcome: Outcome | None = None
        self.table = table
        self._script: Generator[Any, Any, Any]

    def begin(self, script: Generator[Any, Any, Any], absent: Iterable[int]) -> None:
        """Run the rules up to the first request. Absent seats never get a request."""
        self._script = script
        if not self._leave(absent):
            self.run_to_request(None)

    def advance(self, replies: Mapping[int, object]) -> None:
        """Answer the request and run to the next one, or to the end."""
        (request,) = self.requests
        self.requests = ()
        reply = replies[request.seat]
        # If enough seats are left, the game continues. The rules get LEFT as the reply, and decide
        # what happens to the turn.
        if reply is not LEFT or not self._leave([request.seat]):
            self.run_to_request(reply)

    def run_to_request(self, reply: object) -> None:
        """Run the rules with a reply up to the next request. At the start, the reply is None."""
        try:
            requests: tuple[Request, ...] = (self._script.send(reply),)
        # The rules have ended, so no reply is due any more.
        except StopIteration:
            requests = ()
        self.table.flush()
        self.requests = requests

    def resume(self, script: Generator[Any, Any, Any]) -> Self:
        """Make this copy wait for the same request as the original, by running its own script."""
        self._script = script
        self.run_to_request(None)
        return self

    @property
    def turns(self) -> int:
        """Number of turns begun by all players."""
        # sum() is faster with a list than with a generator, and this code runs after each reply.
        return sum([player.turns for player in self.table.players])

    def take_events(self) -> list[Struct]:
        """Return public messages and faults since the last call, in order."""
        events = self.table.events
        self.table.events = []
        return events

    def _leave(self, seats: Iterable[int]) -> bool:
        """Remove seats from the match. Returns True if that ends it (8.3)."""
        for seat in seats:
            self.table.players[seat].left = True
        left = [player.left for player in self.table.players]
        if left.count(False) > 1:
            return False
        reason = EndReason.NO_PLAYERS if all(left) else EndReason.LAST_PLAYER_STANDING
        self.outcome = Outcome(reason, ranks(left))
        return True


Copied = TypeVar("Copied")


def copied(thing: Copied, **changes: object) -> Copied:
    """Copy an object and its lists, dicts and sets, one level deep, and replace attributes.

    copy.deepcopy() is far too slow for a search, and the copies of copy.copy() would share their
    lists.
    """
    new: Copied = object.__new__(type(thing))
    new.__dict__ = {
        name: value.copy() if type(value) in (list, dict, set) else value
        for name, value in vars(thing).items()
    } | changes
    return new


def redeal(
    chance: RandomSource, *piles: list[Any], key: Callable[[Any], Any] | None = None
) -> None:
    """Redistribute the cards of some piles at random. Each pile keeps its size.

    Args:
        key: sorts the cards before shuffling, so that the result doesn't depend on their places.
    """
    cards = sorted(chain(*piles), key=key)
    chance.shuffle("redeal", cards)
    for pile in piles:
        pile[:] = [cards.pop() for _ in pile]
