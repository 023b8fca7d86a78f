"""Provides the card data, charts and counters of Scripts of Tribute for the match page.

drawing.js, drawing.css    draw the table in the browser
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee.games.interface.page import Counter, Now, PageDefinition, Series
from referee.games.interface.sentence import drawn
from referee.games.tribute.person import ASKS, CALL_EFFECTS, CALLS, does, effect
from referee.games.tribute.rules.cards import TREASURY, card_set, title_of
from referee.games.tribute.rules.game import Options
from referee.games.tribute.rules.messages import CardRow
from referee.games.tribute.rules.view import View


def _facts(options: Options) -> dict[str, Any]:
    """Return the data that drawing.js needs to show cards, patrons and choices.

    Returns:
        cards: by id, with name, patron, type, cost, HP, taunt and a description of the effect.
        patrons: by id, with name, a description of a call, and whether they can favour a player.
        asks: the question for each `follow_up` of a choice.
    """
    patrons = [*options.patrons, TREASURY]
    cards = card_set(options.cards).kinds.values()
    return {
        # Cards of other patrons can't turn up in the match.
        "cards": {card.card: _fact(card.row) for card in cards if card.deck in patrons},
        "patrons": {
            p: {
                "name": title_of(p),
                "text": CALLS[p],
                "brief": drawn(CALL_EFFECTS[p]),
                "favours": p != TREASURY,
            }
            for p in patrons
        },
        "asks": ASKS,
    }


def _fact(row: CardRow) -> dict[str, Any]:
    type = row.type.replace("_", " ").lower()
    told = {"name": row.name, "deck": row.deck, "type": type, "cost": row.cost}
    told |= {"text": does(row), "brief": drawn(effect(row))}
    return told | ({} if row.hp is None else {"hp": row.hp, "taunt": row.taunt})


def _each(name: str) -> Callable[[View], list[float]]:
    return lambda view: [getattr(seat, name) for seat in view.seats]


def _cards(view: View) -> list[float]:
    return [
        len(seat.hand_and_draw) + len(seat.cooldown) + len(seat.played) + len(seat.agents)
        for seat in view.seats
    ]


def _now(view: View) -> Now:
    own = view.seats[view.player]
    names = ("coins", "power", "prestige")
    return Now(view.player, tuple(Counter(name, getattr(own, name)) for name in names))


PAGE = PageDefinition(
    folder=Path(__file__).parent,
    series=(
        Series("prestige", "", _each("prestige")),
        Series("coins", "to spend", _each("coins")),
        Series("power", "to spend", _each("power")),
        Series("cards", "owned", _cards),
    ),
    facts=_facts,
    now=_now,
)
