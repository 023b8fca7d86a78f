"""Test the results by seat of matches that start from one position."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from referee.tournament.rating.deals import Deals
from referee.tournament.rating.intervals import t_point
from referee.tournament.report.seats import SeatStanding, seat_standings


def test_results_are_counted_by_seat_and_not_by_bot() -> None:
    deals = Deals(2, 2)
    deals.extend([0, 0], [(0, 1), (1, 0)], [(1, 2), (1, 1)])
    first, second = seat_standings(deals.table(), np.array([[5.0, 1.0], [3.0, 3.0]]))
    assert first == SeatStanding(1, 1, 0, 4.0, None, None)
    assert second == SeatStanding(0, 1, 1, 2.0, None, None)


def test_the_interval_of_a_score_comes_from_the_means_of_the_deals() -> None:
    deals = Deals(3, 2)
    deals.extend([0, 0, 1, 1, 2], [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2)], [(1, 2)] * 5)
    scores = np.array([[1.0, 0], [3, 0], [5, 0], [7, 0], [10, 0]])
    (first, second) = seat_standings(deals.table(), scores)
    reach = float(t_point(2)) * sqrt(16) / sqrt(3)  # the deals have the means 2, 6 and 10
    assert first.score == pytest.approx(26 / 5)
    assert first.score_low == pytest.approx(26 / 5 - reach)
    assert first.score_high == pytest.approx(26 / 5 + reach)
    assert (first.wins, second.losses) == (5, 5)
    assert (second.score_low, second.score_high) == (0, 0)


def test_deals_that_repeat_each_other_have_no_interval() -> None:
    deals = Deals(2, 2)
    deals.extend([0, 0, 1, 1], [(0, 1), (1, 0)] * 2, [(1, 2)] * 4, [7, 8, 7, 8])
    (first, _) = seat_standings(deals.table(), np.array([[1.0, 0], [3, 0]] * 2))
    assert first == SeatStanding(4, 0, 0, 2.0, None, None)


def test_two_deals_have_an_interval() -> None:
    deals = Deals(3, 2)
    deals.extend([0, 1], [(0, 1), (0, 2)], [(1, 2)] * 2)
    (first, _) = seat_standings(deals.table(), np.array([[1.0, 0], [3, 0]]))
    assert first.score_high == pytest.approx(2 + float(t_point(1)))


def test_three_seats() -> None:
    deals = Deals(3, 3)
    deals.extend([0], [(2, 0, 1)], [(2, 1, 2)])
    found = seat_standings(deals.table(), np.array([[1.0, 9.0, 1.0]]))
    assert [(seat.wins, seat.draws, seat.losses) for seat in found] == [
        (0, 0, 1),
        (1, 0, 0),
        (0, 0, 1),
    ]
