"""Names given to bots on the command line of `referee play`."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace

from referee import cli
from referee.cli.commands.play_progress import _line
from referee.match.spec import match_spec
from tests.support.live import entries


def test_a_bot_has_the_name_before_it(tmp_path: Path, capsys: Any) -> None:
    record = tmp_path / "r.jsonl"
    words = ["play", "new=minimal", "minimal", "--max-turns", "1", "--seed", "1"]
    assert cli.main([*words, "--record", str(record)]) == 0
    out = capsys.readouterr().out
    assert re.search(r"player1  new +\d", out)
    assert "referee play new=minimal minimal" in out
    assert entries(record)[0]["names"] == ["new", ""]


def test_the_line_of_a_long_match_has_the_names_that_are_shown() -> None:
    spec = replace(match_spec(["big_money", "./my_bot.py"]), names=("Zoe", ""))
    scores = [SimpleNamespace(score=3), SimpleNamespace(score=6)]
    match = SimpleNamespace(
        names=["Big Money", "player2"], standings=lambda: scores, turns=9, due=()
    )
    runner: Any = SimpleNamespace(match=match)
    assert _line(runner, spec) == "turn 9: Zoe 3, my_bot 6"
