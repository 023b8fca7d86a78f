"""Texts for results and reasons for the end of a match."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from referee.games import GAMES
from referee.games.interface.faults import EndReason


@pytest.mark.parametrize(
    ("game", "reason", "winners", "says"),
    [
        ("starrealms", "authority", [1], "Ada had no authority left"),
        ("botwars", "eliminated", [0, 1], "Ada and {Bo} lost all botlets"),  # a draw
        ("tribute", "prestige-40", [0], "Ada had 40 prestige and the lead"),
        ("dominion", "turn-limit", [0], "the turn limit was reached"),
        ("dominion", "worker-killed", [], "worker killed"),
    ],
)
def test_end_reasons_in_words(game: str, reason: str, winners: list[int], says: str) -> None:
    assert GAMES[game].why_ended(reason, ["Ada", "{Bo}"], winners) == says


def test_every_end_reason_has_words_without_names() -> None:
    for definition in GAMES.values():
        for reason in [*EndReason, *definition.reasons]:
            words = definition.why_ended(reason)
            assert words != reason
            assert "{" not in words
    assert GAMES["starrealms"].why_ended("authority") == "the loser had no authority left"


@pytest.mark.parametrize(
    ("game", "ranks", "scores", "out", "says"),
    [
        ("dominion", [2, 1], [30, 30], [False, False], "level, won with fewer turns taken"),
        ("dominion", [1, 1], [30, 30], [False, False], "drawn"),
        ("dominion", [1, 2], [31, 30], [False, False], ""),
        ("dominion", [1, 2], [30, 30], [False, True], ""),
        ("botwars", [1, 2], [30, 30], [False, False], ""),
    ],
)
def test_a_draw_and_a_level_match_with_a_winner_are_explained(
    game: str, ranks: list[int], scores: list[int], out: list[bool], says: str
) -> None:
    assert GAMES[game].result_note(ranks, scores, out) == says


def test_braces_in_words_and_names_are_only_text() -> None:
    odd = replace(GAMES["starrealms"], reasons={"odd": "{winner} took {all} of {loser}"})
    assert odd.why_ended("odd", ["{loser}", "Bo"], [0]) == "{loser} took {all} of Bo"
