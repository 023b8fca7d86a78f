"""The statistics of a small game: each match counts for its seat and for all seats."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from referee.games.interface.capabilities import SeatFacts
from referee.games.small.statistics import SmallStatistics


def facts(turns: int, scores: list[float]) -> list[bytes]:
    standings = [SimpleNamespace(score=score) for score in scores]
    game: Any = SimpleNamespace(turns=turns, standings=lambda: standings)
    return SmallStatistics().of_match(game)


def test_the_facts_of_a_match() -> None:
    assert [msgspec.json.decode(each) for each in facts(7, [2, 0.5])] == [
        {"seat": 0, "turns": 7, "score": 2},
        {"seat": 1, "turns": 7, "score": 0.5},
    ]


def test_means_by_seat_and_over_all_seats() -> None:
    matches = [
        ("b", "a", facts(7, [2, 0.5])),
        ("a", "b", facts(5, [4, 1])),
        ("a", "b", facts(6, [1, 0])),
    ]
    points = [(0.5, 0.5), (1, 0), (1, 0)]
    seats = [
        SeatFacts(bot, point, each)
        for (*bots, found), both in zip(matches, points, strict=True)
        for bot, point, each in zip(bots, both, found, strict=True)
    ]
    (table,) = SmallStatistics().tables(seats)
    assert table.columns == ("bot", "seat", "matches", "points", "turns", "score")
    assert table.percent == ("points",)
    assert table.rows == [
        ("a", "all", 3, pytest.approx(2.5 / 3), 6, pytest.approx(5.5 / 3)),
        ("a", "player1", 2, 1, 5.5, 2.5),
        ("a", "player2", 1, 0.5, 7, 0.5),
        ("b", "all", 3, pytest.approx(0.5 / 3), 6, 1),
        ("b", "player1", 1, 0.5, 7, 2),
        ("b", "player2", 2, 0, 5.5, 0.5),
    ]
    (nothing,) = SmallStatistics().tables([])
    assert nothing.rows == []
