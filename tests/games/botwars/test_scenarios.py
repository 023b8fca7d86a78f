"""Run the scenarios, which describe the rules as data, and check that none is missing.

The format is explained in scenarios/README.md.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from referee.games.botwars import RULES
from referee.games.interface.faults import Disqualification, EndReason
from referee.match.machine import Match
from tests.support.helpers import ROOT, Announced, name_line, to_line

Json = dict[str, Any]

FILES = sorted((ROOT / "tests" / "games" / "botwars" / "scenarios").glob("*.json"))
SCENARIOS: list[Json] = [
    scenario for file in FILES for scenario in json.loads(file.read_text())["scenarios"]
]
FIELDS = {
    "scenario": {
        *("id", "sections", "sentence", "options", "before", "chosen", "absent", "turns"),
        "outcome",
    },
    "before": {"grid", "energy", "disabled", "turns_elapsed"},
    "turn": {"r", "b", "ignored", "grid", "energy", "disabled", "died", "faults", "played"},
}
SIDES = (("r", "player1"), ("b", "player2"))


class Chosen:
    """A random source with scripted results. It also checks how many choices the game offers."""

    def __init__(self, draws: list[list[int]]) -> None:
        self.draws = draws

    def choose(self, stream: str, count: int) -> int:
        assert stream == "energy"
        index, of = self.draws.pop(0)
        assert count == of
        return index


class Runner:
    def __init__(self, scenario: Json) -> None:
        assert scenario.keys() <= FIELDS["scenario"]
        self.scenario = scenario
        options = {"energy_every": 0} | scenario.get("options", {})
        before = scenario.get("before")
        rules = RULES
        if before is not None:
            assert before.keys() <= FIELDS["before"]
            grid = before["grid"]
            options |= {"rows": len(grid), "cols": len(grid[0])}
            rules = msgspec.structs.replace(RULES, new=lambda setup: RULES.situation(setup, before))
        self.rows, self.cols = options["rows"], options["cols"]
        self.max_turns = options.get("max_turns", 100)
        self.elapsed = (before or {}).get("turns_elapsed", 0)
        self.energy = (before or {"energy": [1, 1]}).get("energy", [0, 0])
        self.disabled = (before or {}).get("disabled", [False, False])
        self.grid = "".join((before or {"grid": ["."] * self.rows * self.cols})["grid"])
        self.chance = Chosen([*scenario.get("chosen", [])])
        self.match = Match(
            rules,
            seats=2,
            seed=1,
            options=msgspec.convert(options, RULES.options),
            chance=self.chance,  # type: ignore[arg-type]
        )

    def run(self) -> None:
        self.match.start()
        self.match.take_entries()
        absent = self.scenario.get("absent", [])
        for seat, (_, number) in enumerate(SIDES):
            if number in absent:
                self.match.disqualify(seat, Disqualification.STARTUP_TIMEOUT, "not there")
            else:
                self.match.receive(seat, name_line(seat))
        told = Announced(self.match.take_entries())
        public = [message for message in told.public if message["type"] != "player-name"]
        assert public.pop(0)["type"] == "game-info"
        for number in absent:
            left = {"type": "player-disqualified", "player_number": number}
            assert public.pop(0) == left | {"reason": "startup-timeout"}
        told.public = public
        for number, turn in enumerate(self.scenario["turns"], 1):
            assert turn.keys() <= FIELDS["turn"]
            self.check_requests(told)
            assert told.public == []
            told = self.play(turn)
            self.check(turn, told)
            told.public = told.public[turn.get("played", True) :]
            told.public = [m for m in told.public if m["type"] != "player-disqualified"]
            assert (self.match.outcome is not None) == (
                number == len(self.scenario["turns"]) and "outcome" in self.scenario
            )
        if "outcome" not in self.scenario:
            self.check_requests(told)
        else:
            self.check_outcome(told, self.scenario["outcome"])
        assert self.chance.draws == []

    def play(self, turn: Json) -> Announced:
        for seat, (side, _) in enumerate(SIDES):
            answer = turn.get(side, [])
            if isinstance(answer, list):
                moves = [{"from": start, "to": end} for start, end in answer]
                self.match.receive(seat, to_line({"type": "move-reply", "moves": moves}))
            elif "line" in answer:
                self.match.receive(seat, answer["line"].encode())
            else:
                code = Disqualification(answer["leave"])
                self.match.disqualify(seat, code, "as the scenario says")
        return Announced(self.match.take_entries())

    def check(self, turn: Json, told: Announced) -> None:
        played = turn.get("played", True)
        ignored: Json = turn.get("ignored", {})
        faults = list(turn.get("faults", []))
        for side, number in SIDES:
            if ignored.get(side):
                faults.append({"player": number, "code": "ignored-move", "section": "5.2"})
        assert [
            {"player": f"player{fault.seat + 1}", "code": fault.code, "section": fault.section}
            for fault in told.faults
        ] == faults
        for fault in told.faults:
            assert fault.detail.isprintable()
            assert fault.detail
        if not played:
            assert "turn-played" not in [message["type"] for message in told.public]
            return
        self.grid = "".join(turn["grid"])
        self.energy = turn.get("energy", self.energy)
        self.disabled = turn.get("disabled", self.disabled)
        self.elapsed += 1
        moves = {side: self.carried_out(turn, side, ignored.get(side, [])) for side, _ in SIDES}
        assert told.public[0] == {
            "type": "turn-played",
            "turn": self.elapsed,
            "moves": moves,
            "died": turn["died"],
            "state": self.state(),
        }

    def carried_out(self, turn: Json, side: str, ignored: list[int]) -> list[Json]:
        answer = turn.get(side, [])
        if isinstance(answer, dict):
            answer = answer["means"]
        return [
            {"from": start, "to": end}
            for place, (start, end) in enumerate(answer)
            if place not in ignored
        ]

    def state(self) -> Json:
        spawns = (self.cols + 1, (self.rows - 2) * self.cols + self.cols - 2)
        p1, p2 = (
            {"energy": energy, "spawn": spawn, "spawnDisabled": disabled}
            for energy, spawn, disabled in zip(self.energy, spawns, self.disabled, strict=True)
        )
        return {
            "rows": self.rows,
            "cols": self.cols,
            "p1": p1,
            "p2": p2,
            "grid": self.grid,
            "maxTurns": self.max_turns,
            "turnsElapsed": self.elapsed,
        }

    def check_requests(self, told: Announced) -> None:
        assert self.match.due == (0, 1)
        assert told.requests == [
            (number, {"type": "move-request", "player": side, "state": self.state()})
            for side, number in SIDES
        ]

    def check_outcome(self, told: Announced, expected: Json) -> None:
        outcome = self.match.outcome
        assert outcome is not None
        assert (outcome.reason, list(outcome.ranks)) == (expected["reason"], expected["ranks"])
        assert told.requests == []
        assert told.public == [
            {
                "type": "game-end",
                "scores": expected["scores"],
                "winners": expected["winners"],
                "reason": expected["reason"],
            }
        ]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["id"])
def test_scenario(scenario: Json) -> None:
    Runner(scenario).run()


def test_every_id_is_unique() -> None:
    ids = [scenario["id"] for scenario in SCENARIOS]
    assert len(ids) == len(set(ids))


def test_every_fault_has_a_scenario() -> None:
    noted = {
        (fault["code"], fault["section"])
        for scenario in SCENARIOS
        for turn in scenario["turns"]
        for fault in turn.get("faults", [])
    }
    assert noted | {("ignored-move", "5.2")} == set(RULES.faults.items())


def test_every_end_reason_has_a_scenario() -> None:
    reasons = {scenario["outcome"]["reason"] for scenario in SCENARIOS if "outcome" in scenario}
    assert reasons == {*RULES.reasons, *EndReason}
