"""Run the scenarios, which describe the rules as data, and check that none is missing.

The format is explained in scenarios/README.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from referee.games.dominion import RULES, Dominion
from referee.games.dominion.rules.cards import KINGDOM
from referee.games.interface.faults import INVALID_JSON, WRONG_TYPE, Disqualification, EndReason
from referee.match.pages import load_page
from tests.support.helpers import (
    NAMES,
    PILES,
    ROOT,
    WORTH,
    Announced,
    Imposed,
    full_supply,
    name_line,
    new_match,
    seat_of,
    to_line,
)

Json = dict[str, Any]

FILES = sorted((ROOT / "tests" / "games" / "dominion" / "scenarios").glob("*.json"))
SCENARIOS: list[Json] = [
    scenario for file in FILES for scenario in json.loads(file.read_text())["scenarios"]
]
SPEC = (ROOT / "spec" / "protocol-v1.md").read_text()
PAGE = load_page("protocol-v1")

FIELDS = {
    "scenario": {"id", "sections", "sentence", "setup", "start", "steps"},
    "setup": {"players", "options", "dealt", "seats", "supply", "streams", "handshake"},
    "seat": {"hand", "deck", "discard_pile", "turns"},
    "result": {"messages", "faults", "request", "outcome", "state"},
    "step": {"from", "reply", "line", "disqualify"},
}


class Runner:
    def __init__(self, scenario: Json) -> None:
        assert scenario.keys() <= FIELDS["scenario"]
        self.scenario = scenario
        self.setup: Json = scenario["setup"]
        assert self.setup.keys() <= FIELDS["setup"]
        for cards in self.setup.get("seats", {}).values():
            assert cards.keys() <= FIELDS["seat"]
        self.players: int = self.setup["players"]
        self.supply = full_supply(self.players) | self.setup.get("supply", {})
        self.imposed = Imposed(self.setup)
        options = self.setup.get("options", {})
        self.match = new_match(self.players, definition=self.imposed.definition, **options)

    def run(self) -> None:
        self.begin()
        for step in self.scenario["steps"]:
            assert step.keys() <= FIELDS["step"] | FIELDS["result"]
            assert len(step.keys() & {"reply", "line", "disqualify"}) == 1
            self.answer(seat_of(step["from"]), step)
            self.check(step, Announced(self.match.take_entries()))

    def begin(self) -> None:
        self.match.start()
        asked = Announced(self.match.take_entries())
        assert [number for number, _ in asked.requests] == [
            f"player{n + 1}" for n in range(self.players)
        ]
        handshake = self.setup.get("handshake", {})
        for seat in range(self.players):
            otherwise = handshake.get(f"player{seat + 1}")
            if otherwise is None:
                self.match.receive(seat, name_line(seat))
            else:
                self.answer(seat, otherwise)
        told = Announced(self.match.take_entries())
        start = self.scenario.get("start")
        if start is not None:
            assert start.keys() <= FIELDS["result"]
            self.check(start, told)
            return
        hand = self.imposed.game.table.players[0].hand
        ((to, message),) = told.requests
        assert (to, message) == ("player1", message | fresh_turn(hand))
        assert told.faults == []

    def answer(self, seat: int, how: Json) -> None:
        assert self.match.due == (seat,) or len(self.match.due) > 1
        if "disqualify" in how:
            self.match.disqualify(seat, Disqualification(how["disqualify"]), "as the scenario says")
        elif "line" in how:
            self.match.receive(seat, how["line"].encode())
        else:
            self.match.receive(seat, to_line(how["reply"]))

    def check(self, result: Json, told: Announced) -> None:
        assert told.public == [self.expand(message) for message in result.get("messages", [])]
        assert [
            {"player": f"player{fault.seat + 1}", "code": fault.code, "section": fault.section}
            for fault in told.faults
        ] == result.get("faults", [])
        for fault in told.faults:
            assert fault.detail.isprintable()
            assert fault.detail
        if "outcome" in result:
            assert "request" not in result
            outcome = self.match.outcome
            assert outcome is not None
            assert outcome.reason == result["outcome"]["reason"]
            assert [f"player{seat + 1}" for seat in outcome.winners] == result["outcome"]["winners"]
            assert told.requests == []
            assert self.match.due == ()
        else:
            assert self.match.outcome is None
            ((to, message),) = told.requests
            assert to == result["request"]["to"]
            assert self.match.due == (seat_of(to),)
            if not self.setup.get("dealt"):
                assert message == message | result["request"]["message"]
        for number, cards in result.get("state", {}).items():
            assert {field: self.look(seat_of(number), field) for field in cards} == cards

    def expand(self, message: Json) -> Json:
        """Fill in a `supply-info` of which the scenario lists only the changed piles."""
        if message["type"] != "supply-info":
            return message
        if "cards" in message:
            self.supply = {pile["card"]: pile["count"] for pile in message["cards"]}
            return message
        self.supply.update(message["changed"])
        piles = [{"card": card, "count": self.supply[card]} for card in PILES]
        return {"type": "supply-info", "cards": piles}

    def look(self, seat: int, field: str) -> Any:
        """Look up a field of a scenario's `state`."""
        player = self.imposed.game.table.players[seat]
        if field == "owned":
            return player.cards()
        if field == "deck":
            return player.deck[::-1]
        pile = getattr(player, {"discard_size": "discard_pile"}.get(field, field.split("_size")[0]))
        return len(pile) if field.endswith("_size") else pile


