"""The game of Star Realms: two players take turns until one has no authority left (protocol, 4).

The theory of operation: the whole game is one generator that yields a `Request` wherever a player
must decide; turns and card effects are generators inside it. So the rules read from top to bottom
as they do in the rule book, and the state of a game between two replies is where its generator
stands. A generator cannot be copied: a state is the chance and the replies so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any

from msgspec import Meta, Struct, convert

from referee.games.interface.faults import Termination
from referee.games.interface.game import LEFT, Outcome, Request, Setup, Standing, Viewer, ranks
from referee.games.starrealms.rules.choices import Decisions
from referee.games.starrealms.rules.messages import GameInfo
from referee.games.starrealms.rules.player import Made, Turn
from referee.games.starrealms.rules.situation import Situation
from referee.games.starrealms.rules.table import Table
from referee.games.starrealms.rules.turn import play_turn
from referee.games.starrealms.rules.view import View, view_of

AUTHORITY = "authority"
REASONS = (AUTHORITY,)


class Options(Struct, frozen=True):
    """What can be chosen for a game of Star Realms.

    Attributes:
        max_turns: turns a player after which the game ends (4.10).
        explorers: that lie beside the trade row.
    """

    max_turns: Annotated[int, Meta(ge=1, le=10_000)] = 100
    explorers: Annotated[int, Meta(ge=0, le=1_000)] = 10


class Facts(Struct, frozen=True):
    """What is known of a seat besides its score, which is its authority, and its turns."""

    cards: Annotated[dict[str, int], Meta(description="Card -> count owned at the end.")]


class StarRealms:
    """One game of Star Realms; implements `referee.games.interface.game.Game`.

    Args:
        setup: as of every game; its options are `Options`.
        situation: where it begins; None with the deal.

    Attributes:
        requests: the decision that the game waits for, if it is not over.
        outcome: set once it is.
        table, turn: the state.
    """

    __slots__ = ("_max_turns", "_script", "outcome", "requests", "table", "turn")

    def __init__(self, setup: Setup, situation: Situation | None = None) -> None:
        options: Options = setup.options
        self.requests: tuple[Request, ...] = ()
        self.outcome: Outcome | None = None
        self._max_turns = options.max_turns
        self.table = table = Table(setup.chance, options.explorers)
        self.turn = Turn(*table.players)
        if situation is not None:
            situation.lay_out(table, self.turn)
        table.events.append(
            GameInfo("starrealms", options.max_turns, options.explorers, list(setup.names))
        )
        table.show_row()
        for seat in setup.absent:
            table.players[seat].left = True
        self._script = self._play()
        if setup.absent:
            self._end_by_leaving()
        else:
            self.requests = (next(self._script),)

    @property
    def turns(self) -> int:
        """Turns begun, of both players together."""
        return sum([player.turns for player in self.table.players])

    def advance(self, replies: Mapping[int, object]) -> None:
        """Answer the request and run to the next one, or to the end."""
        (request,) = self.requests
        self.requests = ()
        reply = replies[request.seat]
        if reply is LEFT:
            self.table.players[request.seat].left = True
            self._end_by_leaving()
            return
        with suppress(StopIteration):
            self.requests = (self._script.send(reply),)

    def take_events(self) -> list[Struct]:
        """Public messages and faults since the last call, oldest first."""
        events = self.table.events
        self.table.events = []
        return events

    def standings(self) -> list[Standing]:
        """One entry a seat, in seat order."""
        return [Standing(p.authority, p.turns, Facts(p.cards())) for p in self.table.players]

    def view(self, viewer: Viewer) -> View:
        """What a viewer may see: all but hands and the order of decks is public."""
        return view_of(self.table, self.turn, self.requests, viewer)

    def made(self) -> list[Made]:
        """What each seat's turns have brought; in seat order."""
        return [player.made for player in self.table.players]

    def _play(self) -> Decisions:
        first, second = self.table.players
        while True:
            yield from play_turn(self.table, self.turn)
            if self.turn.opponent.authority <= 0:
                reason = AUTHORITY
                break
            if self.table.turn >= 2 * self._max_turns:
                reason = Termination.TURN_LIMIT
                break
            self.turn = Turn(self.turn.opponent, self.turn.player)
        self.outcome = Outcome(reason, ranks([-first.authority, -second.authority]))

    def _end_by_leaving(self) -> None:
        """End the game, since fewer than two players are left in it (8.3)."""
        left = [player.left for player in self.table.players]
        reason = Termination.NO_PLAYERS if all(left) else Termination.LAST_PLAYER_STANDING
        self.outcome = Outcome(reason, ranks(left))


def begin_at(setup: Setup, state: Mapping[str, Any]) -> StarRealms:
    """Make a game that begins in the middle.

    Args:
        state: a `Situation` as a JSON object.
    """
    return StarRealms(setup, convert(state, Situation))
