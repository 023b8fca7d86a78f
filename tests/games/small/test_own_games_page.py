"""The code on own-games.md is that of games which are played, or runs itself."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.gamecheck.check import check_game
from referee.games.outside import load
from tests.support.helpers import ROOT
from tests.support.own_game import SMALL_GAMES, STICKS, clean_games

BLOCKS = re.findall(
    r"^```python\n(.*?)^```", (ROOT / "spec" / "own-games.md").read_text(), re.MULTILINE | re.DOTALL
)
PARTS = [block for block in BLOCKS if "import " not in block]
NIM, OPTIONS, GAME = (block for block in BLOCKS if block not in PARTS)
PLAYED = {file.stem: file for file in STICKS.parent.glob("*.py") if file != STICKS}


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with clean_games():
        yield


@pytest.mark.parametrize("block", PARTS)
def test_each_part_of_a_class_is_in_a_game_that_is_played(block: str) -> None:
    files = [*PLAYED.values(), *map(Path, SMALL_GAMES.values())]
    # Between two methods, a page has two empty lines, and a class has one.
    part = re.sub(r"\n{3,}", "\n\n", textwrap.indent(block, "    "))
    assert any(part in file.read_text() for file in files)


@pytest.mark.parametrize("name", PLAYED)
def test_the_games_with_these_parts_are_right(name: str) -> None:
    report = check_game(load(str(PLAYED[name])), 2, 4, 5.0)
    assert [finding.text for finding in report.findings if finding.kind != "open"] == []
    assert report.matches == 2


@pytest.mark.parametrize("changed", ["nothing", "options", "game"])
def test_the_first_game_runs_as_it_stands_and_with_what_is_added_to_it(
    changed: str, tmp_path: Path
) -> None:
    text = NIM
    if changed == "options":
        imports, _, options = OPTIONS.partition("\n\n\n")
        own = re.compile(r"    class Options:.*?(?=    def start)", re.DOTALL)
        text = f"{imports}\n{own.sub(textwrap.indent(options, '    ') + chr(10), text)}"
    elif changed == "game":
        text += GAME
    file = tmp_path / "nim.py"
    file.write_text(text)
    rules = load(str(file))
    assert check_game(rules, 2, 0, 5.0).passed
    assert rules.tie_break == ("sticks taken" if changed == "game" else "")
    fields = rules.options.__struct_fields__
    assert fields == ("sticks", *["last"] * (changed == "options"), "max_turns")
