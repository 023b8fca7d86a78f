"""The cards and effects of each card set match the card facts (7)."""

from __future__ import annotations

from collections import Counter

import pytest

from referee.games.tribute.rules.cards import CardSet, Effect, Either, card_set
from referee.games.tribute.rules.effects import VERBS

SETS = {"2025-04": (125, 200), "2024-02": (101, 160), "2023-06": (88, 140), "2023-02": (113, 180)}
"""The number of definitions, and of cards in all taverns together.

A deck has 20 tavern cards, except for Pelin with 19 and Saint Alessia with 21.
"""


@pytest.mark.parametrize("name", SETS)
def test_how_many_cards_a_set_has(name: str) -> None:
    kinds = card_set(name).kinds.values()
    definitions, _ = SETS[name]
    assert len(kinds) == definitions
    copies: Counter[str] = Counter()
    for kind in kinds:
        copies[kind.deck] += kind.copies
    odd = {"PELIN": 19, "SAINT_ALESSIA": 21}
    assert copies == {deck: odd.get(deck, 20) for deck in copies}


def effects_of(cards: CardSet, card: str) -> list[str]:
    return cards.kinds[card].row.effects


def test_effects_as_they_are_sent() -> None:
    """The examples of situation 37."""
    cards = card_set("2025-04")
    assert effects_of(cards, "HLAALU_KINSMAN") == ["ACQUIRE_TAVERN 9", "REPLACE_TAVERN 1", "", ""]
    assert effects_of(cards, "WAY_OF_THE_SWORD")[0] == "GAIN_POWER 1 OR GAIN_COIN 1"
    assert effects_of(cards, "GRAND_LARCENY")[1] == "KNOCKOUT 1 AND OPP_LOSE_PRESTIGE 1"
    assert effects_of(cards, "BAG_OF_TRICKS").count("OPP_DISCARD 1") == 2


@pytest.mark.parametrize("name", SETS)
def test_every_verb_is_known_and_every_entry_reads_as_it_is_written(name: str) -> None:
    verbs = set()
    for kind in card_set(name).kinds.values():
        texts = [""] * 4
        for level, entry in kind.entries:
            texts[level] = " AND ".join(map(str, entry))
            for part in entry:
                both = part if isinstance(part, Either) else (part,)
                assert all(isinstance(effect, Effect) for effect in both)
                verbs |= {effect.verb for effect in both}  # type: ignore[union-attr]
        assert texts == kind.row.effects
    assert verbs <= VERBS.keys()
    if name == "2025-04":
        assert verbs == VERBS.keys() - {"CREATE_MAORMER_BOARDING_PARTY"}


def test_taunt_and_agents() -> None:
    kinds = card_set("2025-04").kinds
    assert {kind.card for kind in kinds.values() if kind.taunt} == {
        *("BANGKORAI_SENTRIES", "BANNERET", "KNIGHTS_OF_SAINT_PELIN", "KNIGHT_COMMANDER"),
        *("SHIELD_BEARER", "STUBBORN_SHADOW"),
    }
    agents = {kind.card for kind in kinds.values() if kind.is_agent}
    typed = {kind.card for kind in kinds.values() if "AGENT" in kind.type}
    assert agents == typed | {"ALESSIAN_REBEL"}


def test_card_sets_differ_where_they_should() -> None:
    customs = {name: effects_of(card_set(name), "CUSTOMS_SEIZURE")[0] for name in SETS}
    assert customs.pop("2025-04") == "ACQUIRE_TAVERN 6"
    assert {*customs.values()} == {"ACQUIRE_TAVERN 5"}
    assert not card_set("2023-02").kinds["STUBBORN_SHADOW"].taunt
    assert card_set("2023-06").kinds["CLANWITCH"].hp == 4
