"""Support for conformance cases: games that start from a given position, and simple replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from referee.games.starrealms.rules.cards import CARDS
from referee.games.starrealms.rules.player import AUTHORITY, Piece, Player, TurnState
from referee.games.starrealms.rules.table import Table


class SeatCards(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat's cards, in which omitted piles are empty. The first card of `deck` is drawn first."""

    authority: int = AUTHORITY
    hand: list[str] = []
    deck: list[str] = []
    discard: list[str] = []
    bases: list[str] = []
    due: int = 0

    def lay_out(self, player: Player) -> None:
        player.authority = self.authority
        player.hand = self.hand.copy()
        player.deck = self.deck[::-1]  # Player.deck has its top at the end
        player.discard = self.discard.copy()
        player.in_play = [Piece(CARDS[base]) for base in self.bases]
        player.due = self.due


class Situation(Struct, frozen=True, forbid_unknown_fields=True):
    """A position in which player 1 begins a turn. Omitted parts are dealt as usual."""

    seats: dict[str, SeatCards] = {}  # player number -> its cards
    trade_row: list[str] | None = None  # oldest first
    trade_deck: list[str] | None = None  # the first card is dealt first
    turn: int = 0  # number of turns that are over
    trade: int = 0
    combat: int = 0

    def lay_out(self, table: Table, turn: TurnState) -> None:
        """Change a newly dealt table, and its first turn, to this position."""
        for player in table.players:
            if player.number in self.seats:
                self.seats[player.number].lay_out(player)
        if self.trade_row is not None:
            table.row = self.trade_row.copy()
        if self.trade_deck is not None:
            table.trade_deck = self.trade_deck[::-1]  # the table's deck has its top at the end
        table.turn = self.turn
        turn.trade, turn.combat = self.trade, self.combat


def simplest_reply(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """End the turn, or pick the first `least` options."""
    if request["type"] == "choose":
        return {"type": "choose-reply", "picks": list(range(request["least"]))}
    return {"type": "play-reply", "actions": [{"action": "end-turn"}]}
