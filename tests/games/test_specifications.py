"""For every game, the examples and tables on its page match what the program does."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from referee.games import GAMES
from referee.games.interface.faults import (
    BAD_NAME_REPLY,
    INVALID_JSON,
    WRONG_TYPE,
    Disqualification,
    EndReason,
)
from referee.match.pages import load_page
from tests.support.helpers import ROOT
from tests.support.live import referee, schema

every_game = pytest.mark.parametrize("name", list(GAMES))


SHARED = (ROOT / "spec" / "protocol.md").read_text()


def page_of(name: str) -> str:
    return (ROOT / "spec" / f"{GAMES[name].specification}.md").read_text()


@pytest.mark.parametrize("name", [name for name in GAMES if "play --game" in page_of(name)])
def test_the_conversation_is_a_real_one(name: str, tmp_path: Path) -> None:
    """The page shows a complete match. "..." replaces some lines or a part of a line."""
    page = page_of(name)
    command = re.search(rf"`referee (play --game {name} [^`]*)`", page)
    block = re.search(r"```text\n(.*?)\n```", page, re.DOTALL)
    assert command is not None
    assert block is not None
    record = tmp_path / "record"
    assert referee(*shlex.split(command[1]), "--record", str(record), cwd=ROOT).returncode == 0
    said = []
    for line in record.read_text().splitlines():
        entry = json.loads(line)
        if entry["entry"] == "sent" and entry["to"] in ("all", "player1"):
            said.append("> " + line[line.index('"message":') + 10 : line.rindex(',"time":')])
        elif entry["entry"] == "received" and entry["player_number"] == "player1":
            said.append("< " + entry["line"])
    rest = "\n".join(said)
    first, *others = re.split(r"\n\.\.\.\n|\.\.\.", block[1])
    assert rest.startswith(first)
    for part in filter(None, others):
        _, found, rest = rest.partition(part)
        assert found == part, part
    assert rest == ("" if any(others) else first)


@every_game
def test_every_json_example_is_valid_and_every_message_is_there(name: str) -> None:
    definition = GAMES[name]
    both = [
        jsonschema.Draft202012Validator(schema(f"{name}-v{definition.protocol}-{kind}"))
        for kind in ("to-bot", "from-bot")
    ]
    shown = set()
    pages = SHARED + page_of(name)
    for text in re.findall(r"^```json\n(.*?)\n```", pages, re.DOTALL | re.MULTILINE):
        message = json.loads(text)
        if isinstance(message, list) or "type" not in message:
            continue  # A dialect's message, which these schemas don't cover.
        shown.add(message["type"])
        left_out = message.get("state") == {}
        assert left_out or any(validator.is_valid(message) for validator in both), text
    structs = (*definition.public, *definition.requests, *definition.replies)
    for kind in {str(struct.__struct_config__.tag) for struct in structs} - shown:
        assert f"`{kind}`" in page_of(name) or f" {kind}\n" in page_of(name), kind
    assert len(shown) > 5


@every_game
def test_section_9_names_every_code_and_no_other(name: str) -> None:
    definition = GAMES[name]
    codes = {code.code for code in load_page(definition.specification).codes}
    own = {BAD_NAME_REPLY, *definition.faults, *Disqualification, *EndReason, *definition.reasons}
    # These are faults only in games that continue after such a line.
    no_reply = {INVALID_JSON, WRONG_TYPE}
    assert codes - no_reply == own
    assert codes & no_reply in (set(), no_reply)


@every_game
def test_the_sections_of_faults_name_them(name: str) -> None:
    definition, sections = GAMES[name], load_page(GAMES[name].specification).sections
    for code, number in definition.faults.items():
        inside = [s.text for s in sections.values() if f"{s.number}.".startswith(f"{number}.")]
        assert any(f"`{code}`" in text for text in inside), code


@pytest.mark.parametrize("name", [name for name in GAMES if "| option | default" in page_of(name)])
def test_options_have_the_defaults_of_the_page(name: str) -> None:
    page, options = page_of(name), GAMES[name].options()
    told: dict[str, Any] = {}
    for names, default in re.findall(r"^\| (`[a-z_`, ]+`) \| (\d+) \|", page, re.MULTILINE):
        told |= dict.fromkeys(re.findall(r"`([a-z_]+)`", names), int(default))
    numbers = {word: getattr(options, word) for word in options.__struct_fields__}
    numbers = {word: value for word, value in numbers.items() if type(value) is int}
    assert {word: told.get(word) for word in numbers} == numbers


@every_game
def test_what_the_page_refers_to_is_there(name: str) -> None:
    page = page_of(name)
    named = set(re.findall(r"\((\d(?:\.\d+)?)(?:[,;)])", page))
    assert named <= {*load_page(GAMES[name].specification).sections}
    anchors = {
        re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^##+ (.*)", page, re.MULTILINE)
    }
    assert {*re.findall(r"\]\(#([^)]*)\)", page)} <= anchors
