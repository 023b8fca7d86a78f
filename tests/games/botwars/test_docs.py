"""The examples on the Bot Wars page match what the program does."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import msgspec
import pytest

from referee.conformance.case import load_cases
from referee.games import GAMES
from referee.games.interface.game import GameSetup
from referee.games.interface.random_source import SeededRandomSource
from tests.support.conforming import situation_of_the_page
from tests.support.helpers import ROOT

FOLDER = ROOT / "spec" / "botwars"
PAGE = (FOLDER / "protocol.md").read_text()
RULES = GAMES["botwars"]


def test_every_json_example_is_valid() -> None:
    def schema(name: str) -> Any:
        file = ROOT / "spec" / "schema" / f"botwars-v1-{name}.schema.json"
        return jsonschema.Draft202012Validator(json.loads(file.read_text()))

    both = [schema("to-bot"), schema("from-bot")]
    examples = re.findall(r"^```json\n(.*?)\n```", PAGE, re.DOTALL | re.MULTILINE)
    assert len(examples) >= 7
    for text in examples:
        message = json.loads(text)
        if isinstance(message, list):  # A classic bot's reply is a bare list of moves.
            message = {"type": "move-reply", "moves": message}
        elif "gameId" in message:  # A request in the classic format has no `type`.
            message = {"type": "move-request", **message}
        assert any(validator.is_valid(message) for validator in both), text


def test_the_situation_of_the_page_about_cases_is_one() -> None:
    situation = situation_of_the_page("botwars")
    options = RULES.options(rows=4, cols=4)
    setup = GameSetup(chance=SeededRandomSource(1), names=("Ann", "Ben"), options=options)
    assert RULES.situation is not None
    game: Any = RULES.situation(setup, situation)
    state = game.requests[0].message.state
    assert state.grid == "".join(situation["grid"])
    assert [state.p1.energy, state.p2.energy] == situation["energy"]
    assert [state.p1.spawn_disabled, state.p2.spawn_disabled] == situation["disabled"]
    assert state.turns_elapsed == situation["turns_elapsed"]
    for wrong in ({"grid": "...."}, {"grid": "?" * 16}, {}, situation | {"spawn": 1}):
        with pytest.raises(msgspec.ValidationError):
            RULES.situation(setup, wrong)


def test_the_number_of_cases_is_told() -> None:
    count = len(load_cases(RULES).cases)
    assert re.search(rf"\b{count} conformance cases", (ROOT / "CHANGELOG.md").read_text())


def test_the_dialects_of_the_page_are_those_of_the_game() -> None:
    assert set(re.findall(r"`(classic[a-z-]*):http://", PAGE)) == set(RULES.dialects)
    assert set(re.findall(r"in the field `([a-z]+)`", PAGE)) == {
        kind.form_field for kind in RULES.dialects.values() if kind.form_field
    }
