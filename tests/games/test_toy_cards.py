"""The toy card game can be played, verified and replayed without changes outside its folder."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import cli
from tests.support.any_game import TOY_FOLDER
from tests.support.helpers import ROOT
from tests.support.own_game import clean_games

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
BOT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "player-name-request":
        player = message["player_number"]
        reply = {"type": "player-name-reply", "player_number": player, "name": "Bot", "version": 1}
    elif message["type"] == "play-request":
        reply = {"type": "play-reply", "card": WHICH(message["hand"])}
    else:
        continue
    print(json.dumps(reply), flush=True)
"""


@pytest.fixture
def _games() -> Iterator[None]:
    with clean_games():
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("_games")
def test_it_goes_through_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bots = []
    for which in ("max", "min", "sum"):
        file = tmp_path / f"{which}.py"
        file.write_text(BOT.replace("WHICH", which))
        bots.append(f"{sys.executable} {file}")
    log, record = str(tmp_path / "log"), str(tmp_path / "record")

    def run(*words: str) -> str:
        assert cli.main([*words]) == 0
        out, err = capsys.readouterr()
        assert not err
        return out

    game = ("--game", str(TOY_FOLDER))
    names = [*game, "--seed", "1", "--set", "hand_size=4"]
    out = run("play", *bots, *names, "--log", log, "--record", record)
    assert "Bot (player1) and Bot (player2) share the win: all cards were played" in out
    # The bot adds up its cards, which is only a card when one card is left.
    assert "3x  bad-card" in out
    assert "valid" in run("verify", record, *game)
    assert "valid" in run("validate", log, *game)
    shown = run("replay", log, *game)
    assert shown.count("plays ") == 12
    assert shown.count("takes ") == 4


def test_the_page_for_contributors_knows_its_size() -> None:
    """CONTRIBUTING.md lists the number of lines in each file."""
    table = re.findall(r"^\| `(\w+\.py)` \| .* \| (\d+) \|$", CONTRIBUTING, re.MULTILINE)
    told = {file: int(lines) for file, lines in table}
    counted = {file.name: len(file.read_text().splitlines()) for file in TOY_FOLDER.glob("*.py")}
    assert told == counted
    assert f"{sum(counted.values())} lines" in CONTRIBUTING
