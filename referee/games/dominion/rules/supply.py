"""The supply: seventeen piles (protocol-v1, 4.2).

A message with all piles is sent after each gain, and a match has many gains. We therefore keep the
structs of all piles and only replace the changed one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from referee.games.dominion.rules.cards import STARTING_DECK
from referee.games.dominion.rules.messages import Pile, SupplyInfo


class Supply:
    """The piles of the supply.

    Attributes:
        counts: card -> number of cards left.
        info: the `supply-info` with these counts.
        empty_piles: number of empty piles.
        shown: cached result of `show`. It's None after a pile has changed.
    """

    def __init__(self, players: int, kingdom: Iterable[str]) -> None:
        # The coppers of the starting decks are taken from the supply.
        coppers = 60 - STARTING_DECK.count("copper") * players
        self.counts = {
            "curse": 10 * (players - 1),
            "copper": coppers,
            "silver": 40,
            "gold": 30,
            **dict.fromkeys(("estate", "duchy", "province"), 8 if players == 2 else 12),
            **dict.fromkeys(kingdom, 10),
        }
        self._index = {card: index for index, card in enumerate(self.counts)}
        self.shown: dict[str, int] | None
        self.set({})

    def take(self, card: str) -> None:
        """Take one card from a pile that isn't empty."""
        self.shown = None
        self.counts[card] = left = self.counts[card] - 1
        if not left:
            self.empty_piles += 1
        # Only replace the pile that has changed. It would be slow to create all of them again.
        self._piles[self._index[card]] = Pile(card, left)
        self.info = SupplyInfo(tuple(self._piles))

    def set(self, counts: Mapping[str, int]) -> None:
        """Change the number of cards in these piles. The other piles stay as they are."""
        self.shown = None
        self.counts |= counts
        self.empty_piles = list(self.counts.values()).count(0)
        self._piles = [Pile(c, count) for c, count in self.counts.items()]
        self.info = SupplyInfo(tuple(self._piles))

    def show(self) -> dict[str, int]:
        """Return a copy of the counts. The views of all players share it, so don't modify it."""
        if self.shown is None:
            self.shown = self.counts.copy()
        return self.shown
