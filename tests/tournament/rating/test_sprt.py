"""Tests for the SPRT (spec/rating-formulas.md, 5)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.tournament.rating.sprt import Sprt, Verdict, expected_share
from tests.support.worlds import World, decide

COUNTS = st.lists(st.integers(0, 500), min_size=5, max_size=5)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        # From fastchess, app/tests/sprt_test.cpp, "logistic pentanomial" 1 and 2.
        ((223, 9863, 20279 + 1000, 10037, 246), 0.5, 2.5, -3.07),
        ((871, 26175, 55003 + 980, 26678, 821), 0.0, 2.0, -4.98),
    ],
)
def test_known_figures(counts, elo0, elo1, llr) -> None:
    assert Sprt(elo0, elo1).llr(counts) == pytest.approx(llr, abs=0.01)


def test_the_bounds_are_walds() -> None:
    assert Sprt(alpha=0.05, beta=0.05).bounds == pytest.approx((-2.944, 2.944), abs=0.001)
    assert Sprt(alpha=0.05, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.95), math.log(18)))


def test_of_many_deals_it_is_the_ratio_of_normal_distributions() -> None:
    # The log-likelihood ratio if the variance is known: (s1 - s0) (2 m - s0 - s1) / (2 v / n).
    counts = np.array([1000, 2000, 4000, 2100, 1050])
    shares = np.arange(5) / 4
    mean = np.average(shares, weights=counts)
    variance = np.average((shares - mean) ** 2, weights=counts) / counts.sum()
    s0, s1 = expected_share(0), expected_share(4)
    normal = (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert Sprt(0, 4).llr(counts) == pytest.approx(normal, rel=0.01)


@given(counts=COUNTS, elo=st.floats(-300, 300), apart=st.floats(1, 300))
@settings(max_examples=12)
@example(counts=[1, 330, 0, 30, 30], elo=0.0, apart=1.0)  # one step of the solver gets to a pole
def test_the_other_bot_sees_the_opposite(counts, elo, apart) -> None:
    mine = Sprt(elo, elo + apart).llr(counts)
    theirs = Sprt(-elo - apart, -elo).llr(counts[::-1])
    assert mine == pytest.approx(-theirs, rel=1e-6, abs=1e-6)


@given(counts=COUNTS, elo=st.floats(-300, 300), apart=st.floats(1, 300))
@settings(max_examples=12)
def test_a_point_more_speaks_for_the_stronger(counts, elo, apart) -> None:
    test = Sprt(elo, elo + apart)
    better = list(counts)
    if counts[0]:
        better[0] -= 1
        better[4] += 1
        assert test.llr(better) > test.llr(counts)


@pytest.mark.parametrize("counts", [(3, 5, 8, 5, 3), (0, 0, 24, 0, 0), (0, 0, 0, 0, 10)])
def test_it_is_the_ratio_of_the_greatest_likelihoods(counts) -> None:
    observed = np.maximum(counts, 1e-3)
    shares = np.arange(5) / 4
    random = np.random.default_rng(1)

    def greatest(mean: float) -> float:
        """Find the greatest likelihood of a distribution with this mean, by another method (EM)."""
        # Each pair of outcomes around the mean can be weighted so that its mean is right. Then any
        # mixture of these pairs has the right mean, too.
        below, above = np.flatnonzero(shares < mean), np.flatnonzero(shares >= mean)
        corners = []
        for low in below:
            for high in above:
                corner = np.zeros(5)
                part = (mean - shares[low]) / (shares[high] - shares[low])
                corner[low], corner[high] = 1 - part, part
                corners.append(corner)
        weights = random.dirichlet(np.ones(len(corners)))
        for _ in range(1_500):  # expectation-maximisation
            each = weights[:, None] * np.array(corners)
            weights = (each * observed / each.sum(axis=0)).sum(axis=1) / observed.sum()
        return float(np.sum(observed * np.log((weights[:, None] * corners).sum(axis=0))))

    expected = greatest(expected_share(40)) - greatest(expected_share(0))
    assert Sprt(0, 40).llr(counts) == pytest.approx(expected, abs=2e-3)


def test_nothing_is_known_at_the_start() -> None:
    assert Sprt().llr([0] * 5) == 0
    assert Sprt().verdict([0] * 5) is None


@pytest.mark.parametrize("outcome", range(5))
@pytest.mark.parametrize("apart", [1, 10, 100])
def test_one_deal_decides_nothing(outcome, apart) -> None:
    counts = [0] * 5
    counts[outcome] = 1
    assert Sprt(0, apart).verdict(counts) is None


@pytest.mark.parametrize(("deal", "verdict"), [([0, 1, 1, 1, 2], "H1"), ([2, 1, 1, 1, 0], "H0")])
def test_it_knows_when_a_bound_is_reached(deal: list[int], verdict: Verdict) -> None:
    test = Sprt(0, 100)
    times = 1
    while test.verdict([times * count for count in deal]) is None:
        times += 1
    low, high = test.bounds
    assert low < test.llr([(times - 1) * count for count in deal]) < high
    assert test.verdict([times * count for count in deal]) is verdict


def test_a_bound_that_is_reached_exactly_decides() -> None:
    class Reached(Sprt):
        def llr(self, counts: Sequence[int]) -> float:
            return self.bounds[counts[0]]

    assert [Reached().verdict([bound]) for bound in range(2)] == ["H0", "H1"]


def test_the_greatest_differences_can_be_tested() -> None:
    assert Sprt(-4000, 4000, alpha=0.5, beta=0.49).llr([0, 0, 1, 0, 0]) == pytest.approx(
        0, abs=1e-6
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"elo0": 10, "elo1": 10},
        {"elo0": 10, "elo1": 0},
        {"elo0": -4001, "elo1": 0},
        {"elo0": 0, "elo1": 4001},
        {"alpha": 0},
        {"beta": 0},
        {"alpha": 0.5, "beta": 0.5},
        {"alpha": -0.1, "beta": 0.5},
        {"alpha": 0.5, "beta": -0.1},
    ],
)
def test_impossible_tests(wrong) -> None:
    with pytest.raises(ValueError, match=r"must be"):
        Sprt(**wrong)


@pytest.mark.slow
@pytest.mark.parametrize("luck", [{"seat_luck": 2.0}, {"bot_luck": 1.5}])
def test_it_is_seldom_wrong(luck) -> None:
    world, test = World(2, ties=0.6, **luck), Sprt(0, 100)
    null, other = (test.llrs(decide(world, test, elo, 200, sample=30_000)) for elo in (0, 100))
    # 5%, plus two standard errors for 200 runs.
    assert np.mean(null > 0) <= 0.05 + 0.031
    assert np.mean(other < 0) <= 0.05 + 0.031
