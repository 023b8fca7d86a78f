"""What a turn has left to spend, and what it has got so far (protocol-v1, 4.4)."""

from __future__ import annotations

from msgspec import Struct

from referee.games.dominion.rules.player import Player


class TurnState(Struct):
    """One player's turn.

    Attributes:
        player: whose turn.
        actions, buys: how many are left.
        money: from actions; the treasures' money exists only within a buy reply.
        bought: this turn, in order.
        gained: this turn, in order, buys included.
    """

    player: Player
    actions: int = 1
    buys: int = 1
    money: int = 0
    bought: list[str] = []
    gained: list[str] = []
