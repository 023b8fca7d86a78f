"""The sequential test of two bots (spec/rating-formulas.md, 5).

This is the generalised sequential probability ratio test used for chess engines (fishtest,
fastchess), but it counts *deals* instead of matches. A deal of two bots is two matches with the
seats exchanged. It gives a bot 0, 0.5, 1, 1.5 or 2 points, hence the name pentanomial. The state of
a test is how often each of these five results occurred.

Count the deals in the order of the schedule, and compare `llr` with the bounds after each one. If
you count them as they end, deals with short matches come first.

Sources: M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a
distribution" (support_MLE_multinomial.pdf of fishtest), proposition 1.1; A. Wald, "Sequential
Analysis", 1947, for the bounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from referee.tournament.choices import ALPHA, BETA, ELO0, ELO1
from referee.tournament.rating.deals import Floats

# A deal gives 0, 0.5, 1, 1.5 or 2 points.
OUTCOMES = 5

# Outcomes that have never occurred must remain possible, so each of them counts this much, as in
# fishtest.
_EMPTY = 1e-3

# Limit for `elo0` and `elo1`. With this difference, the weaker bot gets one point in ten billion.
MAX_ELO = 4_000
_CLOSE = 1e-10
_MOST_OF_THE_WAY = 0.9


# H0: the difference is `elo0` or less. H1: the difference is `elo1` or more.
Verdict: TypeAlias = Literal["H0", "H1"]


@dataclass(frozen=True)
class Sprt:
    """A test of `elo0` against `elo1`, for the first bot's strength minus the second bot's.

    Args:
        elo0: difference under H0, in Elo (logistic: 400 points are odds of 10 to 1).
        elo1: difference under H1, above `elo0`.
        alpha: probability of accepting H1 although `elo0` is true.
        beta: probability of accepting H0 although `elo1` is true.

    Raises:
        ValueError: the values are not valid for a test.
    """

    elo0: float = ELO0
    elo1: float = ELO1
    alpha: float = ALPHA
    beta: float = BETA

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 ({self.elo0:g}) must be less than elo1 ({self.elo1:g})")
        if max(abs(self.elo0), abs(self.elo1)) > MAX_ELO:
            raise ValueError(f"elo0 and elo1 must be from -{MAX_ELO} to {MAX_ELO}")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise ValueError("alpha and beta must be above 0, and less than 1 together")

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of `llr`: accept H0 at or below the first, and H1 at or above the second."""
        return (math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha))

    def llr(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio of H1 to H0.

        Args:
            counts: number of deals with 0, 0.5, 1, 1.5 and 2 points.
        """
        return float(self.llrs([counts])[0])

    def llrs(self, counts: ArrayLike) -> Floats:
        """Return `llr` for many tests. `counts` has one row per test; shape (tests, 5)."""
        seen = np.asarray(counts, np.float64)
        observed = np.where(seen > 0, seen, _EMPTY)
        null = _most_likely(observed, expected_share(self.elo0))
        other = _most_likely(observed, expected_share(self.elo1))
        ratio = np.sum(observed * np.log(other / null), axis=-1)
        return np.where(seen.any(axis=-1), ratio, 0.0)

    def verdict(self, counts: Sequence[int]) -> Verdict | None:
        """Return the verdict for these counts, or None if the test is undecided.

        The first verdict ends a test. Don't include later deals in the counts, since they might
        change the verdict.
        """
        low, high = self.bounds
        llr = self.llr(counts)
        if low < llr < high:
            return None
        return "H1" if llr >= high else "H0"


def expected_share(elo: ArrayLike) -> Floats:
    """Return the expected share of the points for a bot that is better by `elo`."""
    return np.asarray(1 / (1 + 10 ** (-np.asarray(elo, np.float64) / 400)))


def _most_likely(observed: Floats, mean: Floats) -> Floats:
    """Return the most likely distributions of outcomes that have this mean, given observed counts.

    The probability of an outcome is p / (1 + x d), where p is its observed share and d is its
    distance from the mean. We have to find the x for which the mean distance is 0.
    """
    share = observed / observed.sum(axis=-1, keepdims=True)
    distance = np.arange(OUTCOMES) / (OUTCOMES - 1) - mean
    # Between the poles `left` and `right`, `value` only decreases with x. If Newton's step leaves
    # the interval from `low` to `high`, we use bisection.
    left, right = -1 / distance[-1], -1 / distance[0]
    low = np.full((*share.shape[:-1], 1), left)
    high = np.full_like(low, right)
    x = np.zeros_like(low)
    moved = np.inf
    while moved > _CLOSE:
        term = distance / (1 + x * distance)
        value = np.sum(share * term, axis=-1, keepdims=True)
        low, high = np.where(value > 0, x, low), np.where(value > 0, high, x)
        new = x + value / np.sum(share * term**2, axis=-1, keepdims=True)  # Newton's method
        # Near a pole, steps get tiny, which would look like convergence. That's why a step never
        # goes all the way to a pole.
        new = np.clip(new, x + _MOST_OF_THE_WAY * (left - x), x + _MOST_OF_THE_WAY * (right - x))
        new = np.where((low < new) & (new < high), new, (low + high) / 2)
        moved = np.max(np.abs(new - x) / (1 + np.abs(x)))
        x = new
    return np.asarray(share / (1 + x * distance))
