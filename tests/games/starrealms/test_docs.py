"""What the page of Star Realms shows is what the program does."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import jsonschema

from referee.games import GAMES
from referee.games.interface.faults import (
    BAD_NAME_REPLY,
    INVALID_JSON,
    WRONG_TYPE,
    Disqualification,
    Termination,
)
from referee.games.starrealms.rules.cards import CARDS
from referee.games.starrealms.rules.messages import ACTIONS, KINDS
from referee.match.pages import load_page, rows
from tests.support.helpers import ROOT
from tests.support.live import referee

PAGE = (ROOT / "spec" / "starrealms" / "protocol.md").read_text()
SECTIONS = load_page("starrealms/protocol").sections
RULES = GAMES["starrealms"]


def test_the_conversation_is_a_real_one(tmp_path: Path) -> None:
    command = re.search(r"`referee (play --game starrealms .*)`", PAGE)
    block = re.search(r"```text\n(.*?)\n```", PAGE, re.DOTALL)
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
    whole = "\n".join(said)
    first, middle, last = block[1].split("\n...\n")
    assert whole.startswith(first)
    assert middle in whole
    assert whole.endswith(last)


def test_every_json_example_is_valid() -> None:
    def schema(name: str) -> Any:
        file = ROOT / "spec" / "schema" / f"starrealms-v1-{name}.schema.json"
        return jsonschema.Draft202012Validator(json.loads(file.read_text()))

    both = [schema("to-bot"), schema("from-bot")]
    examples = re.findall(r"^```json\n(.*?)\n```", PAGE, re.DOTALL | re.MULTILINE)
    shown = {json.loads(text)["type"] for text in examples}
    for text in examples:
        assert any(validator.is_valid(json.loads(text)) for validator in both), text
    structs = (*RULES.public, *RULES.requests, *RULES.replies)
    assert shown > {struct.__struct_config__.tag for struct in structs}


def test_every_field_of_a_message_is_in_its_table() -> None:
    for section in SECTIONS.values():
        found = re.match(r"```json\n(.*?)\n```", section.text, re.DOTALL)
        if found is not None and section.number.startswith("2."):
            named = set(re.findall(r"`(\w+)`", "".join(row[0] for row in rows(section.text))))
            assert json.loads(found[1]).keys() - {"type"} <= named, section.number


def test_section_9_names_every_code_and_no_other() -> None:
    codes = set(re.findall(r"^\| `([a-z-]+)` \|", PAGE[PAGE.index("## 9 Codes") :], re.M))
    shared = {BAD_NAME_REPLY, INVALID_JSON, WRONG_TYPE}
    assert codes == {*shared, *RULES.faults, *Disqualification, *Termination, *RULES.reasons}
    for code, section in RULES.faults.items():
        assert f"| `{code}` | {section} |" in PAGE
        assert f"`{code}`" in SECTIONS[section].text


def test_the_tables_of_cards_are_the_cards() -> None:
    """7; the words for what a card does are the page's own."""
    told = {}
    for number in ("7.1", "7.2", "7.3", "7.4", "7.5"):
        for name, type_, cost, copies, *abilities in rows(SECTIONS[number].text):
            told[name] = (type_, int(cost), copies, [bool(ability) for ability in abilities])
    assert [*told] == [*CARDS]
    for name, card in CARDS.items():
        type_, cost, copies, abilities = told[name]
        assert type_ == (card.type if card.is_ship else f"{card.type} {card.defense}")
        assert cost == card.cost
        if card.faction != "unaligned":
            assert copies == str(card.copies)
        has = [bool(card.primary or card.constant), bool(card.ally), bool(card.scrap)]
        assert abilities == has


def test_the_options_the_actions_and_the_kinds_of_the_page_are_those_of_the_game() -> None:
    table = rows(SECTIONS["4.1"].text)
    told = {name.strip("`"): int(default) for name, default, *_ in table}
    options = RULES.options()
    assert told == {name: getattr(options, name) for name in options.__struct_fields__}
    actions = [row[0].strip("`") for row in rows(SECTIONS["5.1"].text)]
    assert actions == ["actions", *ACTIONS]
    kinds = [row[0].strip("`") for row in rows(SECTIONS["2.5"].text)]
    assert kinds[-len(KINDS) :] == [*KINDS]


def test_the_sections_that_the_page_refers_to_are_there() -> None:
    named = set(re.findall(r"\((\d(?:\.\d+)?)(?:[,;)])", PAGE))
    assert named <= {*SECTIONS}
    anchors = {
        re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^##+ (.*)", PAGE, re.MULTILINE)
    }
    assert {*re.findall(r"\]\(#([^)]*)\)", PAGE)} <= anchors
