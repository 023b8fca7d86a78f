"""Whole matches between Star Realms rule files, compared with known results."""

from __future__ import annotations

from pathlib import Path

import pytest

import referee

FILES = Path(__file__).with_name("rule_files")


@pytest.mark.parametrize(
    ("first", "second", "known"),
    [
        ("p", "q", "45 98:-2, 21 62:-4"),
        ("q", "p", "24 -11:87, 31 48:-4"),
        ("q", "q", "25 47:-5, 36 -13:28"),
    ],
)
def test_the_matches_that_are_known(first: str, second: str, known: str) -> None:
    bots = [FILES / f"{name}.json" for name in (first, second)]
    found = []
    for seed in (1, 2):
        result = referee.play_match(bots, game="starrealms", seed=seed)
        found.append(f"{result.turns} {result.players[0].score}:{result.players[1].score}")
    assert ", ".join(found) == known
