"""Scores such as 2.5 in a match, its record, log and page, and in a store."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee import cli
from referee.games import GAMES
from referee.tournament.rows import Plan
from tests.support import toy
from tests.support.made_up import made_setup, played, row
from tests.support.toy import Toy

BOT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "player-name-request":
        player = message["player_number"]
        reply = {"type": "player-name-reply", "player_number": player, "name": "Bot", "version": 1}
    elif message["type"] == "number-request":
        reply = {"type": "number-reply", "number": NUMBER}
    else:
        continue
    print(json.dumps(reply), flush=True)
"""


class Halves(Toy):
    """The toy game, but all scores are halved."""

    def standings(self) -> Any:
        halves = (0.5 * state.score for state in super().standings())
        return [
            msgspec.structs.replace(state, score=half if half % 1 else int(half))
            for state, half in zip(super().standings(), halves, strict=True)
        ]


@pytest.mark.slow
def test_halves_go_through_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    definition = msgspec.structs.replace(toy.RULES, new=Halves, checker=None)
    monkeypatch.setitem(GAMES, "toy", definition)
    bots = []
    for number in (1, 2):
        file = tmp_path / f"bot{number}.py"
        file.write_text(BOT.replace("NUMBER", str(number)))
        bots.append(f"{sys.executable} {file}")
    log, record = str(tmp_path / "log"), str(tmp_path / "record")

    def run(*words: str) -> str:
        assert cli.main([*words]) == 0
        return capsys.readouterr().out

    named = ["--game", "toy", "--seed", "1"]
    out = run("play", *bots, *named, "--log", log, "--record", record)
    assert "won with a score of 3 to 1.5" in out
    assert json.loads(Path(log).read_text().splitlines()[-1])["scores"] == [1.5, 3]
    assert '"score":1.5,' in Path(record).read_text()
    assert '"score":3,' in Path(record).read_text()
    assert "valid" in run("verify", record)
    assert "1.5" in run("replay", record)
    run("page", record, "--output", str(tmp_path / "page.html"))
    assert "1.5" in (tmp_path / "page.html").read_text()


def test_halves_go_through_a_store() -> None:
    def halves(plan: Plan) -> Any:
        return row(plan, scores=[2.5, 3])

    with closing(played(made_setup(2), halves)) as store:
        rows = [*store.matches()]
    assert {match.scores for match in rows} == {(2.5, 3)}
    assert {type(match.scores[1]) for match in rows} == {int}
