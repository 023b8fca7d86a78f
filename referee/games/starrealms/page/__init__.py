"""Provides the card data, charts and counters of Star Realms for the match page.

drawing.js, drawing.css    draw the table in the browser
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee.games.interface.page import Counter, Now, PageDefinition, Series
from referee.games.interface.sentence import drawn
from referee.games.starrealms.person import does, effect
from referee.games.starrealms.rules.cards import CARDS, EXPLORER
from referee.games.starrealms.rules.view import View


def _facts(options: Any) -> dict[str, Any]:
    # The page draws the pile of Explorers next to the trade row, under the key `pile`.
    cards = {
        name: {fact: getattr(card, fact) for fact in ("faction", "type", "cost", "defense")}
        | {"text": does(card), "brief": drawn(effect(card))}
        for name, card in CARDS.items()
    }
    factions = {card.faction: card.faction.replace("_", " ").title() for card in CARDS.values()}
    return {"cards": cards, "factions": factions, "pile": EXPLORER}


def _cards(view: View) -> list[float]:
    return [len(seat.hidden) + len(seat.discard) + len(seat.in_play) for seat in view.seats]


def _of_turn(name: str) -> Callable[[View], list[float]]:
    # Trade and combat belong to the current turn, so the other player's curve is at 0.
    return lambda view: [
        getattr(view, name) * (seat == view.player) for seat in range(len(view.seats))
    ]


def _now(view: View) -> Now:
    counters = Counter("trade", view.trade), Counter("combat", view.combat)
    return Now(view.player if view.turn else None, counters)


PAGE = PageDefinition(
    folder=Path(__file__).parent,
    series=(
        Series("authority", "", lambda view: [seat.authority for seat in view.seats]),
        Series("trade", "to spend", _of_turn("trade")),
        Series("combat", "to spend", _of_turn("combat")),
        Series("cards", "owned", _cards),
    ),
    facts=_facts,
    now=_now,
)
