"""The game of Dominion: seats take turns until an end condition holds (protocol-v1, 4).

The theory of operation: the whole game is one generator that yields a `Request` wherever a
player must decide; turns and card effects are generators inside it. So the rules read from top
to bottom as they do in the rule book, and the state of a game between two replies is where its
generator stands. A generator cannot be copied: a state is the chance and the replies so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct, convert

from referee.games.dominion.rules.cards import KINGDOM
from referee.games.dominion.rules.effects import Decisions
from referee.games.dominion.rules.messages import GameInfo
from referee.games.dominion.rules.player import Gains, Player
from referee.games.dominion.rules.situation import Situation
from referee.games.dominion.rules.table import Table
from referee.games.dominion.rules.turn import play_turn
from referee.games.dominion.rules.view import View, view_of
from referee.games.interface.faults import Termination
from referee.games.interface.game import LEFT, Outcome, Request, Setup, Standing, Viewer, ranks

PROVINCES_EMPTY = "provinces-empty"
PILES_EMPTY = "piles-empty"
REASONS = (PROVINCES_EMPTY, PILES_EMPTY)
EMPTY_PILES_TO_END = 3


class Options(Struct, frozen=True):
    """What can be chosen for a game of Dominion.

    Attributes:
        max_turns: turns a player after which the game ends (4.4).
    """

    max_turns: Annotated[int, Meta(ge=1)] = 500


class Facts(Struct, frozen=True):
    """What is known of a seat besides its score and turns.

    Attributes:
        cards: card -> how many it owns, in the order of the supply, without zeros.
    """

    cards: Annotated[dict[str, int], Meta(description="Card -> count owned at the end.")]


class Dominion:
    """One game of Dominion for 2 to 4 players; implements `referee.games.interface.game.Game`.

    Args:
        setup: as of every game; its options are `Options`.
        situation: where it begins; None with the deal.

    Attributes:
        requests: the decision that the game waits for, if it is not over.
        outcome: set once it is.
    """

    __slots__ = ("_max_turns", "_script", "_situation", "_table", "outcome", "requests")

    def __init__(self, setup: Setup, situation: Situation | None = None) -> None:
        self.requests: tuple[Request, ...] = ()
        self.outcome: Outcome | None = None
        self._max_turns: int = setup.options.max_turns
        self._table = Table(setup.chance, len(setup.names))
        self._situation = situation
        if situation is not None:
            situation.lay_out(self._table)
        self._table.events.append(GameInfo(list(KINGDOM), list(setup.names)))
        self._table.events.append(self._table.supply.info())
        if situation is not None:
            situation.publish(self._table)
        for seat in setup.absent:
            self._table.players[seat].left = True
        self._script = self._play()
        if not self._ends_early():
            self._ask(next(self._script))

    @property
    def turns(self) -> int:
        """Turns begun, of all players together."""
        return sum([player.turns for player in self._table.players])

    def advance(self, replies: Mapping[int, object]) -> None:
        """Answer the request and run to the next one, or to the end."""
        (request,) = self.requests
        reply = replies[request.seat]
        if reply is LEFT:
            self.requests = ()
            # Its turn is cleaned up, it is skipped and not attacked (8.3).
            self._table.players[request.seat].left = True
            if self._ends_early():
                return
        try:
            self._ask(self._script.send(reply))
        except StopIteration:
            self.requests = ()

    def take_events(self) -> list[Struct]:
        """Public messages and faults since the last call, oldest first."""
        events = self._table.events
        self._table.events = []
        return events

    def standings(self) -> list[Standing]:
        """One entry a seat, in seat order."""
        return [Standing(p.score(), p.turns, Facts(p.cards())) for p in self._table.players]

    def view(self, viewer: Viewer) -> View:
        """What a viewer may see; owned cards are public, where they lie is not."""
        return view_of(self._table, self.requests, viewer)

    def actions_played(self) -> list[set[str]]:
        """The action cards that each seat has played, each once; in seat order."""
        return [player.actions_played for player in self._table.players]

    def gains(self) -> list[list[Gains]]:
        """What each seat has got in each of its turns; one entry a seat, in seat order."""
        return [player.gains for player in self._table.players]

    def _ask(self, request: Request) -> None:
        self.requests = (request,)
        player = self._table.players[request.seat]
        player.is_shown, player.unseen = True, []

    def _play(self) -> Decisions:
        while True:
            for player in self._table.players:
                if not player.left:
                    yield from self._turn(player)
                    reason = self._end_reason(player)
                    if reason is not None:
                        self._end(reason)
                        return

    def _turn(self, player: Player) -> Decisions:
        turn = None if self._situation is None else self._situation.turn.of(player)
        self._situation = None  # it says nothing of the other turns
        return play_turn(self._table, player, turn)

    def _end_reason(self, player: Player) -> str | None:
        """Why the game is over after this player's turn, if it is (4.4)."""
        supply = self._table.supply
        if not supply.counts["province"]:
            return PROVINCES_EMPTY
        if supply.empty_piles >= EMPTY_PILES_TO_END:
            return PILES_EMPTY
        if player.turns >= self._max_turns and all(
            p.left or p.turns >= self._max_turns for p in self._table.players
        ):
            return Termination.TURN_LIMIT
        return None

    def _ends_early(self) -> bool:
        """End the game if fewer than two seats are left in it (8.3)."""
        left = sum(not player.left for player in self._table.players)
        if left < 2:
            self._end(Termination.LAST_PLAYER_STANDING if left else Termination.NO_PLAYERS)
        return left < 2

    def _end(self, reason: str) -> None:
        """Rank by points, then by fewest turns; those that left come last (4.5, 8.3)."""
        keys = [
            (p.left, 0, 0) if p.left else (p.left, -p.score(), p.turns) for p in self._table.players
        ]
        self.outcome = Outcome(reason, ranks(keys))


def begin_at(setup: Setup, state: Mapping[str, Any]) -> Dominion:
    """Make a game that begins in the middle.

    Args:
        state: a `Situation` as a JSON object.
    """
    return Dominion(setup, convert(state, Situation))
