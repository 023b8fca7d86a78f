"""What games have in common whose players sit around a table and take turns.

The rules of such a game are one generator. It yields wherever a player must decide; turns and
effects of cards are generators inside it. The rules therefore read from top to bottom as they do in
the rule book, and the state of a game between two replies is the position of its generator. A
generator cannot be copied: a state is the random numbers and the replies so far.
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
    """One seat of a table, counted from 0; `left` is whether it left the match."""

    seat: int
    turns: int
    left: bool


class CardFacts(Struct, frozen=True):
    """Facts of a seat of a card game beside its score and turns."""

    cards: Annotated[dict[str, int], Meta(description="Card -> count owned at the end.")]


class Move(Struct, frozen=True, omit_defaults=True, rename={"from_": "from"}):
    """Equal cards of a seat that went from one place to another; no card: the viewer knows none."""

    seat: int
    from_: str
    to: str
    card: str = ""
    count: int = 1


class Moved(NamedTuple):
    """What a player did, and what it moved, as far as each viewer knows it.

    Attributes:
        whole, own, public: the moves, as everything is known, as the seat knows them, and as the
            public does.
        did: in words that follow the player's name, as the seat knows it; empty: nothing new.
        told: likewise, as the public knows it.
        got: the cards that the seat has got by it.
        shows: cards that were played before, and which the public learns only now.
        counters: those of the turn after it, which its seat knows; empty: no news.
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

    def seen_by(self, viewer: Viewer) -> Sequence[Move]:
        """The moves that a viewer may know of."""
        if viewer is ALL:
            return self.whole
        return self.own if viewer == self.seat else self.public

    def said_to(self, viewer: Viewer) -> Sequence[Part]:
        """What a viewer may know of it, in words."""
        return self.did if viewer is ALL or viewer == self.seat else self.told


def moves_of(seat: int, cards: Iterable[str], from_: str, to: str) -> list[Move]:
    """The moves of these cards, equal ones together, in the order of the first of each."""
    return [Move(seat, from_, to, card, count) for card, count in Counter(cards).items()]


IN_PLAY = ("play", "played", "agents")
"""Places for cards that were played."""
Watcher: TypeAlias = Callable[[Sequence[Moved]], None]
"""Called with what was done since the last call, after each card that is moved within a reply."""

P = TypeVar("P", bound=Player)


class Table(Generic[P]):
    """The players and the events of a game. Each game adds its own cards.

    Attributes:
        sections: code of a fault -> the section of the protocol that defines it.
        players: one entry per seat, in seat order; a seat that left stays in the list.
        watchers: called after each card that is moved within a reply.
        noted: what was done since they were called, kept only if there are any.
    """

    sections: ClassVar[Mapping[str, str]]

    def __init__(self, players: Sequence[P]) -> None:
        self.players = players
        self.events: list[Struct] = []  # public messages and faults not yet collected, oldest first
        self.watchers: list[Watcher] = []
        self.noted: list[Moved] = []

    def note(self, seat: int, moves: Sequence[Move], *did: Part, got: Sequence[str] = ()) -> None:
        """Note for the watchers what everybody may know; called only if there are any."""
        self.noted.append(Moved(seat, moves, moves, moves, did, did, got))

    def moved(self, *what: Moved) -> None:
        """Call the watchers with what was noted, and with this."""
        noted, self.noted = [*self.noted, *what], []
        for watcher in self.watchers:
            watcher(noted)

    def flush(self) -> None:
        """Call the watchers if something was noted since they were called."""
        if self.noted:
            self.moved()

    def fault(self, player: P, code: str, detail: str, *, section: str = "") -> None:
        """Note a mistake; its section only where it is not the one that defines the code."""
        self.events.append(Fault(player.seat, code, section or self.sections[code], detail))

    def no_reply(self, player: P, reply: object, wrong: str, section: str) -> None:
        """Note a line that does not reply to the request; `wrong`: it replies to another."""
        if type(reply) is InvalidReply:
            self.fault(player, reply.code, reply.detail, section=section)
        else:
            self.fault(player, WRONG_TYPE, wrong, section=section)


T = TypeVar("T", bound=Table[Any])


class TableGame(Generic[T]):
    """The part of `referee.games.interface.game.Game` that is the same for all such games."""

    def __init__(self, table: T) -> None:
        self.requests: tuple[Request, ...] = ()
        self.outcome: Outcome | None = None
        self.table = table
        self._script: Generator[Any, Any, Any]

    def begin(self, script: Generator[Any, Any, Any], absent: Iterable[int]) -> None:
        """Run to the first request of the rules; the absent seats are never asked."""
        self._script = script
        if not self._leave(absent):
            self.go_on(None)

    def advance(self, replies: Mapping[int, object]) -> None:
        """Answer the request and run to the next one, or to the end."""
        (request,) = self.requests
        self.requests = ()
        reply = replies[request.seat]
        if reply is not LEFT or not self._leave([request.seat]):
            self.go_on(reply)

    def go_on(self, reply: object) -> None:
        """Run the rules with a reply, None at the beginning, up to the next request."""
        try:
            requests: tuple[Request, ...] = (self._script.send(reply),)
        except StopIteration:
            requests = ()
        self.table.flush()
        self.requests = requests

    def resume(self, script: Generator[Any, Any, Any]) -> Self:
        """Let a copy wait for the same request as the original, to which its own script runs."""
        self._script = script
        self.go_on(None)
        return self

    @property
    def turns(self) -> int:
        """Turns begun, of all players together."""
        return sum([player.turns for player in self.table.players])

    def take_events(self) -> list[Struct]:
        """Public messages and faults since the last call, oldest first."""
        events = self.table.events
        self.table.events = []
        return events

    def _leave(self, seats: Iterable[int]) -> bool:
        """Take seats out; the game is over if fewer than two are left in it (8.3)."""
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
    """Copy an object with its lists, dicts and sets, but not what these contain; with changes."""
    new: Copied = object.__new__(type(thing))
    new.__dict__ = {
        name: value.copy() if type(value) in (list, dict, set) else value
        for name, value in vars(thing).items()
    } | changes
    return new


def redeal(
    chance: RandomSource, *piles: list[Any], key: Callable[[Any], Any] | None = None
) -> None:
    """Deal the cards of some piles again; `key` sorts them first. Each pile keeps its size."""
    cards = sorted(chain(*piles), key=key)
    chance.shuffle("redeal", cards)
    for pile in piles:
        pile[:] = [cards.pop() for _ in pile]
