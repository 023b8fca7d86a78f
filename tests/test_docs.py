"""The output on the pages is what the program really prints."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from referee.games import GAMES
from tests.support.live import ROOT, entries, play, referee

README = (ROOT / "README.md").read_text()
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
PROTOCOL = (ROOT / "spec" / "protocol-v1.md").read_text()
RULES = GAMES["dominion"]


def test_ci_runs_the_readmes_test_command() -> None:
    commands = re.findall(r"^python3 -m venv .*", README, re.MULTILINE)
    assert len(commands) == 2
    assert commands[0] + "\n" in README
    assert commands[1] in (ROOT / ".ci" / "run").read_text().splitlines()
    assert f"          {commands[1]}\n" in WORKFLOW


def test_the_promised_versions_of_python_are_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    marks = " ".join(project["classifiers"])
    versions = re.findall(r"Python :: (\d+\.\d+)", marks)
    oldest, newest = versions[0], versions[-1]
    assert project["requires-python"] == f">={oldest}"
    assert f"python: {json.dumps(versions)}\n" in WORKFLOW
    assert f'python-version: "{newest}"\n' in WORKFLOW
    for page in ("README.md", "spec/python.md", "CONTRIBUTING.md"):
        assert f"{oldest} to {newest}" in (ROOT / page).read_text(), page


def test_no_example_replaces_a_readers_bot() -> None:
    """On the pages the reader's bot is called my_bot, so no command there may overwrite it."""
    for page in (ROOT / "README.md", *(ROOT / "spec").rglob("*.md")):
        for line in page.read_text().splitlines():
            assert not re.search(r"^\$ .*>\s*(\./)?my_bot\.\w+", line), (page.name, line)


def test_the_match_in_the_readme_is_the_one_that_is_played() -> None:
    command = re.search(r"referee play (.*)", README)
    assert command is not None
    played = referee("play", *command[1].split()).stdout.splitlines()
    shown = README[README.index("                own ") :].splitlines()
    for line in ("Smithy Big Money (player2) won", "Seed 7."):
        assert [text for text in played if text.startswith(line)] == [
            text for text in shown if text.startswith(line)
        ]
    for seat in ("player1", "player2"):  # compare everything except the times
        ours, theirs = (
            next(text for text in lines if text.startswith(seat)).split()
            for lines in (played, shown)
        )
        assert ours[:6] == theirs[:6]


async def test_the_conversation_is_a_real_one(tmp_path: Path) -> None:
    block = re.search(r"```text\n(.*?)```", PROTOCOL, re.DOTALL)
    assert block is not None
    await play(tmp_path, "minimal", "big_money", seed=4, patient=[1])
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
    assert place == len(said)  # every line was shown
