"""Ratings and their error bars: spec/ratings.md, 2 and 3."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import World

from referee.tournament.deals import Deals, Table
from referee.tournament.rating import ELO, PRIOR, Ratings, rate

WON, LOST, TIED = (1, 2), (2, 1), (1, 1)


def pairs_of(
    *results: tuple[tuple[int, int], tuple[int, int]], deals: Deals | None = None
) -> Deals:
    """Deals of bots 0 and 1: the ranks of bot 0 and 1, in the first seat and in the second."""
    deals = deals or Deals(2, 2)
    for number, (there, back) in enumerate(results):
        deals.append(number, (0, 1), there)
        deals.append(number, (1, 0), back[::-1])
    return deals


def elo(share: float) -> float:
    return 400 * math.log10(share / (1 - share))


def some_tournament(players: int = 3, seed: int = 0, deals: int = 20) -> Table:
    world = World(players, bots=6, seat_luck=1, bot_luck=1)
    return world.play(world.schedule(deals), np.random.default_rng(seed))


def matches_of(table: Table) -> list[tuple[int, list[int], list[int]]]:
    """The matches as they were appended: deal, line-up, ranks."""
    found = []
    for deal, ranks, seats in zip(table.index, table.ranks, table.seats, strict=True):
        order = np.argsort(seats)
        found.append((int(deal), table.bots[deal][order].tolist(), ranks[order].tolist()))
    return found


def played(matches: list[tuple[int, list[int], list[int]]], players: int = 3) -> Deals:
    deals = Deals(6, players)
    for match in matches:
        deals.append(*match)
    return deals


def assert_same(one: Ratings, other: Ratings, bots: list[int] | None = None) -> None:
    order = bots or list(range(len(one.rating)))
    for name in ("rating", "low", "high", "degrees"):
        assert getattr(one, name) == pytest.approx(getattr(other, name)[order], abs=1e-4)
    assert one.covariance == pytest.approx(other.covariance[np.ix_(order, order)], abs=1e-4)


# -- the ratings


def test_two_bots_differ_by_what_their_score_says() -> None:
    # 64% of the points are 100 Elo; the prior counts for little.
    deals = pairs_of(*[(WON, WON)] * 560, *[(WON, LOST)] * 160, *[(LOST, LOST)] * 280)
    assert rate(deals).difference(0, 1).elo == pytest.approx(100, abs=0.1)


@given(won=st.integers(0, 30), tied=st.integers(0, 30), lost=st.integers(0, 30))
def test_the_slope_of_the_likelihood_is_zero(won, tied, lost) -> None:
    deals = pairs_of(*[(WON, WON)] * won, *[(TIED, TIED)] * tied, *[(LOST, LOST)] * lost)
    apart = rate(deals).difference(0, 1).elo / ELO
    share = 1 / (1 + math.exp(-apart))
    to_mean = 1 / (1 + math.exp(-apart / 2))
    points, matches = 2 * won + tied, 2 * (won + tied + lost)
    assert points - matches * share + PRIOR * (0.5 - to_mean) == pytest.approx(0, abs=1e-3)


def test_two_ties_are_worth_a_win_and_a_loss() -> None:
    tied = rate(pairs_of(*[(TIED, TIED)] * 10, *[(WON, WON)] * 5))
    split = rate(pairs_of(*[(WON, LOST)] * 10, *[(WON, WON)] * 5))
    assert tied.rating == pytest.approx(split.rating, abs=1e-4)


def test_equal_results_are_equal_ratings() -> None:
    deals = Deals(3, 2)
    for number, (one, other) in enumerate([(0, 1), (1, 2), (2, 0)] * 10):
        deals.append(number, (one, other), WON)
        deals.append(number, (other, one), WON)
    ratings = rate(deals)
    assert ratings.rating == pytest.approx([1500] * 3, abs=1e-4)
    assert ratings.low == pytest.approx([ratings.low[0]] * 3, abs=1e-4)
    assert ratings.superiority(0, 1) == pytest.approx(0.5, abs=1e-4)


def test_a_match_of_three_is_rated_as_its_pairs() -> None:
    matches = matches_of(some_tournament())
    pairs = Deals(6, 2)
    for deal, lineup, ranks in matches:
        for one, other in combinations(range(3), 2):
            two = (lineup[one], lineup[other])
            result = (
                TIED if ranks[one] == ranks[other] else (WON if ranks[one] < ranks[other] else LOST)
            )
            pairs.append(100 * deal + 10 * min(two) + max(two), two, result)
    assert rate(pairs).rating == pytest.approx(rate(played(matches)).rating, abs=1e-4)


def test_the_mean_of_the_ratings_is_1500() -> None:
    assert rate(some_tournament()).rating.mean() == pytest.approx(1500)


@given(random=st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_the_order_of_the_matches_does_not_count(random) -> None:
    matches = matches_of(some_tournament())
    mixed = random.sample(matches, len(matches))
    assert_same(rate(played(mixed)), rate(played(matches)))


@given(names=st.permutations(range(6)))
@settings(max_examples=10)
def test_the_numbers_of_the_bots_do_not_count(names) -> None:
    matches = matches_of(some_tournament())
    renamed = [(deal, [names[bot] for bot in lineup], ranks) for deal, lineup, ranks in matches]
    assert_same(rate(played(matches)), rate(played(renamed)), list(names))


def test_turning_all_results_round_turns_the_ratings_round() -> None:
    matches = matches_of(some_tournament())
    worse = [(deal, lineup, [4 - rank for rank in ranks]) for deal, lineup, ranks in matches]
    ratings, turned = rate(played(matches)), rate(played(worse))
    assert turned.rating == pytest.approx(3000 - ratings.rating, abs=1e-4)
    assert turned.low == pytest.approx(3000 - ratings.high, abs=1e-4)


# -- the anchor


def test_an_anchor_moves_all_ratings_alike() -> None:
    table = some_tournament(deals=4)
    free, anchored = rate(table), rate(table, anchor=(2, 1000))
    assert np.ptp(free.rating - anchored.rating) == pytest.approx(0, abs=1e-6)
    for one, other in zip(free.differences(), anchored.differences(), strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_the_anchor_is_exact_and_the_others_are_relative_to_it() -> None:
    table = some_tournament(deals=4)
    ratings = rate(table, anchor=(2, 1000))
    assert ratings.low[2] == ratings.rating[2] == ratings.high[2] == 1000
    apart = rate(table).difference(4, 2)
    assert ratings.low[4] == pytest.approx(1000 + apart.low, abs=1e-4)
    assert ratings.high[4] == pytest.approx(1000 + apart.high, abs=1e-4)


# -- error bars


def test_of_many_deals_the_error_is_that_of_their_mean() -> None:
    results = [(WON, WON)] * 180 + [(WON, LOST)] * 140 + [(LOST, LOST)] * 80
    shares = np.array([1.0] * 180 + [0.5] * 140 + [0.0] * 80)
    error = shares.std(ddof=1) / math.sqrt(400) / (shares.mean() * (1 - shares.mean()))
    apart = rate(pairs_of(*results)).difference(0, 1)
    assert (apart.high - apart.low) / 2 == pytest.approx(1.966 * error * ELO, rel=0.01)


def test_the_covariance_is_what_leaving_out_each_deal_gives() -> None:
    table = some_tournament(deals=60)
    matches = matches_of(table)
    everything = rate(table)
    without = [
        rate(played([match for match in matches if match[0] != deal])).rating
        for deal in range(len(table.bots))
    ]
    moved = np.array(without) - everything.rating
    assert np.diag(everything.covariance) == pytest.approx(np.diag(moved.T @ moved), rel=0.03)
    assert everything.covariance == pytest.approx(
        moved.T @ moved, abs=0.03 * np.diag(everything.covariance).max()
    )


def test_deals_whose_matches_are_all_alike_count_once() -> None:
    random = np.random.default_rng(5)
    results = [WON if won else LOST for won in random.random(500) < 0.5]
    deals = pairs_of(*[(result, result) for result in results])
    by_deal, by_match = rate(deals).difference(0, 1), rate(deals, unit="match").difference(0, 1)
    wider = (by_deal.high - by_deal.low) / (by_match.high - by_match.low)
    assert wider == pytest.approx(math.sqrt(2), rel=0.01)


def test_luck_of_the_seats_makes_intervals_over_deals_narrower() -> None:
    random = np.random.default_rng(5)
    even = [(WON, LOST)] * 400
    odd = [(WON, WON) if won else (LOST, LOST) for won in random.random(100) < 0.5]
    deals = pairs_of(*even, *odd)
    by_deal, by_pair = rate(deals).difference(0, 1), rate(deals, unit="pair").difference(0, 1)
    assert by_deal.high - by_deal.low < 0.7 * (by_pair.high - by_pair.low)


@pytest.mark.parametrize("deals", [1, 2, 3, 5, 10, 30, 100, 1000])
def test_even_deals_alone_prove_no_more_than_that_others_are_rare(deals) -> None:
    # The same seat wins each match. With so many others this would be seen in a tenth of cases.
    rare = 1 - 0.1 ** (1 / deals)
    apart = rate(pairs_of(*[(WON, LOST)] * deals)).difference(0, 1)
    assert apart.elo == pytest.approx(0, abs=1e-4)
    assert apart.high > elo(0.5 + rare / 2)
    assert apart.low < elo(0.5 - rare / 2)


@pytest.mark.parametrize("deals", [1, 2, 3, 5, 10, 30, 100, 1000])
def test_a_perfect_score_is_finite_and_does_not_prove_too_much(deals) -> None:
    # So many deals are won in a twentieth of cases by a bot that wins each with this chance.
    chance = 0.05 ** (1 / deals)
    apart = rate(pairs_of(*[(WON, WON)] * deals)).difference(0, 1)
    assert apart.low < elo(chance)
    assert apart.elo < apart.high < 3000
    if deals >= 10:
        assert apart.low > 0


def test_one_or_two_deals_say_nothing() -> None:
    for deals in (1, 2):
        apart = rate(pairs_of(*[(WON, WON)] * deals)).difference(0, 1)
        assert apart.low < 0
        assert apart.high > 1000


def test_without_matches_nothing_is_known() -> None:
    ratings = rate(Deals(3, 2))
    assert ratings.rating.tolist() == [1500] * 3
    assert (ratings.high - ratings.low > 1000).all()


def test_bots_that_never_met_are_compared_with_wide_intervals() -> None:
    deals = Deals(5, 2)
    for number in range(200):
        one, other = ((0, 1), (2, 3))[number % 2]
        deals.append(number, (one, other), WON if number % 3 else LOST)
        deals.append(number, (other, one), LOST)
    ratings = rate(deals)
    assert np.isfinite(ratings.rating).all()
    within, across, absent = (ratings.difference(0, bot) for bot in (1, 2, 4))
    assert within.high - within.low < 250
    assert across.high - across.low > 1200
    assert absent.high - absent.low > 1200


def test_a_group_that_never_loses_to_another_is_not_placed_exactly() -> None:
    # 0, 1, 2 are about equal, so are 3, 4, 5; the first three win all they play with the others.
    random = np.random.default_rng(1)
    deals = Deals(6, 2)
    number = 0
    for one in range(6):
        for other in range(one + 1, 6):
            for _ in range(6):
                same = (one < 3) == (other < 3)
                won = random.random() < 0.5 if same else True
                deals.append(number, (one, other), WON if won else LOST)
                deals.append(number, (other, one), LOST if won else WON)
                number += 1
    apart = rate(deals).difference(0, 5)
    # 54 deals between them: all are won in a twentieth of cases with this chance.
    assert apart.low < elo(0.05 ** (1 / 54))
    assert apart.high - apart.low > 500


def test_superiority_is_sure_when_the_interval_is_above_zero() -> None:
    ratings = rate(some_tournament(deals=40))
    for one in range(6):
        for other in range(6):
            if one != other:
                sure = ratings.superiority(one, other) > 0.975
                assert sure == (ratings.difference(one, other).low > 0)
    order = ratings.order()
    assert ratings.superiority(order[0], order[-1]) > ratings.superiority(order[0], order[1]) > 0.5


def test_differences_are_the_single_ones() -> None:
    ratings = rate(some_tournament())
    elos, low, high = ratings.differences()
    single = ratings.difference(1, 4)
    assert (elos[1, 4], low[1, 4], high[1, 4]) == pytest.approx(
        (single.elo, single.low, single.high)
    )
    assert low == pytest.approx(-high.T)


def test_incomplete_deals_count_for_what_they_have() -> None:
    deals = pairs_of(*[(WON, LOST), (WON, WON)] * 20)
    deals.append(100, (0, 1), WON)
    more = rate(deals).difference(0, 1)
    assert more.elo > rate(pairs_of(*[(WON, LOST), (WON, WON)] * 20)).difference(0, 1).elo


# -- intervals hold the truth; in full: tests/benchmarks/coverage.py


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("luck", ["seat", "bot"])
def test_intervals_hold_the_truth_and_naive_ones_do_not(players, luck) -> None:
    kind = {"seat": {"seat_luck": 2.5}, "bot": {"bot_luck": 2.0}}[luck]
    found = World(players, bots=12, **kind).cover(30, 30, endless=40_000)
    # 30 tournaments of 12 bots: the standard error is about 1.2%.
    for what in ("ratings", "differences"):
        assert found[f"deal {what}"] == pytest.approx(0.955, abs=0.035)
    if luck == "seat":
        assert found["match differences"] > 0.985
    else:
        assert found["match differences"] < 0.91
