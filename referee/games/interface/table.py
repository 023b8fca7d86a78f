"""Base classes for games whose players sit around a table and take turns.

The rules of such a game are a generator, which yields a request whenever a player must decide.
Turns and effects of cards are generators inside it, so the rules read from top to bottom as in the
rule book.

The disadvantage is that between two replies, the generator is part of the game's state, and Python
can't copy a generator. To get back to a state in the middle of an effect, we have to start from an
earlier one and repeat the replies.
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

from msgspec import Struct

from referee.games.interface.data import about
from referee.games.interface.faults import WRONG_TYPE, EndReason, Fault, InvalidReply
from referee.games.interface.game import ALL, LEFT, Outcome, Request, Viewer, ranks
from referee.games.interface.random_source import RandomSource
from referee.games.interface.sentence import Part


class Player(Protocol):
    """A player at the table. `left` is True if the player has left the match."""

    seat: int
    turns: int
    left: bool


class CardFacts(Struct, frozen=True):
    """Facts about a seat of a card game, in addition to its score and turns."""

    cards: Annotated[dict[str, int], about("Card -> count owned at the end.")]


class Move(Struct, frozen=True, omit_defaults=True, rename={"from_": "from"}):
    """Some copies of a card that moved from one place to another.

    If `card` is empty, the viewer doesn't know which cards these are.
    """

    seat: int
    from_: str
    to: str
    card: str = ""
    count: int = 1


class Moved(NamedTuple):
    """Something that a player did, and the cards that moved, for each kind of viewer.

    Attributes:
        whole: the moves with all cards.
        own: the moves as the player sees them.
        public: the moves as spectators and opponents see them.
        did: a text for the player that describes the action and follows the player's name, e.g.
            "plays" and a card. It's empty if there's nothing new to say.
        told: the text for opponents and spectators.
        got: cards that the player received.
        shows: cards that the player played earlier and that everybody can see from now on.
        counters: the counters of the turn after the action, which the player can see. They're left
            out if they haven't changed.
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
        """Return the moves as the viewer sees them."""
        if viewer is ALL:
            return self.whole
        return self.own if viewer == self.seat else self.public

    def description_for(self, viewer: Viewer) -> Sequence[Part]:
        """Return the description that the viewer may see."""
        return self.did if viewer is ALL or viewer == self.seat else self.told


def moves_of(seat: int, cards: Iterable[str], from_: str, to: str) -> list[Move]:
    """Return the moves of these cards. Several copies of a card are combined into one move."""
    return [Move(seat, from_, to, card, count) for card, count in Counter(cards).items()]


IN_PLAY = ("play", "played", "agents")
"""The places whose cards are in play."""
Watcher: TypeAlias = Callable[[Sequence[Moved]], None]
"""Called with everything that moved since the last call, maybe several times during a reply."""

P = TypeVar("P", bound=Player)


class Table(Generic[P]):
    """The players and the events of a game. Each game adds its own cards.

    Attributes:
        sections: fault code -> section of the protocol that defines it.
        players: one for each seat, in seat order. Players who left stay in the list.
        events: public messages and faults that weren't collected yet, in order.
        watchers: functions to call when cards move. Most matches have none.
        noted: what moved since we last called the watchers. To save time, games only record moves
            if there are watchers.
    """

    sections: ClassVar[Mapping[str, str]]

    def __init__(self, players: Sequence[P]) -> None:
        self.players = players
        self.events: list[Struct] = []
        self.watchers: list[Watcher] = []
        self.noted: list[Moved] = []

    def note(self, seat: int, moves: Sequence[Move], *did: Part, got: Sequence[str] = ()) -> None:
        """Record moves that everybody can see. Only call this if there are watchers."""
        self.noted.append(Moved(seat, moves, moves, moves, did, did, got))

    def moved(self, *what: Moved) -> None:
        """Call the watchers with the recorded moves and the given ones."""
        noted, self.noted = [*self.noted, *what], []
        for watcher in self.watchers:
            watcher(noted)

    def flush(self) -> None:
        """Call the watchers if any moves were recorded since the last call."""
        if self.noted:
            self.moved()

    def fault(self, player: P, code: str, detail: str, *, section: str = "") -> None:
        """Publish a fault. If you don't give a section, it's looked up in `sections`."""
        self.events.append(Fault(player.seat, code, section or self.sections[code], detail))

    def no_reply(self, player: P, reply: object, wrong: str, section: str) -> None:
        """Publish a fault, because the line isn't a reply to the request.

        Args:
            wrong: the detail of the fault if the line is a reply to another kind of request.
        """
        if type(reply) is InvalidReply:
            self.fault(player, reply.code, reply.detail, section=section)
        else:
            self.fault(player, WRONG_TYPE, wrong, section=section)


T = TypeVar("T", bound=Table[Any])


class TableGame(Generic[T]):
    """Base class that implements most of `Game` (game.py) by running a generator.

    A subclass creates the table and the generator with the rules (its script), and calls `begin`.
    It also has to implement `standings` and `view`.
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
        # If a seat leaves and at least two others are there, the game continues. The rules get LEFT
        # instead of a reply, and decide what happens to the turn.
        if reply is not LEFT or not self._leave([request.seat]):
            self.run_to_request(reply)

    def run_to_request(self, reply: object) -> None:
        """Send a reply to the rules, and run them up to the next request.

        To start the rules, send None.
        """
        try:
            requests: tuple[Request, ...] = (self._script.send(reply),)
        # The rules are finished, so there are no more requests.
        except StopIteration:
            requests = ()
        self.table.flush()
        self.requests = requests

    def resume(self, script: Generator[Any, Any, Any]) -> Self:
        """Run a new script up to its first request. Returns the game itself.

        `copy` uses this, because the copy of a game needs its own generator. The script must begin
        with the request at which the original game waits.
        """
        self._script = script
        self.run_to_request(None)
        return self

    @property
    def turns(self) -> int:
        """How many turns all players together have begun."""
        # sum() is faster with a list than with a generator, and this code runs after each reply.
        return sum([player.turns for player in self.table.players])

    def take_events(self) -> list[Struct]:
        """Return public messages and faults since the last call, in order."""
        events = self.table.events
        self.table.events = []
        return events

    def _leave(self, seats: Iterable[int]) -> bool:
        """Remove seats from the match. Returns True if the match is over because of that (8.3)."""
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
    """Copy an object, and its lists, dicts and sets one level deep. `changes` replace attributes.

    copy.deepcopy() is far too slow for a search. With copy.copy(), the copy would share its lists
    with the original.
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
    """Shuffle the cards of some piles together and deal them out again. Each pile keeps its size.

    Args:
        key: we sort the cards with this key first, because the result mustn't depend on where they
            are now.
    """
    cards = sorted(chain(*piles), key=key)
    chance.shuffle("redeal", cards)
    for pile in piles:
        pile[:] = [cards.pop() for _ in pile]
