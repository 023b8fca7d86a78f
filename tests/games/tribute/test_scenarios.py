"""Run the scenarios, which describe the rules as data, and check that none is missing.

The format is explained in scenarios/README.md.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.games.tribute.tribute_matches import Scene
from tests.support.helpers import ROOT

Json = dict[str, Any]

FILES = sorted((ROOT / "tests" / "games" / "tribute" / "scenarios").glob("*.json"))
SCENARIOS: list[Json] = [
    scenario for file in FILES for scenario in json.loads(file.read_text())["scenarios"]
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["id"])
def test_scenario(scenario: Json) -> None:
    assert scenario.keys() <= {"id", "sections", "sentence", "options", "before", "steps"}
    scene = Scene(scenario)
    for step in scenario["steps"]:
        scene.do(step["do"])
        for name, expected in step["then"].items():
            if name == "lists":
                assert {*expected} <= {*scene.value("actions")}
            elif name == "not listed":
                assert not {*expected} & {*scene.value("actions")}
            else:
                assert scene.value(name) == expected, name


def test_every_id_is_unique() -> None:
    ids = [scenario["id"] for scenario in SCENARIOS]
    assert len({*ids}) == len(ids)


def test_no_situation_is_missing() -> None:
    """Three situations are tested elsewhere: a dialect (20), cards (37) and clocks (38)."""
    numbers = {int(re.findall(r"^\d+", s["id"])[0]) for s in SCENARIOS if s["id"][0].isdigit()}
    assert numbers == {*range(1, 58)} - {20, 37, 38}
