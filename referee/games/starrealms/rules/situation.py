"""A game that begins in the middle, and the simplest reply, for conformance cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from referee.games.starrealms.rules.cards import CARDS
from referee.games.starrealms.rules.player import AUTHORITY, Piece, Player, TurnState
from referee.games.starrealms.rules.table import Table


class SeatCards(Struct, frozen=True, forbid_unknown_fields=True):
    """The cards of a seat. Missing piles are empty. The first card of the deck is drawn first."""

    authority: int = AUTHORITY
    hand: list[str] = []
    deck: list[str] = []
    discard: list[str] = []
    bases: list[str] = []
    due: int = 0

    def lay_out(self, player: Player) -> None:
        player.authority = self.authority
        player.hand = self.hand.copy()
        # In a conformance case, the first card of a deck is drawn first. Our own decks have their
        # top at the end.
        player.deck = self.deck[::-1]
        player.discard = self.discard.copy()
        player.in_play = [Piece(CARDS[base]) for base in self.bases]
        player.due = self.due


class Situation(Struct, frozen=True, forbid_unknown_fields=True):
    """The start of a game: a turn of player 1. Missing parts stay as dealt."""

    seats: dict[str, SeatCards] = {}  # player number -> its cards
    trade_row: list[str] | None = None  # oldest first
    trade_deck: list[str] | None = None  # the first card is dealt first
    turn: int = 0  # number of turns before this turn
    trade: int = 0
    combat: int = 0

    def lay_out(self, table: Table, turn: TurnState) -> None:
        """Set up a new table, and the resources of the first turn."""
        for player in table.players:
            if player.number in self.seats:
                self.seats[player.number].lay_out(player)
        if self.trade_row is not None:
            table.row = self.trade_row.copy()
        if self.trade_deck is not None:
            # A situation lists the deck from its top, but the top of the table's deck is the last
            # card.
            table.trade_deck = self.trade_deck[::-1]
        table.turn = self.turn
        turn.trade, turn.combat = self.trade, self.combat


def simplest_reply(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """End the turn, or pick the first `least` options."""
    if request["type"] == "choose":
        return {"type": "choose-reply", "picks": list(range(request["least"]))}
    return {"type": "play-reply", "actions": [{"action": "end-turn"}]}
