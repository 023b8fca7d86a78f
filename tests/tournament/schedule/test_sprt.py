"""Test which deals a sequential test counts."""

from __future__ import annotations

import pytest

from referee.tournament.rating.sprt import Sprt
from referee.tournament.rows import MatchRow, Plan
from referee.tournament.schedule.sprt import Sequential
from tests.support.made_up import made_setup, row


def deal_of(deal: int, *messages: int, void: bool = False) -> list[MatchRow]:
    """Make up a deal in which the first bot wins both matches."""
    return [
        row(
            Plan(2 * deal + place, deal, deal, seats),
            [1 + bot for bot in seats],
            messages=each,
            void=void,
        )
        for place, (seats, each) in enumerate(zip([(0, 1), (1, 0)], messages, strict=True))
    ]


@pytest.fixture
def test() -> Sequential:
    return Sequential(made_setup(2, format="sprt", sprt=Sprt(0, 50)))


def test_deals_with_the_same_messages_count_as_one(test: Sequential) -> None:
    for deal in range(100):
        test.add(deal_of(deal, 7, 8))
    assert (test.counts, test.verdict, test.deals) == ([0, 0, 0, 0, 1], None, 100)


def test_the_first_deal_that_differs_makes_all_of_them_count(test: Sequential) -> None:
    for deal in range(4):
        test.add(deal_of(deal, 7, 8))
    test.add(deal_of(4, 7, 9))
    assert test.counts == [0, 0, 0, 0, 5]
    test.add(deal_of(5, 7, 8))
    assert test.counts == [0, 0, 0, 0, 6]


@pytest.mark.parametrize("messages", [(0, 0), (7, 0)])
def test_deals_whose_messages_are_unknown_all_count(
    test: Sequential, messages: tuple[int, int]
) -> None:
    for deal in range(3):
        test.add(deal_of(deal, *messages))
    assert test.counts == [0, 0, 0, 0, 3]


def test_the_matches_of_a_deal_may_end_in_any_order(test: Sequential) -> None:
    test.add(deal_of(0, 7, 8)[::-1])
    test.add(deal_of(1, 7, 8))
    assert test.counts == [0, 0, 0, 0, 1]


def test_deals_after_the_verdict_are_ignored(test: Sequential) -> None:
    for deal in range(99):
        test.add(deal_of(deal, 1, deal + 2))
        if test.verdict is not None:
            break
    before = test.counts, test.deals, test.verdict
    assert before == ([0, 0, 0, 0, deal + 1], deal + 1, "H1")
    test.add(deal_of(deal + 1, 1, 2))
    assert (test.counts, test.deals, test.verdict) == before


def test_a_void_deal_is_not_the_first(test: Sequential) -> None:
    test.add(deal_of(0, 1, 2, void=True))
    assert test.counts == [0] * 5
    test.add(deal_of(1, 7, 8))
    test.add(deal_of(2, 7, 8))
    assert test.counts == [0, 0, 0, 0, 1]
