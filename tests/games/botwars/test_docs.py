"""What the page of Bot Wars shows is what the program does."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from referee.games import GAMES
from referee.games.interface.chance import SeededChance
from referee.games.interface.faults import BAD_NAME_REPLY, Disqualification, Termination
from referee.games.interface.game import Setup
from tests.support.helpers import ROOT
from tests.support.live import referee

FOLDER = ROOT / "spec" / "botwars"
PAGE = (FOLDER / "protocol.md").read_text()
RULES = GAMES["botwars"]


def test_the_conversation_is_a_real_one(tmp_path: Path) -> None:
    command = re.search(r"`referee (play --game botwars .*)`", PAGE)
    block = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert command is not None
    assert block is not None
    record = tmp_path / "record"
    done = referee(*shlex.split(command[1]), "--record", str(record), cwd=ROOT)
    assert done.returncode == 0
    said = []
    for line in record.read_text().splitlines():
        entry = json.loads(line)
        if entry["entry"] == "sent" and entry["to"] in ("all", "player1"):
            said.append("> " + line[line.index('"message":') + 10 : line.rindex(',"time":')])
        elif entry["entry"] == "received" and entry["player_number"] == "player1":
            said.append("< " + entry["line"])
    assert block[1].splitlines() == said


def test_every_json_example_is_valid() -> None:
    def schema(name: str) -> Any:
        file = ROOT / "spec" / "schema" / f"botwars-v1-{name}.schema.json"
        return jsonschema.Draft202012Validator(json.loads(file.read_text()))

    both = [schema("to-bot"), schema("from-bot")]
    examples = re.findall(r"^```json\n(.*?)\n```", PAGE, re.DOTALL | re.MULTILINE)
    assert len(examples) > 8
    for text in examples:
        message = json.loads(text)
        if isinstance(message, list):  # what a classic bot says
            message = {"type": "move-reply", "moves": message}
        elif "gameId" in message:  # what it is sent
            message = {"type": "move-request", **message}
        assert any(validator.is_valid(message) for validator in both), text


def test_section_9_names_every_code_and_no_other() -> None:
    codes = set(re.findall(r"^\| `([a-z-]+)` \|", PAGE[PAGE.index("## 9 Codes") :], re.M))
    own = {BAD_NAME_REPLY, *RULES.faults, *Disqualification, *Termination, *RULES.reasons}
    assert codes == own


def test_the_sections_of_faults_are_those_of_the_page() -> None:
    for code, section in RULES.faults.items():
        assert f"| `{code}` | {section} |" in PAGE
        text = PAGE[PAGE.index(f"### {section} ") :].partition("\n### ")[0]
        assert f"`{code}`" in text


def test_the_options_of_the_page_are_those_of_the_game() -> None:
    table = PAGE[PAGE.index("| option | default |") :].partition("\n\n")[0]
    told: dict[str, int] = {}
    for names, default in re.findall(r"^\| (`.*`) \| (\d+) \|", table, re.MULTILINE):
        told |= {name: int(default) for name in re.findall(r"`([a-z_]+)`", names)}
    assert told == {
        name: getattr(RULES.options(), name) for name in RULES.options.__struct_fields__
    }


def test_links_lead_somewhere() -> None:
    anchors = {
        re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^##+ (.*)", PAGE, re.MULTILINE)
    }
    for target in re.findall(r"\]\(#([^)]*)\)", PAGE):
        assert target in anchors
    for file in FOLDER.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text()):
            assert (file.parent / target).exists(), (file.name, target)


def test_the_sections_that_the_page_refers_to_are_there() -> None:
    sections = set(re.findall(r"^##+ (\d+(?:\.\d+)?) ", PAGE, re.MULTILINE))
    named = set(re.findall(r"\((\d(?:\.\d+)?)(?:[,;)])", PAGE))
    assert named <= sections


def test_the_situation_of_the_page_about_cases_is_one() -> None:
    page = (FOLDER / "cases.md").read_text()
    situation = json.loads(re.findall(r"```json\n(.*?)```", page, re.DOTALL)[0])
    options = RULES.options(rows=4, cols=4)
    setup = Setup(chance=SeededChance(1), names=("Ann", "Ben"), options=options)
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
    assert RULES.cases is not None
    count = len(json.loads(RULES.cases())["cases"])
    for page in (FOLDER / "cases.md", ROOT / "CHANGELOG.md"):
        assert re.search(rf"\b{count} (matches|conformance cases)", page.read_text())


def test_the_dialects_of_the_page_are_those_of_the_game() -> None:
    assert set(re.findall(r"`(classic[a-z-]*):http://", PAGE)) == set(RULES.dialects)
    assert set(re.findall(r"in the field `([a-z]+)`", PAGE)) == {
        kind().form_field for kind in RULES.dialects.values() if kind().form_field
    }
