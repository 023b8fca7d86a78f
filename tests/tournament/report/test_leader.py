"""Test the sentence that says who leads or has won."""

from __future__ import annotations

import re
from typing import Any

import pytest

from referee.tournament.report.leader import leader
from referee.tournament.report.standings import standings
from referee.tournament.rows import MatchRow, Plan
from tests.support.made_up import Result, made_setup, played, row


def winner(upset: int = -1, draw: bool = False) -> Result:
    """The lower number wins, except in match `upset`. With `draw`, the first seat always wins."""

    def result(plan: Plan) -> MatchRow:
        ranks = [1 + sorted(plan.players).index(bot) for bot in plan.players]
        return row(plan, [1, 2] if draw else ranks[::-1] if plan.match == upset else ranks)

    return result


SURE = r", by rating: \d+\*? \(95% .*\)\. The .* is \d+\.\d%\."
BY_RATING = r"By rating, bot\d is first: .*"


@pytest.mark.parametrize(
    ("wanted", "until", "result", "says"),
    [
        (
            {"format": "swiss", "rounds": 2, "deals": 3},
            12,
            winner(),
            [r"bot0 and bot1 lead, by score: 1 of 1 each\.", BY_RATING],
        ),
        (
            {"format": "swiss", "rounds": 2, "deals": 3},
            24,
            winner(),
            ["bot0 won, by score: 2 of 2.", BY_RATING],
        ),
        (
            {"format": "knockout", "deals": 3},
            12,
            winner(),
            [r"Final: 2 bots are left\.", BY_RATING],
        ),
        (
            {"format": "knockout", "deals": 3},
            18,
            winner(),
            ["bot0 won the final: 6 to 0 against bot1.", BY_RATING],
        ),
        (
            {"format": "knockout", "deals": 3},
            18,
            winner(draw=True),
            ["bot0 won the final: 3 to 3 against bot1, decided by the seeds.", BY_RATING],
        ),
        ({"format": "gauntlet", "deals": 9}, 54, winner(7), [BY_RATING]),
        ({"deals": 3}, 35, winner(7), [f"bot0 leads{SURE}"]),
        ({"deals": 3}, 36, winner(7), [f"bot0 won{SURE}"]),
        ({"deals": 1}, 4, winner(7), [r"bot\d leads, by rating: \d+\*?\. There are too few .*"]),
    ],
)
def test_the_measure_that_decides_is_named(
    wanted: dict[str, Any], until: int, result: Result, says: list[str]
) -> None:
    store = played(made_setup(4, **wanted), result, until=until, most=1)
    assert re.fullmatch(" ".join(says), " ".join(leader(standings(store))))


def test_two_bots_are_compared_elsewhere() -> None:
    assert not list(leader(standings(played(made_setup(2, deals=9)))))
