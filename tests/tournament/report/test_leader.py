"""Test the sentence that says who leads or has won."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec.structs import replace

from referee.tournament.rating.sprt import Sprt
from referee.tournament.report.formats import KnockoutPair, KnockoutStanding, Swiss, SwissPlace
from referee.tournament.report.leader import first, leader
from referee.tournament.report.standings import standings
from referee.tournament.report.words import ENOUGH_DEALS
from referee.tournament.rows import MatchRow, Plan
from referee.tournament.schedule.knockout import FINAL, THIRD_PLACE
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
            [r"bot0 and bot1 lead, by points: 1 of 1 each\.", BY_RATING],
        ),
        (
            {"format": "swiss", "rounds": 2, "deals": 3},
            24,
            winner(),
            ["bot0 won, by points: 2 of 2.", BY_RATING],
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


@pytest.mark.parametrize(("verdict", "bot"), [("H1", "bot0"), ("H0", ""), (None, "")])
def test_a_sequential_test_is_won_only_by_a_bot_that_is_better(
    verdict: str | None, bot: str
) -> None:
    found = standings(played(made_setup(2, deals=9, format="sprt", sprt=Sprt(0, 10)), winner()))
    assert found.sprt is not None
    assert first(replace(found, sprt=replace(found.sprt, verdict=verdict))) == bot


@pytest.mark.parametrize(
    ("deals", "wanted"),  # of the first two bots
    [
        ([ENOUGH_DEALS, ENOUGH_DEALS], ["95% interval", "The probability that it is better"]),
        ([ENOUGH_DEALS - 1, ENOUGH_DEALS], ["too few matches"]),
        ([ENOUGH_DEALS, ENOUGH_DEALS - 1], ["too few matches"]),
    ],
)
def test_how_sure_it_is_is_said_after_enough_deals_of_both(
    deals: list[int], wanted: list[str]
) -> None:
    found = standings(played(made_setup(4, deals=3), winner(7)))
    bots = [replace(bot, deals=deals[n] if n < 2 else 0) for n, bot in enumerate(found.bots)]
    says = " ".join(leader(replace(found, bots=bots)))
    assert [text for text in ALL if text in says] == wanted


ALL = ["95% interval", "The probability that it is better", "too few matches"]


@pytest.mark.parametrize("kind", ["matches", "void", "forfeits"])
@pytest.mark.parametrize("missing", [0, 1])
def test_void_matches_and_forfeits_are_over(kind: str, missing: int) -> None:
    found = standings(played(made_setup(4, deals=3), winner(7)))
    counts = {"matches": 2, "void": 3, "forfeits": 4}
    counts[kind] -= missing
    (first, *_) = leader(replace(found, planned=9, **counts))
    assert first.startswith("bot0 leads" if missing else "bot0 won")


@pytest.mark.parametrize(
    ("opponents", "says"),  # the scores of all bots are the same
    [
        (
            [3, 2, 1],
            "a won, by points: 2 of 2, the same as b and c, but against stronger opponents.",
        ),
        ([3, 3, 1], "a and b share the first place, by points: 2 of 2 each."),
        ([3, 3, 3], "a, b and c share the first place, by points: 2 of 2 each."),
        ([3, 3, 3, 3], "a and 3 others share the first place, by points: 2 of 2 each."),
    ],
)
def test_who_else_has_the_score_of_the_first(opponents: list[int], says: str) -> None:
    names = "abcd"
    places = [SwissPlace(1, names[n], 2, 0, each) for n, each in enumerate(opponents)]
    places.append(SwissPlace(9, "z", 1, 0, 3))
    found = standings(played(made_setup(2, deals=1)))
    assert list(leader(replace(found, swiss=Swiss(2, places, [], [], [])))) == [says]


def test_before_the_first_round_is_over_nobody_leads_by_score() -> None:
    store = played(made_setup(4, format="swiss", rounds=2, deals=3), winner(), until=2, most=1)
    assert not any("by points" in says for says in leader(standings(store)))


@pytest.mark.parametrize(
    ("winner", "points", "scores", "says"),
    [
        ("b", (1.0, 3.0), (5.0, 5.0), "b won the final: 3 to 1 against a."),
        ("a", (3.0, 1.0), (5.0, 9.0), "a won the final: 3 to 1 against b."),
        (
            "b",
            (2.0, 2.0),
            (5.0, 9.0),
            "b won the final: 2 to 2 against a, decided by the scores.",
        ),
        ("a", (2.0, 2.0), (5.0, 5.0), "a won the final: 2 to 2 against b, decided by the seeds."),
        (None, (2.0, 2.0), (5.0, 5.0), "Nobody won: no bot was left to play in the final."),
    ],
)
def test_the_final_of_a_knockout(
    winner: str | None, points: tuple[float, float], scores: tuple[float, float], says: str
) -> None:
    third = KnockoutPair(THIRD_PLACE, ("c", "d"), True, (1.0, 0.0), (0.0, 0.0), "c")
    final = KnockoutPair(FINAL, ("a", "b"), True, points, scores, winner)
    found = standings(played(made_setup(2, deals=1)))
    (sentence,) = leader(replace(found, knockout=KnockoutStanding([third, final], [])))
    assert sentence.startswith(says)


def test_a_final_without_an_opponent() -> None:
    final = KnockoutPair(FINAL, ("a", None), True, (0.0, 0.0), (0.0, 0.0), "a")
    found = standings(played(made_setup(2, deals=1)))
    sentences = leader(replace(found, knockout=KnockoutStanding([final], [])))
    assert [*sentences] == ["a won: it had no opponent in the final."]
