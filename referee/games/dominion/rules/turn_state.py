"""What a turn has left to spend, and what it has got so far (protocol-v1, 4.4)."""

from __future__ import annotations

from referee.games.dominion.rules.player import Player


class TurnState:
    """One player's turn.

    Attributes:
        player: whose turn.
        actions, buys: how many are left.
        money: from actions; the treasures' money exists only within a buy reply.
        bought: this turn, in order.
        gained: this turn, in order, buys included.
    """

    __slots__ = ("actions", "bought", "buys", "gained", "money", "player")

    def __init__(self, player: Player) -> None:
        self.player = player
        self.actions = 1
        self.buys = 1
        self.money = 0
        self.bought: list[str] = []
        self.gained: list[str] = []
