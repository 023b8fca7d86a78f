"""The table, and the moves that every rule is made of.

Each move changes the cards and publishes it, in the order of protocol-v1, 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from referee.games.dominion.rules import messages as say
from referee.games.dominion.rules.faults import SECTIONS
from referee.games.dominion.rules.player import Player
from referee.games.dominion.rules.supply import Supply
from referee.games.interface import table as interface
from referee.games.interface.random_source import RandomSource
from referee.games.interface.table import Move, Moved, moves_of


class Table(interface.Table[Player]):
    """Players, supply and the messages on their changes."""

    sections = SECTIONS

    def __init__(self, chance: RandomSource, players: int) -> None:
        super().__init__([Player(seat, chance) for seat in range(players)])
        self._chance = chance
        self.supply = Supply(players)

    def gain(self, player: Player, card: str, *, to_hand: bool = False) -> None:
        """Move a card from a pile that is not empty to the player's discard pile, or hand."""
        self.supply.take(card)
        (player.hand if to_hand else player.discard_pile).append(card)
        player.counted = None
        self.events += (say.PlayerGained(player.number, card), self.supply.info)
        if self.watchers:
            public = [Move(player.seat, "supply", "hand" if to_hand else "discard", card)]
            self.moved(Moved(player.seat, public, public, public))

    def played(self, player: Player, card: str) -> None:
        """Tell watchers that a card of the hand is in play now; the clean-up publishes it."""
        if self.watchers:
            own = [Move(player.seat, "hand", "play", card)]
            self.moved(Moved(player.seat, own, own, ()))

    def trash(self, player: Player, card: str) -> None:
        """Remove a hand card from the game."""
        player.hand.remove(card)
        player.counted = None
        self.events.append(say.PlayerTrashed(player.number, [card]))
        if self.watchers:
            public = [Move(player.seat, "hand", "trash", card)]
            self.moved(Moved(player.seat, public, public, public))

    def discard(self, player: Player, cards: list[str], played: Sequence[str] = ()) -> None:
        """Put cards, already taken from where they were, on the discard pile; the last on top.

        Args:
            played: those of them that were in play, not in the hand.
        """
        if cards:
            player.discard_pile += cards
            self.events.append(say.PlayerTopDiscard(player.number, cards[-1]))
            if self.watchers:
                self.moved(_discarded(player, cards, played))

    def draw(self, player: Player, count: int) -> None:
        """Draw up to `count` cards (4.6)."""
        before = len(player.hand)
        if player.draw(count):
            self.events.append(say.PlayerShuffled(player.number))
        if self.watchers:
            drawn = player.hand[before:]
            whole = moves_of(player.seat, drawn, "deck", "hand")
            # Its next request shows the cards to the seat. Nothing says to others how many it drew.
            own = [Move(player.seat, "deck", "hand", count=len(drawn))] if drawn else []
            self.moved(Moved(player.seat, whole, own, ()))

    def take_at_random(self, player: Player, count: int) -> list[str]:
        """Take that many hand cards, chosen by the referee (7.4)."""
        taken = self._chance.take("referee", player.hand, count, player.number)
        player.is_shown, player.unseen = False, taken[:-1]
        return taken

    def others(self, player: Player) -> list[Player]:
        """Everybody else still in the match, in turn order from the player's left (7.1)."""
        order = [*self.players[player.seat + 1 :], *self.players[: player.seat]]
        return [other for other in order if not other.left]


def _discarded(player: Player, cards: Sequence[str], played: Sequence[str]) -> Moved:
    """Only the top card and the cards played are public, and what a seat has not seen is hidden."""
    from_hand = (Counter(cards) - Counter(played)).elements()
    from_play = moves_of(player.seat, played, "play", "discard")
    whole = [*from_play, *moves_of(player.seat, from_hand, "hand", "discard")]
    top = [] if cards[-1] in played else [Move(player.seat, "hand", "discard", cards[-1])]
    public = [*from_play, *top]
    return Moved(player.seat, whole, whole if player.is_shown else public, public)
