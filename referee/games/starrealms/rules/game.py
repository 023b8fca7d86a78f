"""The game of Star Realms. Two players take turns until one has no authority left (protocol, 4).

The rules are written as a generator that runs through the whole game and yields each request
(`referee.games.interface.table`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from referee.games.interface.faults import EndReason
from referee.games.interface.game import GameSetup, Outcome, SeatState, Viewer, beginning_at, ranks
from referee.games.interface.random_source import RandomSource
from referee.games.interface.table import CardFacts, TableGame, copied, redeal
from referee.games.starrealms.rules.effects import Decisions
from referee.games.starrealms.rules.messages import GameInfo
from referee.games.starrealms.rules.player import TurnState
from referee.games.starrealms.rules.situation import Situation
from referee.games.starrealms.rules.table import Table
from referee.games.starrealms.rules.turn import play_on, play_turn
from referee.games.starrealms.rules.view import View, view_of

AUTHORITY = "authority"
REASONS = {AUTHORITY: "{loser} had no authority left"}


class Options(Struct, frozen=True):
    """The options of a game of Star Realms.

    Attributes:
        max_turns: turns per player after which the game ends (4.10).
        explorers: number of Explorers at the start.
    """

    max_turns: Annotated[int, Meta(ge=1, le=10_000)] = 100
    explorers: Annotated[int, Meta(ge=0, le=1_000)] = 10


class StarRealms(TableGame[Table]):
    """One game of Star Realms; implements `referee.games.interface.game.Game`."""

    def __init__(self, setup: GameSetup, situation: Situation | None = None) -> None:
        options: Options = setup.options
        table = Table(setup.chance, options.explorers)
        super().__init__(table)
        self._max_turns = options.max_turns
        first, second = table.players
        self.turn = TurnState(first, second)
        if situation is not None:
            situation.lay_out(table, self.turn)
        table.events.append(
            GameInfo("starrealms", options.max_turns, options.explorers, list(setup.names))
        )
        # Publish the row only after laying out the situation, because this is the first row that
        # the players see.
        table.show_row()
        self.begin(self._play(), setup.absent)

    def standings(self) -> list[SeatState]:
        return [SeatState(p.authority, p.turns, CardFacts(p.cards())) for p in self.table.players]

    def view(self, viewer: Viewer) -> View:
        """Return the game as a viewer sees it. Only hands and the order of decks are hidden."""
        return view_of(self.table, self.turn, self.requests, viewer)

    def copy(self, chance: RandomSource) -> StarRealms | None:
        """Copy the game, if it's waiting for the next action of a turn.

        Returns None while the player has to answer a `choose`. The effect that asks is a generator
        that has already started, and Python can't copy those.
        """
        if not self.requests or self.turn.question is not None:
            return None
        players = [
            copied(
                player,
                made=copied(player.made),
                in_play=[piece.copy() for piece in player.in_play],
            )
            for player in self.table.players
        ]
        table = copied(self.table, players=players, _chance=chance)
        old = self.turn
        turn = copied(old, player=players[old.player.seat], opponent=players[old.opponent.seat])
        new = copied(self, table=table, turn=turn)
        # The copy needs a new generator, which has to start at the top of the loop in play_on().
        # That's where the old one waits for the reply to a `play-turn`.
        return new.resume(new._play(play_on))

    def redeal(self, seats: Sequence[int], chance: RandomSource) -> None:
        """Deal the decks again, and the hands of other players than these (4.9).

        If everybody saw a card being put on top of a deck, e.g. with a Freighter, it stays there.
        """
        redeal(chance, self.table.trade_deck)
        for player in self.table.players:
            below = player.deck[: len(player.deck) - player.known]
            redeal(chance, below, *([] if player.seat in seats else [player.hand]))
            player.deck[: len(below)] = below

    def _play(self, turn: Callable[[Table, TurnState], Decisions] = play_turn) -> Decisions:
        first, second = self.table.players
        while True:
            yield from turn(self.table, self.turn)
            # Only the first turn of a copied game is played with play_on().
            turn = play_turn
            if self.turn.opponent.authority <= 0:
                reason = AUTHORITY
                break
            if self.table.turn >= 2 * self._max_turns:
                reason = EndReason.TURN_LIMIT
                break
            self.turn = TurnState(self.turn.opponent, self.turn.player)
        self.outcome = Outcome(reason, ranks([-first.authority, -second.authority]))


begin_at = beginning_at(StarRealms, Situation)
