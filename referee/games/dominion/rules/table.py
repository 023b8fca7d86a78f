"""What lies on the table, and the moves that every rule is made of.

Each move changes the cards and publishes it, in the order of protocol-v1, 2.
"""

from __future__ import annotations

from msgspec import Struct

from referee.games.dominion.rules.faults import SECTIONS
from referee.games.dominion.rules.messages import (
    PlayerGained,
    PlayerShuffled,
    PlayerTopDiscard,
    PlayerTrashed,
)
from referee.games.dominion.rules.player import Player
from referee.games.dominion.rules.supply import Supply
from referee.games.interface.chance import Chance
from referee.games.interface.faults import Fault


class Table:
    """Players, supply and the messages on their changes.

    Attributes:
        players: one entry a seat, in seat order; a seat that left stays in the list.
        supply: the seventeen piles.
        events: public messages and faults not yet collected, oldest first.
    """

    __slots__ = ("_chance", "events", "players", "supply")

    def __init__(self, chance: Chance, players: int) -> None:
        self._chance = chance
        self.players = [Player(seat, chance) for seat in range(players)]
        self.supply = Supply(players)
        self.events: list[Struct] = []

    def gain(self, player: Player, card: str, *, to_hand: bool = False) -> None:
        """Move a card from a pile that is not empty to the player's discard pile, or hand."""
        self.supply.take(card)
        (player.hand if to_hand else player.discard_pile).append(card)
        player.counted = None
        self.events += (PlayerGained(player.number, card), self.supply.info())

    def trash(self, player: Player, card: str) -> None:
        """Remove a hand card from the game."""
        player.hand.remove(card)
        player.counted = None
        self.events.append(PlayerTrashed(player.number, [card]))

    def discard(self, player: Player, cards: list[str]) -> None:
        """Put cards, already taken from where they were, on the discard pile; the last on top."""
        if cards:
            player.discard_pile += cards
            self.events.append(PlayerTopDiscard(player.number, cards[-1]))

    def draw(self, player: Player, count: int) -> None:
        """Draw up to `count` cards (4.6)."""
        if player.draw(count):
            self.events.append(PlayerShuffled(player.number))

    def take_at_random(self, player: Player, count: int) -> list[str]:
        """Take that many hand cards, chosen by the referee (7.4)."""
        taken = self._chance.take("referee", player.hand, count, player.number)
        player.is_shown, player.unseen = False, taken[:-1]
        return taken

    def fault(self, player: Player, code: str, detail: str, *, section: str = "") -> None:
        """Note a mistake.

        Args:
            section: only where it is not the one that defines the code.
        """
        self.events.append(Fault(player.seat, code, section or SECTIONS[code], detail))

    def others(self, player: Player) -> list[Player]:
        """Everybody else still in the match, in turn order from the player's left (7.1)."""
        order = self.players[player.seat + 1 :] + self.players[: player.seat]
        return [other for other in order if not other.left]
