"""What the documents show is what the program does."""

from __future__ import annotations

import json
import re
from itertools import chain
from pathlib import Path

import jsonschema

from referee.games import GAMES
from referee.games.interface.faults import (
    BAD_NAME_REPLY,
    INVALID_JSON,
    WRONG_TYPE,
    Disqualification,
    Termination,
)
from tests.support.live import ROOT, entries, play, referee

README = (ROOT / "README.md").read_text()
PROTOCOL = (ROOT / "spec" / "protocol-v1.md").read_text()
RULES = GAMES["dominion"]


def test_ci_runs_the_readmes_test_command() -> None:
    commands = re.findall(r"^python3 -m venv .*", README, re.MULTILINE)
    assert len(commands) == 2
    assert commands[0] + "\n" in README
    assert commands[1] in (ROOT / ".ci" / "run").read_text().splitlines()


def test_the_match_in_the_readme_is_the_one_that_is_played() -> None:
    command = re.search(r"referee play (.*)", README)
    assert command is not None
    played = referee("play", *command[1].split()).stdout.splitlines()
    shown = README[README.index("                longest") :].splitlines()
    for line in ("Smithy Big Money (player2) won", "Seed 7."):
        assert [text for text in played if text.startswith(line)] == [
            text for text in shown if text.startswith(line)
        ]
    for seat in ("player1", "player2"):  # all but the times
        ours, theirs = (
            next(text for text in lines if text.startswith(seat)).split()
            for lines in (played, shown)
        )
        assert ours[:6] == theirs[:6]


async def test_the_conversation_is_a_real_one(tmp_path: Path) -> None:
    block = re.search(r"```text\n(.*?)```", PROTOCOL, re.DOTALL)
    assert block is not None
    await play(tmp_path, "minimal", "big_money", seed=4)
    said = []
    for line, entry in zip(
        (tmp_path / "record").read_text().splitlines(), entries(tmp_path / "record"), strict=True
    ):
        if entry["entry"] == "sent" and entry["to"] in ("all", "player1"):
            message = line[line.index('"message":') + 10 : line.rindex(',"time":')]
            said.append(f"> {message}")
        elif entry["entry"] == "received" and entry["player_number"] == "player1":
            said.append(f"< {entry['line']}")
    place = 0
    for shown in block[1].splitlines():
        if shown == "...":
            continue
        start = shown.removesuffix(",...")
        while not (said[place] == shown or (start != shown and said[place].startswith(start))):
            place += 1
        place += 1
    assert place == len(said)  # from the first line to the last


def test_every_json_example_is_valid() -> None:
    schemas = ROOT / "spec" / "schema"
    lines = re.findall(r"^```json\n(.*?)\n```", PROTOCOL, re.DOTALL | re.MULTILINE)
    assert len(lines) > 25
    both = [
        json.loads((schemas / f"dominion-v1-{name}.schema.json").read_text())
        for name in ("to-bot", "from-bot")
    ]
    for line in lines:
        valid = [jsonschema.Draft202012Validator(s).is_valid(json.loads(line)) for s in both]
        assert any(valid), line


def test_section_9_names_every_code_and_no_other() -> None:
    section = PROTOCOL[PROTOCOL.index("## 9 Codes") : PROTOCOL.index("## 10 Advice")]
    codes = set(re.findall(r"^\| `([a-z-]+)` \|", section, re.M))
    own = {INVALID_JSON, WRONG_TYPE, BAD_NAME_REPLY, *RULES.faults}
    assert codes == own | set(Disqualification) | set(Termination) | set(RULES.reasons)


def test_links_lead_somewhere() -> None:
    for file in chain(*map(ROOT.glob, ("*.md", "spec/*.md", "tests/**/*.md", "tools/**/*.md"))):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text()):
            assert (file.parent / target).exists(), (file.name, target)
