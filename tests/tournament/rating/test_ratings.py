"""Ratings and their intervals (spec/rating-formulas.md, 2 and 3)."""

from __future__ import annotations

import math
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.rating import ratings as module
from referee.tournament.rating.deals import Deals, DealTable
from referee.tournament.rating.intervals import t_point
from referee.tournament.rating.ratings import AFTER_STOPPING, ELO, PRIOR, Ratings, rate
from tests.support.worlds import World, rate_by_match

WON, LOST, TIED = (1, 2), (2, 1), (1, 1)


def pairs_of(
    *results: tuple[tuple[int, int], tuple[int, int]], deals: Deals | None = None
) -> Deals:
    """Add deals between bots 0 and 1. A result has the ranks of both, for either order of seats."""
    deals = deals or Deals(2, 2)
    for number, (there, back) in enumerate(results):
        deals.extend([number], [(0, 1)], [there])
        deals.extend([number], [(1, 0)], [back[::-1]])
    return deals


class Apart(NamedTuple):
    """The difference between two ratings, and its interval."""

    elo: float
    low: float
    high: float


def apart_of(ratings: Ratings, one: int = 0, other: int = 1) -> Apart:
    return Apart(*(float(part[one, other]) for part in ratings.differences()[:3]))


def elo(share: float) -> float:
    return 400 * math.log10(share / (1 - share))


def some_tournament(players: int = 3, seed: int = 0, deals: int = 20) -> DealTable:
    world = World(players, bots=6, seat_luck=1, bot_luck=1)
    return world.play(world.schedule(deals), np.random.default_rng(seed))


def matches_of(table: DealTable) -> list[tuple[int, list[int], list[int]]]:
    """Return the matches in the order in which they were appended: deal, line-up and ranks."""
    found = []
    for deal, ranks, seats in zip(table.index, table.ranks, table.seats, strict=True):
        order = np.argsort(seats)
        found.append((int(deal), table.bots[deal][order].tolist(), ranks[order].tolist()))
    return found


def played(matches: list[tuple[int, list[int], list[int]]], players: int = 3) -> Deals:
    deals = Deals(6, players)
    for match in matches:
        deals.extend(*([part] for part in match))
    return deals


def assert_same(one: Ratings, other: Ratings, bots: list[int] | None = None) -> None:
    order = bots or list(range(len(one.rating)))
    for name in ("rating", "low", "high", "points"):
        assert getattr(one, name) == pytest.approx(getattr(other, name)[order], abs=1e-4)
    assert one.covariance == pytest.approx(other.covariance[np.ix_(order, order)], abs=1e-4)


# -- the ratings


def test_two_bots_differ_by_what_their_score_says() -> None:
    # A share of 64% is 100 Elo. With this many deals, the prior hardly matters.
    deals = pairs_of(*[(WON, WON)] * 560, *[(WON, LOST)] * 160, *[(LOST, LOST)] * 280)
    assert apart_of(rate(deals)).elo == pytest.approx(100, abs=0.1)


@given(won=st.integers(0, 30), tied=st.integers(1, 30), lost=st.integers(0, 30))
@settings(max_examples=10)
def test_the_slope_of_the_likelihood_is_zero(won, tied, lost) -> None:
    deals = pairs_of(*[(WON, WON)] * won, *[(TIED, TIED)] * tied, *[(LOST, LOST)] * lost)
    apart = apart_of(rate(deals)).elo / ELO
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
        deals.extend([number], [(one, other)], [WON])
        deals.extend([number], [(other, one)], [WON])
    ratings = rate(deals)
    assert ratings.rating == pytest.approx([1500] * 3, abs=1e-4)
    assert ratings.low == pytest.approx([ratings.low[0]] * 3, abs=1e-4)
    assert ratings.differences().better[0, 1] == pytest.approx(0.5, abs=1e-4)


def test_a_match_of_three_is_rated_as_its_pairs() -> None:
    matches = matches_of(some_tournament())
    pairs = Deals(6, 2)
    for deal, lineup, ranks in matches:
        for one, other in combinations(range(3), 2):
            two = (lineup[one], lineup[other])
            result = (
                TIED if ranks[one] == ranks[other] else (WON if ranks[one] < ranks[other] else LOST)
            )
            pairs.extend([100 * deal + 10 * min(two) + max(two)], [two], [result])
    assert rate(pairs).rating == pytest.approx(rate(played(matches)).rating, abs=1e-4)


