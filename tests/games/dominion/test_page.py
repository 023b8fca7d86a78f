"""Data on the page for Dominion that isn't part of a view."""

from __future__ import annotations

import json
from typing import Any

from referee.games.dominion.page import PAGE
from referee.games.dominion.rules.game import Options
from referee.games.interface.game import ALL, PUBLIC
from tests.support.helpers import COST, KINGDOM, PILES, WORTH, begun


def test_facts_of_every_card_of_the_supply() -> None:
    known = json.loads(json.dumps(PAGE.facts(Options())))
    basic, kingdom = known["supply"]
    assert basic == [card for card in PILES if card not in KINGDOM]
    assert sorted(kingdom) == sorted(KINGDOM)
    assert [COST[card] for card in kingdom] == sorted(COST[card] for card in KINGDOM)
    assert {card: fact["cost"] for card, fact in known["cards"].items()} == COST
    assert {card: fact["worth"] for card, fact in known["cards"].items() if fact["worth"]} == WORTH
    kinds = {card: fact["kind"] for card, fact in known["cards"].items()}
    assert {kinds[card] for card in KINGDOM} == {"action"}
    assert [kinds[card] for card in basic] == ["curse", *["treasure"] * 3, *["victory"] * 3]
    assert known["cards"]["village"]["text"] == "+1 card, +2 actions"


def test_the_curves_are_the_same_from_all_eyes() -> None:
    match = begun(seed=7)
    for viewer in (ALL, PUBLIC, 0):
        view: Any = match.view(viewer)
        assert {series.name: series.of(view) for series in PAGE.series} == {
            "points": [3, 3],
            "cards": [10, 10],
            "treasure": [7, 7],
        }
