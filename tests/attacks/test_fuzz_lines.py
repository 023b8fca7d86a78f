"""A short run of `tools.attacks.fuzz_lines` for each game."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.games import GAMES
from tests.support.helpers import TIMES
from tests.support.marks import slow
from tools.attacks.fuzz_lines import fuzz


@pytest.mark.untraced
@pytest.mark.parametrize(
    "game",
    [game if game == "botwars" else slow(game) for game in GAMES],
)
def test_no_line_ends_in_an_exception_and_every_record_holds(game: str, tmp_path: Path) -> None:
    lines = (200 if game == "botwars" else 600) * TIMES
    found = fuzz(game, lines, 1, tmp_path)
    assert found.problems == []
    assert found.faults.total() > lines // 50
    assert {"legal", "damaged", "wrong values", "any bytes"} <= found.lines.keys()
