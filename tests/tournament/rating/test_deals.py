"""Test that deals which repeat each other count once (spec/rating-formulas.md, 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tournament.rating.deals import Deals, DealTable, joined
from referee.tournament.rating.ratings import rate
from referee.tournament.rating.tallies import seat_advantage, tally

WON, LOST = (1, 2), (2, 1)


def table_of(*deals: Sequence[int], bots: tuple[int, int] = (0, 1), size: int = 4) -> DealTable:
    """Make deals of two matches with these messages. The bot in the first seat always wins."""
    found = Deals(size, 2)
    for number, messages in enumerate(deals):
        found.extend([number] * 2, [bots, bots[::-1]], [WON, WON], messages)
    return found.table()


def test_deals_with_the_same_messages_are_one() -> None:
    merged = table_of((7, 8), (7, 8), (7, 8)).merged()
    assert merged.bots.tolist() == [[0, 1]]
    assert merged.numbers.tolist() == [0]
    assert merged.times.tolist() == [3]
    assert merged.index.tolist() == [0] * 6


@pytest.mark.parametrize(
    "deals",
    [
        [(7, 8), (7, 8), (7, 9)],  # one match is another one
        [(7, 8), (8, 7)],  # the same two matches, but in other seats
        [(7, 0), (7, 0)],  # we don't know some of them
        [(0, 0), (0, 0)],
        [(1, 2), (3, 4)],
    ],
)
def test_other_deals_stay_as_they_are(deals: list[Sequence[int]]) -> None:
    table = table_of(*deals)
    merged = table.merged()
    assert merged.index.tolist() == table.index.tolist()
    assert merged.times.tolist() == [1] * len(deals)


def test_each_line_up_is_looked_at_by_itself() -> None:
    """Deals 0 and 2 are the same match, and deals 1 and 3 have the same bots but differ."""
    deals = Deals(3, 2)
    for number, (bots, messages) in enumerate(
        [((0, 2), (7, 7)), ((0, 1), (7, 8)), ((2, 0), (7, 7)), ((1, 0), (7, 9))]
    ):
        deals.extend([number] * 2, [bots, bots[::-1]], [WON, WON], messages)
    merged = deals.table().merged()
    assert merged.numbers.tolist() == [0, 1, 3]
    assert merged.bots.tolist() == [[0, 2], [0, 1], [0, 1]]
    assert merged.times.tolist() == [2, 1, 1]
    assert merged.index.tolist() == [0, 0, 1, 1, 0, 0, 2, 2]


def test_a_deal_that_lacks_a_match() -> None:
    deals = Deals(2, 2)
    deals.extend([0, 0, 1], [(0, 1), (1, 0), (1, 0)], [WON, WON, WON], [7, 8, 8])
    assert deals.table().merged().times.tolist() == [2]


def test_merging_twice_changes_nothing() -> None:
    once = table_of((7, 8), (7, 8)).merged()
    assert once.merged().times.tolist() == [2]
    assert joined([once, once]).merged().times.tolist() == [4]


def test_deals_of_two_tournaments_are_merged() -> None:
    one, other = table_of((7, 8)), table_of((7, 8), (7, 8))
    assert joined([one, other]).merged().times.tolist() == [3]


@given(copies=st.integers(2, 40))
def test_shares_of_equal_deals_are_those_of_one(copies: int) -> None:
    once, often = (tally(table_of(*[(7, 8)] * count)) for count in (1, copies))
    assert often.matches.tolist() == [2 * copies, 2 * copies, 0, 0]
    assert often.deals.tolist() == once.deals.tolist() == [1, 1, 0, 0]
    for name in ("win_rate", "point_rate"):
        one, many = getattr(once, name), getattr(often, name)
        for ends in ("share", "low", "high"):
            assert getattr(many, ends) == pytest.approx(getattr(one, ends), nan_ok=True)
    one, many = (seat_advantage(table_of(*[(7, 8)] * count)) for count in (1, copies))
    assert (many.low.tolist(), many.high.tolist()) == (one.low.tolist(), one.high.tolist())


def test_the_interval_of_a_difference_does_not_shrink() -> None:
    """Only the prior of a rating weighs a little less beside more matches."""
    reach = [
        float(rate(table_of(*[(7, 8)] * copies, size=2)).differences().high[0, 1])
        for copies in (1, 10, 1_000)
    ]
    assert reach[1:] == pytest.approx([reach[2]] * 2, rel=0.01)
    assert reach[0] == pytest.approx(reach[2], rel=0.1)
    assert float(rate(table_of(*[(0, 0)] * 1_000, size=2)).differences().high[0, 1]) < 2


def test_a_bot_with_equal_deals_against_one_and_many_against_another() -> None:
    """Of 60 deals, the 30 against bot 1 are the same one. They weigh as much as the other 30."""
    deals, random = Deals(3, 2), np.random.default_rng(1)
    for number in range(30):
        deals.extend([number] * 2, [(0, 1), (1, 0)], [WON, LOST], [7, 8])
        result = WON if random.random() < 0.5 else LOST
        deals.extend(
            [100 + number] * 2, [(0, 2), (2, 0)], [result, result[::-1]], [10 + number, 90 + number]
        )
    found = tally(deals.table())
    assert found.matches.tolist() == [120, 60, 60]
    assert found.deals.tolist() == [31, 1, 30]
    # With so much weight on one deal, there are few independent observations.
    assert found.point_rate.high[0] - found.point_rate.low[0] > 0.3


def test_line_ups_that_repeat_their_matches() -> None:
    table = joined(
        [
            table_of((1, 2), (1, 2), (1, 2)),  # 2 of 6 are different
            table_of((3, 4), (3, 4), bots=(0, 2)),  # 2 of 4 are not fewer than half
            table_of((5, 5), (5, 5), bots=(3, 1)),
            table_of((0, 0), (0, 0), bots=(2, 3)),  # unknown
        ]
    )
    assert table.repeats() == [((0, 1), 6, 2), ((1, 3), 4, 1)]
    assert table_of().repeats() == []
