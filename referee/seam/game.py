"""The seam between games and the rest: what a game is, to a match.

A game is a state machine without I/O (sans-IO). It stands at one `Request` (a decision of one
seat) until `reply` gives it the answer or `disqualify` takes the seat away; then it runs on to
its next request or to its outcome, and leaves what happened in between, in order, to be
collected with `take_events`. Everything it does follows from its chance, its options and the
replies, so giving the same replies to a new game is at once replay, snapshot and verification.

    rules = GAMES["dominion"]
    game = rules.new(Setup(chance=SeededChance(7), names=("Ann", "Ben"), max_turns=500))
    game.start()
    while game.request is not None:
        game.reply(decide(game.request.seat, game.request.message))
        for event in game.take_events(): ...
    print(game.outcome)

Seats are counted from 0 here and in all Python code; on the wire they are "player1" and up
(`seat_id`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from referee.seam.chance import Chance


class Request(Struct, frozen=True, gc=False):
    """A decision that the game waits for.

    Attributes:
        seat: who is asked, counted from 0.
        message: the private message that asks, one of the game's request structs.
    """

    seat: int
    message: Struct


class Gone(Struct, frozen=True):
    """What stands in for a reply when the seat that was asked has left the match."""


GONE = Gone()


class Outcome(Struct, frozen=True):
    """How a match ended.

    Attributes:
        reason: an end reason of protocol-v1, 9.
        winners: the seats that won, counted from 0, ascending; several share the win.
    """

    reason: str
    winners: tuple[int, ...]


class Standing(Struct, frozen=True):
    """Where one seat stands, now or at the end.

    Attributes:
        score: its points.
        turns: turns that it began.
        cards: card -> how many it owns, in the game's own order, without zeros.
    """

    score: int
    turns: int
    cards: dict[str, int]


class Setup(Struct, frozen=True, kw_only=True):
    """What a new game is made of.

    Attributes:
        chance: all that is random comes from it; this game's alone.
        names: the players' names, one entry a seat, in seat order.
        max_turns: turns a player after which the game ends.
    """

    chance: Chance
    names: tuple[str, ...]
    max_turns: int


class Game(Protocol):
    """One game as a state machine. See the module's text for how it is driven."""

    @property
    def request(self) -> Request | None:
        """The decision that the game waits for; None before `start` and once it is over."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended by its own rules; None while it goes on."""

    def start(self) -> None:
        """Deal, and run to the first request, if two seats are left to play."""

    def reply(self, reply: object) -> None:
        """Answer the request: a reply struct of the game, or `Malformed`."""

    def disqualify(self, seat: int) -> None:
        """Take a seat out of the game (protocol-v1, 8.3), whether it is being asked or not."""

    def take_events(self) -> list[Struct]:
        """Public messages and `Fault`s since the last call, in the order they happened."""

    def standings(self) -> Sequence[Standing]:
        """One entry a seat, in seat order."""
