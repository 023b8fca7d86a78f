"""Rule files that play Star Realms: whole matches that are known (design, section 6)."""

from __future__ import annotations

from pathlib import Path

import pytest

import referee

FILES = {
    "P": '{"name":"P","author":"x","buyRules":[{"card":"*","score":"card.cost"}]}',
    "Q": """{"name":"Q","author":"x",
        "buyRules":[{"card":"base","score":"card.cost"},
            {"card":"*","rules":[{"card_info_avg_w":"> 1.5","score":"card_info_w"},{"score":4}]}],
        "scrapForBenefitRules":[{"card":"*","rules":[{"buy.score.increase":"> 2","score":1}]}],
        "makeChoiceRules":[{"card":"*","choice":2}],
        "cardInfo":[{"card":"*","info":{"w":"card.cost"}}]}""",
}


@pytest.mark.parametrize(
    ("first", "second", "known"),
    [
        ("P", "Q", "45 98:-2, 21 62:-4, 25 34:-6, 25 39:-3, 27 39:-8"),
        ("Q", "P", "24 -11:87, 31 48:-4, 29 31:-3, 36 -21:49, 34 -7:49"),
        ("Q", "Q", "25 47:-5, 36 -13:28, 32 0:13, 32 -12:29, 32 -3:17"),
    ],
)
def test_the_fifteen_matches_that_are_known(
    first: str, second: str, known: str, tmp_path: Path
) -> None:
    for name in (first, second):
        tmp_path.joinpath(f"{name}.json").write_text(FILES[name])
    bots = [tmp_path / f"{name}.json" for name in (first, second)]
    found = []
    for seed in range(1, 6):
        result = referee.play_match(bots, game="starrealms", seed=seed)
        found.append(f"{result.turns} {result.players[0].score}:{result.players[1].score}")
    assert ", ".join(found) == known