def fresh_turn(hand: list[str]) -> Json:
    return {
        "type": "play-turn",
        "actions": 1,
        "buys": 1,
        "extra_money": 0,
        "hand": hand,
        "cards_played": [],
        "cards_bought": [],
        "cards_gained": [],
    }


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["id"])
def test_scenario(scenario: Json) -> None:
    Runner(scenario).run()


# --- none is missing --------------------------------------------------------------------------


def results() -> Iterator[tuple[Json, Json]]:
    """Yield every start and step of all scenarios, each with its scenario."""
    for scenario in SCENARIOS:
        if "start" in scenario:
            yield scenario, scenario["start"]
        for step in scenario["steps"]:
            yield scenario, step


def spec_table(kind: str) -> list[tuple[str, str]]:
    """The codes of this kind in the tables of section 9, with their sections."""
    return [(code.code, code.section) for code in PAGE.codes if code.kind == kind]


def test_every_id_is_unique() -> None:
    ids = [scenario["id"] for scenario in SCENARIOS]
    assert len(ids) == len(set(ids))


def test_every_scenario_says_what_it_shows() -> None:
    for scenario in SCENARIOS:
        assert scenario["sentence"].endswith(".")
        assert scenario["sections"]
        assert set(scenario["sections"]) <= {*PAGE.sections}, scenario["id"]


def test_every_section_of_the_rules_has_a_scenario() -> None:
    wanted = set(re.findall(r"^### ([4-7]\.\d+) ", SPEC, flags=re.MULTILINE)) | {"8.3"}
    assert len(wanted) > 20
    assert wanted <= {section for scenario in SCENARIOS for section in scenario["sections"]}


def test_every_action_card_is_played_in_a_scenario() -> None:
    played = set()
    for _, step in results():
        reply = step.get("reply", {})
        if reply.get("phase") == "action" and not step.get("faults"):
            played.add(reply["card"])
    assert played == set(KINGDOM)


def test_every_treasure_is_played_in_a_scenario() -> None:
    played = set()
    for _, step in results():
        reply = step.get("reply", {})
        if reply.get("phase") == "buy" and not step.get("faults"):
            played.update(reply.get("played_treasures", []))
    assert played == set(WORTH)


def test_every_card_is_bought_in_a_scenario() -> None:
    bought = set()
    for _, step in results():
        if "request" in step and "message" in step["request"]:
            bought.update(step["request"]["message"].get("cards_bought", []))
    assert bought >= set(PILES)


def test_every_card_with_parameters_has_a_scenario_with_bad_ones() -> None:
    consumed = set()
    for _, step in results():
        if any(fault["code"] == "bad-parameters" for fault in step.get("faults", [])):
            consumed.add(step["reply"]["card"])
    assert consumed == {"cellar", "mine", "remodel", "workshop"}


def test_every_fault_has_a_scenario() -> None:
    noted = {
        (fault["code"], fault["section"])
        for _, step in results()
        for fault in step.get("faults", [])
    }
    assert noted == set(spec_table("fault"))


def test_the_faults_of_the_game_are_those_of_the_spec() -> None:
    shared = {("bad-name-reply", "3.2")}
    shared |= {(code, section) for code in (INVALID_JSON, WRONG_TYPE) for section in ("5.5", "7.4")}
    assert set(RULES.faults.items()) | shared == set(spec_table("fault"))


def test_every_end_reason_has_a_scenario() -> None:
    reasons = {step["outcome"]["reason"] for _, step in results() if "outcome" in step}
    assert reasons == {code for code, _ in spec_table("end reason")}
    assert reasons == {*RULES.reasons, *EndReason}


def test_every_message_is_in_a_scenario() -> None:
    table = re.findall(r"^\| 2\.\d+ \| `([a-z-]+)` \|", SPEC, flags=re.MULTILINE)
    sent = {message["type"] for _, step in results() for message in step.get("messages", [])}
    asked = {
        step["request"]["message"]["type"]
        for _, step in results()
        if "message" in step.get("request", {})
    }
    assert sent | asked | {"player-name-request"} == set(table)


def test_every_number_of_players_has_scenarios() -> None:
    assert {scenario["setup"]["players"] for scenario in SCENARIOS} == {2, 3, 4}
    assert (RULES.min_seats, RULES.max_seats) == (2, 4)
    assert len(NAMES) == 4
    assert RULES.new is Dominion
