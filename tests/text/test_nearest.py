"""Misspelt names, as beginners write them."""

from __future__ import annotations

import pytest

from referee.text.nearest import nearest

KNOWN = (
    *("type", "phase", "top_discard", "played_treasures", "cards_to_buy", "card"),
    "additional_parameters",
)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Phase", "phase"),
        ("turn_phase", "phase"),
        ("fase", "phase"),
        ("cardsToBuy", "cards_to_buy"),
        ("buys", "cards_to_buy"),
        ("CARDS-TO-BUY", "cards_to_buy"),
        ("parameters", "additional_parameters"),
        ("additionalParameters", "additional_parameters"),
        ("topdiscard", "top_discard"),
        ("treasures", "played_treasures"),
        ("treasures_played", "played_treasures"),
        ("comment", None),
        ("debug", None),
        ("reason", None),
        ("name", None),
        ("version", None),
        ("score", None),
        ("", None),
        ("___", None),
    ],
)
def test_the_name_that_was_meant(name: str, meant: str | None) -> None:
    assert nearest(name, KNOWN) == meant


def test_among_lists_cards_bought_is_cards_to_buy() -> None:
    assert nearest("cards_bought", ["played_treasures", "cards_to_buy"]) == "cards_to_buy"


def test_nothing_is_near_where_nothing_is_known() -> None:
    assert nearest("phase", []) is None
