"""Check that the first steps of spec/rule-bots.md give the results on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import referee
from tests.support.marks import slow

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "spec" / "rule-bots.md").read_text()
STEPS = re.findall(r"^```json\n(\{.*?\n\})\n```", PAGE.split("## 2 ")[0], re.MULTILINE | re.DOTALL)
BIG_MONEY = ROOT / "example_bots" / "dominion" / "big_money.json"


@pytest.mark.parametrize(
    ("step", "matches", "least", "most"),
    [(1, 2, 0, 0), (2, 2, 0, 0), slow(3, 40, 0.3, 0.7), slow(4, 40, 0.55, 0.85), (5, 10, 0.7, 1)],
)
def test_each_step_fares_against_big_money_as_the_page_says(
    step: int, matches: int, least: float, most: float, tmp_path: Path
) -> None:
    tmp_path.joinpath("my_bot.json").write_text(STEPS[step - 1])
    found = referee.play_matches([tmp_path / "my_bot.json", BIG_MONEY], matches, seed=1)
    assert least <= (found.wins[0] + found.draws[0] / 2) / matches <= most


def test_there_are_five_steps() -> None:
    assert len(STEPS) == 5
