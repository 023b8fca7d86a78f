"""The game of Dominion: seats take turns until an end condition holds (protocol-v1, 4).

The theory of operation: the whole game is one generator that yields a `Request` wherever a
player must decide; turns and card effects are generators inside it. So the rules read from top
to bottom as they do in the rule book, and the state of a game between two replies is where its
generator stands. A generator cannot be copied: a state is the chance and the replies so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, convert

from referee.errors import ProtocolMisuseError
from referee.games.dominion.rules.cards import KINGDOM
from referee.games.dominion.rules.effects import Decisions
from referee.games.dominion.rules.messages import GameInfo
from referee.games.dominion.rules.player import Player
from referee.games.dominion.rules.situation import Situation
from referee.games.dominion.rules.table import Table
from referee.games.dominion.rules.turn import play_turn
from referee.seam.faults import Termination
from referee.seam.game import GONE, Outcome, Request, Setup, Standing

PROVINCES_EMPTY = "provinces-empty"
PILES_EMPTY = "piles-empty"
REASONS = (PROVINCES_EMPTY, PILES_EMPTY)
EMPTY_PILES_TO_END = 3


class Dominion:
    """One game of Dominion for 2 to 4 players; implements `referee.seam.game.Game`.

    Args:
        setup: as of every game.
        situation: where it begins; None with the deal.

    Attributes:
        request: the decision that the game waits for, or None.
        outcome: set once the game has ended by its own rules.
    """

    __slots__ = ("_max_turns", "_names", "_script", "_situation", "_table", "outcome", "request")

    def __init__(self, setup: Setup, situation: Situation | None = None) -> None:
        self.request: Request | None = None
        self.outcome: Outcome | None = None
        self._names = setup.names
        self._max_turns = setup.max_turns
        self._table = Table(setup.chance, len(setup.names))
        self._script: Decisions | None = None  # once it has started
        self._situation = situation
        if situation is not None:
            situation.lay_out(self._table)

    def start(self) -> None:
        """Tell of kingdom and supply, and run to the first request, if two are there to play."""
        if self._script is not None:
            raise ProtocolMisuseError("the game was started already")
        self._script = self._play()
        self._table.events.append(GameInfo(list(KINGDOM), list(self._names)))
        self._table.events.append(self._table.supply.info())
        if self._situation is not None:
            self._situation.tell(self._table)
        if sum(not player.gone for player in self._table.players) > 1:
            self.request = next(self._script)

    def reply(self, reply: object) -> None:
        """Answer the request and run to the next one, or to the end."""
        if self._script is None or self.request is None:
            raise ProtocolMisuseError("a reply was given to a game that waits for none")
        try:
            self.request = self._script.send(reply)
        except StopIteration:
            self.request = None

    def disqualify(self, seat: int) -> None:
        """Take a seat out: its turn is cleaned up, it is skipped and not attacked (8.3)."""
        self._table.players[seat].gone = True
        if self.request is not None and self.request.seat == seat:
            self.reply(GONE)

    def take_events(self) -> list[Struct]:
        """Public messages and faults since the last call, oldest first."""
        events = self._table.events
        self._table.events = []
        return events

    def standings(self) -> list[Standing]:
        """One entry a seat, in seat order."""
        return [Standing(p.score(), p.turns, p.cards()) for p in self._table.players]

    def _play(self) -> Decisions:
        while not all(player.gone for player in self._table.players):
            for player in self._table.players:
                if not player.gone:
                    yield from self._turn(player)
                    reason = self._end_reason(player)
                    if reason is not None:
                        self.outcome = Outcome(reason, self._winners())
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
            p.gone or p.turns >= self._max_turns for p in self._table.players
        ):
            return Termination.TURN_LIMIT
        return None

    def _winners(self) -> tuple[int, ...]:
        """Most points, then fewest turns, then shared; never a seat that left (4.5, 8.3)."""
        ranked = [(-p.score(), p.turns, p.seat) for p in self._table.players if not p.gone]
        best = min(ranked, default=(0, 0, 0))[:2]
        return tuple(seat for points, turns, seat in ranked if (points, turns) == best)


def begin_at(setup: Setup, state: Mapping[str, Any]) -> Dominion:
    """Make a game that begins in the middle.

    Args:
        state: a `Situation` as a JSON object.
    """
    return Dominion(setup, convert(state, Situation))
