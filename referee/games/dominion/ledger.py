"""Supply and owned cards, from public messages.

Code with a live game looks at its view instead (`rules/view.py`).
"""

from __future__ import annotations

from collections import Counter

from referee.games.dominion.events import Event, Kind
from referee.games.dominion.rules.cards import CARDS, STARTING_DECK, points_of
from referee.games.dominion.rules.messages import SupplyInfo


class Ledger:
    """The cards of a match, as far as they are public.

    Attributes:
        supply: card -> cards left; empty before the first `supply-info`.
        owned: the cards of each seat, in seat order.
    """

    def __init__(self, seats: int) -> None:
        self.supply: dict[str, int] = {}
        self.owned = [Counter(STARTING_DECK) for _ in range(seats)]

    def show(self, message: SupplyInfo) -> None:
        """Take the piles as they are now."""
        self.supply = {pile.card: pile.count for pile in message.cards}

    def count(self, event: Event, sign: int = 1) -> None:
        """Count what a seat has gained or trashed; any other kind of event changes nothing.

        Args:
            sign: -1 takes it back.
        """
        if event.kind == Kind.TRASHED:
            sign = -sign
        elif event.kind != Kind.GAINED:
            return
        owned = self.owned[event.seat]
        for card in event.cards:
            if card in CARDS:  # there is no end of other names
                owned[card] += sign
                if not owned[card]:
                    del owned[card]

    def scores(self) -> list[int]:
        """Return the points of each seat's cards, in seat order."""
        return [points_of(owned) for owned in self.owned]
