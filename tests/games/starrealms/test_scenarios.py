"""Run the scenarios, which describe the rules as data, and check that none is missing.

The format is explained in scenarios/README.md.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee.games.interface.faults import INVALID_JSON, WRONG_TYPE, EndReason
from referee.games.starrealms import RULES
from referee.games.starrealms.rules.cards import CARDS
from referee.games.starrealms.rules.messages import KINDS, PUBLIC
from referee.match.pages import load_page
from tests.games.starrealms.star_matches import Scene
from tests.support.helpers import ROOT

Json = dict[str, Any]

FILES = sorted((ROOT / "tests" / "games" / "starrealms" / "scenarios").glob("*.json"))
SCENARIOS: list[Json] = [
    scenario for file in FILES for scenario in json.loads(file.read_text())["scenarios"]
]
FIELDS = {"id", "sections", "sentence", "options", "absent", "dealt", "before", "start", "steps"}
GIVEN = {"do", "picks", "line", "leave"}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["id"])
def test_scenario(scenario: Json) -> None:
    assert scenario.keys() <= FIELDS
    scene = Scene(scenario)
    if "start" in scenario:
        assert scene.start == scenario["start"]
    for step in scenario["steps"]:
        assert len(step.keys() & GIVEN) == 1
        result = scene.step(step)
        if "actions" not in step:
            result.pop("actions", None)
        assert result == {name: value for name, value in step.items() if name not in GIVEN}


# --- none is missing --------------------------------------------------------------------------


def told_in(scenario: Json) -> list[str]:
    results = (scenario.get("start", {}), *scenario["steps"])
    return [line for result in results for line in result.get("told", [])]


def told() -> set[str]:
    return {line for scenario in SCENARIOS for line in told_in(scenario)}


def test_every_id_is_unique() -> None:
    ids = [scenario["id"] for scenario in SCENARIOS]
    assert len(ids) == len(set(ids))
    assert all(scenario["sentence"].endswith(".") for scenario in SCENARIOS)


def test_every_ability_of_every_card_has_a_scenario() -> None:
    """The scenario's id names the card and the ability, and the ability must be used in it."""
    named = {scenario["id"]: scenario for scenario in SCENARIOS}
    for card in CARDS.values():
        used = f"player-used | player1 | {card.name}"
        played = f"player-played | player1 | {card.name}"
        wanted = {
            "primary": (card.primary, played if card.is_ship else f"{used} | primary"),
            "ally": (card.ally, f"{used} | ally"),
            "scrap": (card.scrap, f"player-scrapped | player1 | {card.name} | play"),
        }
        for kind, (ability, line) in wanted.items():
            name = f"{card.name} {kind}".lower().replace(" ", "-")
            if len(ability) == 1:
                assert line in told_in(named[name]), name
            for option in range(1, len(ability) + 1 if len(ability) > 1 else 0):
                chosen = f"player-chose | player1 | {card.name} | {option}"
                assert chosen in told_in(named[f"{name}-{option}"])


def test_every_card_without_an_ability_to_use_has_a_scenario() -> None:
    constant = {card.name: card.constant for card in CARDS.values() if card.constant}
    assert constant == {"Mech World": "ally_of_all", "Fleet HQ": "combat_per_ship"}
    ids = {scenario["id"] for scenario in SCENARIOS}
    assert ids >= {"mech-world-alone", "fleet-hq", "bases-without-use"}


def test_every_message_and_every_kind_of_choice_is_in_a_scenario() -> None:
    types = {line.partition(" |")[0] for line in told()}
    assert types >= {struct.__struct_config__.tag for struct in PUBLIC}
    asked = [step.get("asks", "") for scenario in SCENARIOS for step in scenario["steps"]]
    assert {ask.split()[1] for ask in asked if " for " in ask} == {*KINDS}


def test_every_fault_has_a_scenario() -> None:
    noted = {
        tuple(fault.split()[1:])
        for scenario in SCENARIOS
        for step in scenario["steps"]
        for fault in step.get("faults", [])
    }
    shared = {(code, section) for code in (INVALID_JSON, WRONG_TYPE) for section in ("5.3", "6.3")}
    assert noted == {*RULES.faults.items()} | shared


def test_every_end_reason_has_a_scenario() -> None:
    ends = {line.rpartition(" | ")[2] for line in told() if line.startswith("game-end")}
    assert ends == {*RULES.reasons, *EndReason}


def test_there_are_the_cards_of_the_core_set() -> None:
    """The core set has 80 cards in the trade deck, 20 of each faction (7)."""
    copies: dict[str, int] = {}
    for card in CARDS.values():
        copies[card.faction] = copies.get(card.faction, 0) + card.copies
    assert copies == {
        "blob": 20,
        "machine_cult": 20,
        "star_empire": 20,
        "trade_federation": 20,
        "unaligned": 10,
    }


def test_every_section_of_the_rules_has_a_scenario() -> None:
    """Hidden information (4.9) and the deal (4.11) are tested in test_leaks.py and test_game.py."""
    shown = {section for scenario in SCENARIOS for section in scenario["sections"]}
    sections = {*load_page("starrealms/protocol").sections}
    assert shown <= sections
    rules = {section for section in sections if section[0] in "4567" and "." in section}
    assert rules - shown == {"4.9", "4.11"}
