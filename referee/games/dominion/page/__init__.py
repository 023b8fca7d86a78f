"""Dominion's part of the match page: facts about cards, the curves, and how to show a log.

drawing.js, drawing.css    draw the table in the browser
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any

from msgspec import Struct

from referee.games.dominion.events import Event, Kind, Ledger, TurnMessage
from referee.games.dominion.person import by_cost, does, effect
from referee.games.dominion.rules.cards import CARDS, COST, KINGDOM, WORTH, kingdom_of
from referee.games.dominion.rules.messages import PlayerGained, PlayTurn, SupplyInfo
from referee.games.dominion.rules.view import SeatView, View
from referee.games.interface.page import Counter, Now, PageDefinition, Series
from referee.games.interface.sentence import Card, drawn, listed
from referee.games.interface.table import Moved, moves_of


def _facts(options: Any) -> dict[str, Any]:
    """Return the card facts that the drawing needs.

    Returns:
        cards: card -> its cost, its kind ("action", "treasure", "victory" or "curse"), its money as
            a treasure, its points, and its effect in words and for the drawing.
        supply: first the cards that are in every game, in the order of protocol-v1, and then the
            kingdom cards, sorted by cost.
    """
    kingdom = kingdom_of(options)
    basic = [card for card in CARDS if card not in KINGDOM]
    cards = {
        card: {
            "cost": COST[card],
            "kind": _kind(card),
            "worth": CARDS[card].worth,
            "points": CARDS[card].points,
            "text": does(card),
            "brief": drawn(effect(card)),
        }
        for card in (*basic, *kingdom)
    }
    return {"cards": cards, "supply": [basic, by_cost(kingdom)]}


def _kind(card: str) -> str:
    data = CARDS[card]
    if data.action:
        return "action"
    if data.worth:
        return "treasure"
    # Only curses have negative points.
    return "victory" if data.points > 0 else "curse"


def _worth(cards: Mapping[str, int]) -> int:
    return sum(worth * cards.get(card, 0) for card, worth in WORTH.items())


class Spectator:
    """Implements `referee.games.interface.page.Spectator` for Dominion.

    We don't have to run the rules for this. A spectator only sees the supply and the cards that
    each player owns, and we can count both from the public messages.
    """

    def __init__(self, seats: int) -> None:
        self._ledger = Ledger(seats)
        self._moved: list[Moved] = []

    def observe(self, message: Struct) -> bool:
        """Read a public message. After a gain, the view isn't complete until `supply-info`."""
        if isinstance(message, SupplyInfo):
            self._ledger.show(message)
        elif isinstance(message, TurnMessage):
            event = Event.of(message)
            self._ledger.count(event)
            self._moved += _moved(event)
        return bool(self._ledger.supply) and not isinstance(message, PlayerGained)

    def view(self) -> View:
        owned = [
            {card: cards[card] for card in CARDS if cards[card]} for cards in self._ledger.owned
        ]
        seats = [
            SeatView(cards, score, None)
            for cards, score in zip(owned, self._ledger.scores(), strict=True)
        ]
        return View(self._ledger.supply, seats, None, None)

    def take_moved(self) -> Sequence[Moved]:
        """Return the moves since the last call. We can't tell here which cards were bought."""
        moved, self._moved = self._moved, []
        return moved


def _moved(event: Event) -> list[Moved]:
    # Keep this consistent with the moves that `Table` publishes. Otherwise, a log and a live match
    # wouldn't look the same.
    seat, cards = event.seat, event.cards
    if event.kind == Kind.PLAYED:
        # The other players learn only at the clean-up which cards were played.
        return [Moved(seat, public=moves_of(seat, cards, "play", "discard"), shows=cards)]
    if event.kind not in (Kind.GAINED, Kind.TRASHED):
        return []
    shown = [Card(card) for card in cards]
    if event.kind == Kind.TRASHED:
        moves = moves_of(seat, cards, "hand", "trash")
        return [Moved(seat, public=moves, told=["trashes ", *listed(shown)])]
    moves = moves_of(seat, cards, "supply", "discard")
    return [Moved(seat, public=moves, told=["gains ", *listed(shown)], got=cards)]


def _now(view: View) -> Now:
    # We only know these numbers from a `play-turn`, and spectator logs don't contain requests.
    asked = view.request
    if not isinstance(asked, PlayTurn):
        return _NOT_KNOWN
    money = asked.extra_money + sum(WORTH.get(card, 0) for card in asked.hand)
    numbers = {"actions": asked.actions, "buys": asked.buys, "money": money}
    return Now(view.asked, tuple(starmap(Counter, numbers.items())))


_NOT_KNOWN = Now(None, tuple(Counter(name, None) for name in ("actions", "buys", "money")))


PAGE = PageDefinition(
    folder=Path(__file__).parent,
    series=(
        Series("points", "", lambda view: [seat.score for seat in view.seats]),
        Series("cards", "", lambda view: [sum(seat.cards.values()) for seat in view.seats]),
        Series("treasure", "money", lambda view: [_worth(seat.cards) for seat in view.seats]),
    ),
    facts=_facts,
    spectator=Spectator,
    now=_now,
)