def test_the_mean_of_the_ratings_is_1500() -> None:
    assert rate(some_tournament()).rating.mean() == pytest.approx(1500)


@given(random=st.randoms(use_true_random=False))
@settings(max_examples=4)
def test_the_order_of_the_matches_does_not_count(random) -> None:
    matches = matches_of(some_tournament())
    mixed = random.sample(matches, len(matches))
    assert_same(rate(played(mixed)), rate(played(matches)))


@given(names=st.permutations(range(6)))
@settings(max_examples=4)
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
    apart = apart_of(rate(table), 4, 2)
    assert ratings.low[4] == pytest.approx(1000 + apart.low, abs=1e-4)
    assert ratings.high[4] == pytest.approx(1000 + apart.high, abs=1e-4)


# -- error bars


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("chunk", [7, 1000])
def test_ratings_and_errors_follow_the_formulas_of_the_page(
    players: int, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compute everything of sections 2 and 3 again, deal by deal. Some deals lack matches."""
    monkeypatch.setattr(module, "_CHUNK", chunk)
    world = World(players, bots=5, seat_luck=1, bot_luck=1, ties=0.2)
    lineups = np.array([*combinations(range(5), players)][:-2])
    matches = matches_of(world.play(lineups, np.random.default_rng(1)))[:-1]
    del matches[1:3]
    found = rate(played(matches, players).table().of(np.arange(5)))
    logits = (found.rating - found.rating.mean()) / ELO
    for _ in range(20):  # bot M has the logit 0, and the slopes of the prior add up to 0
        draws = 0.5 - 1 / (1 + np.exp(-logits))
        logits = logits + draws.sum()
    of_deals: dict[int, tuple[np.ndarray, np.ndarray, dict[tuple[int, int], list[float]]]] = {}
    for deal, lineup, ranks in matches:
        slope, part, pairs = of_deals.setdefault(deal, (np.zeros(5), np.zeros((5, 5)), {}))
        for (one, mine), (other, theirs) in combinations(zip(lineup, ranks, strict=True), 2):
            chance = 1 / (1 + math.exp(logits[other] - logits[one]))
            gained = (theirs > mine) + (theirs == mine) / 2 - chance
            slope[[one, other]] += gained, -gained
            both = np.zeros(5)
            both[[one, other]] = 1, -1
            part += chance * (1 - chance) * np.outer(both, both)
            of_pair = pairs.setdefault((min(one, other), max(one, other)), [])
            of_pair.append(chance * (1 - chance))
    assert sum(slope for slope, _, _ in of_deals.values()) + draws == pytest.approx(0, abs=1e-6)
    inverse = np.linalg.inv(
        sum(part for _, part, _ in of_deals.values()) + np.diag(0.25 - draws**2)
    )
    scores = [
        np.linalg.solve(np.eye(5) - part @ inverse, slope) for slope, part, _ in of_deals.values()
    ]
    deals_of = np.count_nonzero([np.diag(part) for _, part, _ in of_deals.values()], axis=0)
    least = np.zeros((5, 5))
    for _, _, pairs in of_deals.values():
        for (one, other), variances in pairs.items():
            m = len(variances)
            more = (players + 1) / 3 * math.sqrt(2 * m) * sum(variances) + 0.4 * m
            both = np.zeros(5)
            both[[one, other]] = 1, -1
            least += more / min(deals_of[one], deals_of[other]) * np.outer(both, both)

    def relative_to_the_field(matrix: np.ndarray) -> np.ndarray:
        relative = np.eye(5) - found.weights
        return ELO**2 * relative @ inverse @ matrix @ inverse @ relative.T

    products = sum(np.outer(score, score) for score in scores)
    assert found.covariance == pytest.approx(relative_to_the_field(products), rel=1e-4)
    assert found.least == pytest.approx(relative_to_the_field(least), rel=1e-4)
    a = np.array([np.diag(part) for _, part, _ in of_deals.values()])
    b = np.square(scores)
    numbers = (
        a.sum(axis=0) ** 2 / (a**2).sum(axis=0),
        3 * b.sum(axis=0) ** 2 / (b**2).sum(axis=0),
    )
    assert found.points == pytest.approx(t_point(np.maximum(np.minimum(*numbers) - 1, 1)), rel=1e-4)


def test_of_many_deals_the_error_is_that_of_their_mean() -> None:
    results = [(WON, WON)] * 180 + [(WON, LOST)] * 140 + [(LOST, LOST)] * 80
    shares = np.array([1.0] * 180 + [0.5] * 140 + [0.0] * 80)
    error = shares.std(ddof=1) / math.sqrt(400) / (shares.mean() * (1 - shares.mean()))
    apart = apart_of(rate(pairs_of(*results)))
    assert (apart.high - apart.low) / 2 == pytest.approx(1.966 * error * ELO, rel=0.01)


def test_the_covariance_is_what_leaving_out_each_deal_gives() -> None:
    table = some_tournament(deals=25)
    matches = matches_of(table)
    everything = rate(table)
    without = [
        rate(played([match for match in matches if match[0] != deal])).rating
        for deal in range(len(table.bots))
    ]
    moved = np.array(without) - everything.rating
    assert np.diag(everything.covariance) == pytest.approx(np.diag(moved.T @ moved), rel=0.06)
    assert everything.covariance == pytest.approx(
        moved.T @ moved, abs=0.06 * np.diag(everything.covariance).max()
    )


def test_deals_whose_matches_are_all_alike_count_once() -> None:
    random = np.random.default_rng(5)
    results = [WON if won else LOST for won in random.random(500) < 0.5]
    deals = pairs_of(*[(result, result) for result in results])
    by_deal, by_match = apart_of(rate(deals)), apart_of(rate_by_match(deals.table()))
    wider = (by_deal.high - by_deal.low) / (by_match.high - by_match.low)
    assert wider == pytest.approx(math.sqrt(2), rel=0.01)


def test_luck_of_the_seats_makes_intervals_over_deals_narrower() -> None:
    random = np.random.default_rng(5)
    even = [(WON, LOST)] * 400
    odd = [(WON, WON) if won else (LOST, LOST) for won in random.random(100) < 0.5]
    deals = pairs_of(*even, *odd)
    by_deal, by_match = apart_of(rate(deals)), apart_of(rate_by_match(deals.table()))
    assert by_deal.high - by_deal.low < 0.7 * (by_match.high - by_match.low)


@pytest.mark.parametrize("deals", [1, 2, 3, 5, 10, 30, 100, 1000])
def test_even_deals_alone_prove_no_more_than_that_others_are_rare(deals) -> None:
    # All deals are even. If a share `rare` weren't, we'd still see this in a tenth of cases.
    rare = 1 - 0.1 ** (1 / deals)
    apart = apart_of(rate(pairs_of(*[(WON, LOST)] * deals)))
    assert apart.elo == pytest.approx(0, abs=1e-4)
    assert apart.high > elo(0.5 + rare / 2)
    assert apart.low < elo(0.5 - rare / 2)


@pytest.mark.parametrize("deals", [1, 2, 3, 5, 10, 30, 100, 1000])
def test_a_perfect_score_has_an_open_end_and_does_not_prove_too_much(deals) -> None:
    # With this chance per deal, a bot wins all of them in one of twenty cases.
    chance = 0.05 ** (1 / deals)
    apart = apart_of(rate(pairs_of(*[(WON, WON)] * deals)))
    assert apart.low < elo(chance)
    assert apart.elo < 3000
    assert apart.high == math.inf
    if deals >= 10:
        assert apart.low > 0


def test_one_or_two_deals_say_nothing() -> None:
    for deals in (1, 2):
        apart = apart_of(rate(pairs_of(*[(WON, WON)] * deals)))
        assert apart.low < 0
        assert apart.high == math.inf


def two_groups() -> Deals:
    """0 plays 1, and 2 plays 3. Bot 4 doesn't play."""
    deals = Deals(5, 2)
    for number in range(200):
        one, other = ((0, 1), (2, 3))[number % 2]
        deals.extend([number], [(one, other)], [WON if number % 3 else LOST])
        deals.extend([number], [(other, one)], [LOST])
    return deals


def test_without_matches_nothing_is_known() -> None:
    ratings = rate(Deals(3, 2))
    assert np.isnan(ratings.rating).all()
    anchored = rate(Deals(3, 2), anchor=(1, 1200))
    assert anchored.rating == pytest.approx([math.nan, 1200, math.nan], nan_ok=True)


def test_of_bots_that_never_met_nothing_is_known() -> None:
    ratings = rate(two_groups())
    assert np.isnan(ratings.rating).tolist() == [False] * 4 + [True]
    within, across = (apart_of(ratings, 0, bot) for bot in (1, 2))
    assert within.high - within.low < 250
    assert (across.low, across.high) == (-math.inf, math.inf)
    better = ratings.differences().better
    assert np.isnan(better[0, 2])
    assert better[0, 1] > 0.5


@pytest.mark.parametrize("anchor", [None, (0, 1000.0)])
def test_of_two_bots_a_rating_is_half_the_difference(anchor) -> None:
    deals = pairs_of(*[(WON, WON)] * 996, *[(WON, LOST)] * 3, (LOST, LOST))
    ratings = rate(deals, anchor=anchor)
    apart = apart_of(ratings, 1, 0)
    part = 1 if anchor else 0.5
    zero = 1000 if anchor else 1500
    assert ratings.rating[1] - zero == pytest.approx(part * apart.elo)
    assert ratings.low[1] - zero == pytest.approx(part * apart.low)
    assert ratings.high[1] - zero == pytest.approx(part * apart.high)


def hopeless_beside(field: int, deals: int, points: int = 0) -> Deals:
    """Play deals between about equal bots, and a last one that only wins `points` against bot 0."""
    random = np.random.default_rng(3)
    played = Deals(field + 1, 2)
    for number in range(deals):
        for place, (one, other) in enumerate(combinations(range(field + 1), 2)):
            if other == field:
                won = one > 0 or number >= points
                result = (WON, WON) if won else (LOST, LOST)
            else:
                result = (WON, LOST) if random.random() < 0.4 else (WON, WON)
                result = result if random.random() < 0.5 else (LOST, LOST)
            deal = 100 * number + place
            played.extend([deal], [(one, other)], [result[0]])
            played.extend([deal], [(other, one)], [result[1][::-1]])
    return played


@pytest.mark.parametrize(("lost", "points"), [(0, 2.001), (1, 4.055), (2, 2.503), (20, 2.002)])
def test_a_few_deals_that_make_most_of_the_error_are_few_degrees_of_freedom(lost, points) -> None:
    """Where one bot has won all, one may be better than the other although no chain links them."""
    deals = Deals(2, 2)
    for deal in range(60):
        ranks = (2, 1) if deal < lost else (1, 2)
        deals.extend([deal] * 2, [(0, 1), (1, 0)], [ranks, ranks[::-1]])
    found = rate(deals)
    assert found.points == pytest.approx(points, abs=0.001)
    better = found.differences().better
    assert better[1, 0] == pytest.approx(1 - better[0, 1])


def test_a_variance_that_a_rounding_error_makes_negative_is_none() -> None:
    ones, tiny = np.ones(2), np.full((2, 2), -1e-18)
    found = Ratings(1500 * ones, tiny, tiny, 2 * ones, ones / 2, np.ones((2, 2), np.bool_))
    assert [*found.low, *found.high] == [1500.0] * 4


def test_a_hopeless_bot_leaves_the_errors_of_the_others_as_they_are() -> None:
    ratings = rate(hopeless_beside(3, 60))
    assert ratings.weights == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    assert ratings.rating[:3].mean() == pytest.approx(1500)
    assert (ratings.low[3], ratings.rating[3] < 1000, ratings.high[3] < 1300) == (-math.inf, 1, 1)
    alone = rate(hopeless_beside(2, 60))
    assert alone.weights == pytest.approx([1 / 2, 1 / 2, 0])
    assert (ratings.high - ratings.low)[:3].max() < 1.3 * (alone.high - alone.low)[:2].max()
    # A single point is enough to include it in the mean.
    assert (rate(hopeless_beside(3, 60, points=1)).weights > 0).all()


def test_where_no_two_bots_took_points_off_each_other_the_mean_is_that_of_all() -> None:
    deals = Deals(4, 2)
    for number, (one, other) in enumerate([(0, 1), (1, 2), (0, 2)] * 10):
        deals.extend([number], [(one, other)], [WON])
        deals.extend([number], [(other, one)], [LOST])
    ratings = rate(deals)
    assert ratings.rating[:3].mean() == pytest.approx(1500)
    assert ratings.low[:3] == pytest.approx([ratings.low[0], -math.inf, -math.inf])
    assert ratings.low[0] > 1500
    assert ratings.high[:2].tolist() == [math.inf, math.inf]


@given(seed=st.integers(0, 1000))
@settings(max_examples=10)
def test_a_chain_of_points_is_found_however_long(seed) -> None:
    random = np.random.default_rng(seed)
    names = random.permutation(9)
    deals = Deals(9, 2)
    for number, (one, other) in enumerate(pairwise(names)):
        deals.extend([number], [(int(one), int(other))], [WON])
    linked = rate(deals).linked
    place = np.argsort(names)
    assert (linked == (place[:, None] <= place)).all()


def test_intervals_are_wider_after_a_test_that_chose_when_to_stop() -> None:
    deals = pairs_of(*[(WON, WON)] * 20, *[(WON, LOST)] * 160, *[(LOST, LOST)] * 10)
    fixed, stopped = apart_of(rate(deals)), apart_of(rate(deals, stopped=True))
    assert stopped.elo == fixed.elo
    wider = (stopped.high - stopped.low) / (fixed.high - fixed.low)
    assert wider == pytest.approx(AFTER_STOPPING, rel=0.01)


def test_a_group_that_never_loses_to_another_is_not_placed_exactly() -> None:
    # 0, 1 and 2 are about equal, as are 3, 4 and 5. But the first three win all other matches.
    random = np.random.default_rng(1)
    deals = Deals(6, 2)
    number = 0
    for one in range(6):
        for other in range(one + 1, 6):
            for _ in range(6):
                same = (one < 3) == (other < 3)
                won = random.random() < 0.5 if same else True
                deals.extend([number], [(one, other)], [WON if won else LOST])
                deals.extend([number], [(other, one)], [LOST if won else WON])
                number += 1
    apart = apart_of(rate(deals), 0, 5)
    # With this chance per deal, a bot wins all 54 deals in one of twenty cases.
    assert apart.low < elo(0.05 ** (1 / 54))
    assert apart.high - apart.low > 500


def test_superiority_is_sure_when_the_interval_is_above_zero() -> None:
    ratings = rate(some_tournament(deals=40))
    found = ratings.differences()
    assert ((found.better > 0.975) == (found.low > 0)).all()
    best, second, *_, last = ratings.order()
    assert found.better[best, last] > found.better[best, second] > 0.5
    assert found.low == pytest.approx(-found.high.T)
    assert found.better + found.better.T == pytest.approx(np.ones((6, 6)))


def test_incomplete_deals_count_for_what_they_have() -> None:
    deals = pairs_of(*[(WON, LOST), (WON, WON)] * 20)
    deals.extend([100], [(0, 1)], [WON])
    more = apart_of(rate(deals))
    assert more.elo > apart_of(rate(pairs_of(*[(WON, LOST), (WON, WON)] * 20))).elo


# -- coverage of the intervals (see tools/benchmarks/coverage.py for more simulations)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("luck", ["seat", "bot"])
def test_intervals_hold_the_truth_and_naive_ones_do_not(players, luck) -> None:
    kind = {"seat": {"seat_luck": 2.5}, "bot": {"bot_luck": 2.0}}[luck]
    found = World(players, bots=12, **kind).cover(30, 30, rate_by_match, endless=40_000)
    # With 30 tournaments of 12 bots, the standard error is about 1.2%.
    for what in ("ratings", "differences"):
        assert found[what] == pytest.approx(0.955, abs=0.035)
    if luck == "seat":
        assert found["other differences"] > 0.985
    else:
        assert found["other differences"] < 0.91
