"""What the page shows of Dominion beside its views: facts of the cards, curves, a log's views.

drawing.js, drawing.css    the table, as the browser draws it
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from referee.games.dominion.events import TurnMessage, cards_of, kind_of
from referee.games.dominion.ledger import Ledger
from referee.games.dominion.person import BY_COST, does
from referee.games.dominion.rules.cards import CARDS, COST, KINGDOM, WORTH
from referee.games.dominion.rules.messages import GameInfo, PlayerGained, SupplyInfo
from referee.games.dominion.rules.view import SeatView, View
from referee.games.interface.page import Page, Series
from referee.games.interface.seats import seat_index


def facts(options: object) -> dict[str, Any]:
    """What the drawing has to know of the cards.

    Returns:
        cards: card -> its cost, its kind ("action", "treasure", "victory" or "curse"), the money
            that it gives when it is played as a treasure, and what it does.
        supply: the cards that are in every game, as protocol-v1 lists them, and the kingdom's by
            cost.
    """
    cards = {
        card: {"cost": COST[card], "kind": _kind(card), "worth": data.worth, "text": does(card)}
        for card, data in CARDS.items()
    }
    basic = [card for card in CARDS if card not in KINGDOM]
    return {"cards": cards, "supply": [basic, [card for card in BY_COST if card in KINGDOM]]}


def _kind(card: str) -> str:
    data = CARDS[card]
    if data.action:
        return "action"
    if data.worth:
        return "treasure"
    return "victory" if data.points > 0 else "curse"


def points(view: View) -> list[float]:
    """The score of each seat, in seat order."""
    return [seat.score for seat in view.seats]


def cards_owned(view: View) -> list[float]:
    """How many cards each seat owns."""
    return [sum(seat.cards.values()) for seat in view.seats]


def treasure(view: View) -> list[float]:
    """What the treasures of each seat give, if all of them are played once."""
    return [_worth(seat.cards) for seat in view.seats]


def _worth(cards: Mapping[str, int]) -> int:
    return sum(worth * cards.get(card, 0) for card, worth in WORTH.items())


class Spectator:
    """Implements `referee.games.interface.page.Spectator` for Dominion."""

    def __init__(self, seats: int) -> None:
        self._ledger = Ledger(seats)

    def hear(self, message: Struct) -> bool:
        """Take a public message; the piles follow after a gain, and after the beginning."""
        if isinstance(message, SupplyInfo):
            self._ledger.show(message)
        elif isinstance(message, TurnMessage):
            seat = seat_index(message.player_number)
            self._ledger.count(seat, kind_of(message), cards_of(message))
        return not isinstance(message, PlayerGained | GameInfo)

    def view(self) -> View:
        """What `Game.view(PUBLIC)` says."""
        owned = [
            {card: cards[card] for card in CARDS if cards[card]} for cards in self._ledger.owned
        ]
        seats = [
            SeatView(cards, score, None)
            for cards, score in zip(owned, self._ledger.scores(), strict=True)
        ]
        return View(self._ledger.supply, seats, None, None)


PAGE = Page(
    folder=Path(__file__).parent,
    series=(
        Series("points", "", points),
        Series("cards", "", cards_owned),
        Series("treasure", "money", treasure),
    ),
    facts=facts,
    spectator=Spectator,
)
