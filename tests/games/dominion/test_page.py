"""What the page gets of Dominion beside its views."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.dominion import RULES
from referee.games.dominion.page import PAGE
from referee.games.dominion.rules.game import Options
from referee.games.interface.game import ALL, PUBLIC
from referee.match.machine import Match, Sent
from tests.support.helpers import COST, KINGDOM, PILES, TIMES, WORTH, begun, from_struct, name_line
from tests.support.random_players import mixed, right


@settings(max_examples=15 * TIMES)
@given(st.integers(0, 2**53 - 1), st.integers(2, 4), st.sampled_from([right, mixed]))
def test_the_public_lines_come_to_the_public_view(seed: int, seats: int, choose: Any) -> None:
    """At every decision and at the end, and so at the end of every turn."""
    match = Match(RULES, seats=seats, seed=seed, options=Options(12))
    dice = Random(seed)
    whole = True
    spectator = PAGE.spectator(seats)
    asked: Any = None
    match.start()
    for seat in match.due:
        match.receive(seat, name_line(seat))
    while True:
        for entry in match.take_entries():
            if isinstance(entry, Sent):
                if entry.to is None:
                    whole = spectator.hear(entry.message)
                else:
                    asked = entry.message
        view: Any = match.view(PUBLIC)
        assert whole
        assert spectator.view() == view
        if not match.due:
            return
        match.receive(match.due[0], choose(dice, from_struct(asked), view.supply))


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
