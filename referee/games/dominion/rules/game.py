"""The game of Dominion: the seats take turns until the game is over (protocol-v1, 4).

A whole game is a single generator that yields requests. See `referee.games.interface.table`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from referee.games.dominion.rules.cards import kingdom_of
from referee.games.dominion.rules.effects import Decisions
from referee.games.dominion.rules.messages import GameInfo, PlayTurn
from referee.games.dominion.rules.player import Gains, Player, TurnState
from referee.games.dominion.rules.situation import Situation
from referee.games.dominion.rules.table import Table
from referee.games.dominion.rules.turn import play_turn
from referee.games.dominion.rules.view import View, view_of
from referee.games.interface.faults import EndReason
from referee.games.interface.game import (
    GameSetup,
    Outcome,
    SeatState,
    Viewer,
    beginning_at,
    ranks,
)
from referee.games.interface.random_source import RandomSource
from referee.games.interface.table import CardFacts, TableGame, copied, redeal

PROVINCES_EMPTY = "provinces-empty"
PILES_EMPTY = "piles-empty"
REASONS = {
    PROVINCES_EMPTY: "the province pile was empty",
    PILES_EMPTY: "three piles were empty",
}
EMPTY_PILES_TO_END = 3


class Options(Struct, frozen=True):
    """The options of a game.

    Attributes:
        max_turns: turns per player after which the game ends (4.4).
    """

    max_turns: Annotated[int, Meta(ge=1)] = 500


class Dominion(TableGame[Table]):
    """One game of Dominion for 2 to 4 players. Implements `referee.games.interface.game.Game`."""

    turn: TurnState

    def __init__(self, setup: GameSetup, situation: Situation | None = None) -> None:
        kingdom = kingdom_of(setup.options)
        super().__init__(Table(setup.chance, len(setup.names), kingdom))
        self._max_turns: int = setup.options.max_turns
        self._situation = situation
        if situation is not None:
            situation.lay_out(self.table)
        self.table.events += (GameInfo(list(kingdom), list(setup.names)), self.table.supply.info)
        if situation is not None:
            situation.publish(self.table)
        self.begin(self._play(), setup.absent)

    def standings(self) -> list[SeatState]:
        return [SeatState(p.score(), p.turns, CardFacts(p.cards())) for p in self.table.players]

    def view(self, viewer: Viewer) -> View:
        """Return the state as the viewer sees it.

        Everybody sees which cards a player owns, but not which of them are in hand.
        """
        return view_of(self.table, self.requests, viewer)

    def copy(self, chance: RandomSource) -> Dominion | None:
        """Copy the game in the middle of a turn. It continues at the current request.

        Returns None during an attack. The effect of a militia is a running generator then, and
        generators can't be copied.
        """
        if not (self.requests and isinstance(self.requests[0].asks, PlayTurn)):
            return None
        players = [copied(player, _chance=chance) for player in self.table.players]
        supply = copied(self.table.supply)
        table = copied(self.table, players=players, supply=supply, _chance=chance)
        old = self.turn
        player, bought, gained = players[old.player.seat], old.bought.copy(), old.gained.copy()
        # The last entry grows during the turn, so the copy needs lists of its own.
        player.gains[-1] = Gains(bought, gained)
        turn = TurnState(player, old.actions, old.buys, old.money, bought, gained)
        new = copied(self, table=table, turn=turn)
        return new.resume(new._play(turn))

    def redeal(self, seats: Sequence[int], chance: RandomSource) -> None:
        """Shuffle all decks, and the hands and discard piles of other players than these (2.8).

        Players know their hands and discard piles. The top cards of discard piles are public.
        """
        for player in self.table.players:
            if player.seat in seats:
                redeal(chance, player.deck)
            else:
                below, top = player.discard_pile[:-1], player.discard_pile[-1:]
                redeal(chance, player.deck, player.hand, below)
                player.discard_pile = below + top

    def _play(self, resumed: TurnState | None = None) -> Decisions:
        # A copy resumes in the middle of a player's turn, so skip everybody who comes before that
        # player in the first round.
        while True:
            for player in self.table.players:
                # We skip seats that have left, but the order of the others stays.
                if player.left or (resumed is not None and resumed.player is not player):
                    continue
                if resumed is None:
                    self._begin_turn(player)
                resumed = None
                yield from play_turn(self.table, self.turn)
                reason = self._end_reason()
                if reason is not None:
                    self._end(reason)
                    return

    def _begin_turn(self, player: Player) -> None:
        situation, self._situation = self._situation, None  # only for the first turn
        self.turn = turn = TurnState(player) if situation is None else situation.turn.of(player)
        self.table.turn = turn
        player.turns += 1
        player.gains.append(Gains(turn.bought, turn.gained))

    def _end_reason(self) -> str | None:
        supply = self.table.supply
        if not supply.counts["province"]:
            return PROVINCES_EMPTY
        if supply.empty_piles >= EMPTY_PILES_TO_END:
            return PILES_EMPTY
        # All players get the same number of turns, so we let the others finish the round.
        if all(p.left or p.turns >= self._max_turns for p in self.table.players):
            return EndReason.TURN_LIMIT
        return None

    def _end(self, reason: str) -> None:
        # Sort by points, then by fewest turns. Seats that left are last, and their points and turns
        # don't count (4.5, 8.3).
        keys = [
            (p.left, 0, 0) if p.left else (p.left, -p.score(), p.turns) for p in self.table.players
        ]
        self.outcome = Outcome(reason, ranks(keys))


begin_at = beginning_at(Dominion, Situation)
