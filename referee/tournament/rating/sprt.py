"""The sequential test of two bots, by pairs of matches on one deal (spec/rating-formulas.md, 5).

It is the generalised sequential probability ratio test that chess programmers use (fishtest,
fastchess): over *deals*, not matches. A deal of two bots is two matches with the seats exchanged,
and brings a bot 0, 0.5, 1, 1.5 or 2 points: five outcomes, hence pentanomial. Deals must be counted
in the order of the schedule: by the order of their ends, short ones would come first.

    state of a test: five counts; after each deal, compare `llr` with its bounds

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

OUTCOMES = 5
"""The points of a deal: 0, 0.5, 1, 1.5, 2."""

_EMPTY = 1e-3
"""The count of an outcome that never happened, as in fishtest: it stays possible."""

MAX_ELO = 4_000
"""Beyond it the share of the stronger bot is 1 to a computer."""
_CLOSE = 1e-10
_MOST_OF_THE_WAY = 0.9


Verdict: TypeAlias = Literal["H0", "H1"]
"""The verdicts of a test: the difference is `elo0` or less, or it is `elo1` or more."""


@dataclass(frozen=True)
class Sprt:
    """A test of `elo0` against `elo1`, the first bot's strength minus the second's.

    Args:
        elo0: the difference under H0, in Elo (logistic: 400 points are odds of 10 to 1).
        elo1: the difference under H1, above `elo0`.
        alpha: how often H1 may be accepted although `elo0` is true.
        beta: how often H0 may be accepted although `elo1` is true.

    Raises:
        ValueError: such a test cannot be.
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
        """The test ends when `llr` is not between them: H0 below, H1 above."""
        return (math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha))

    def llr(self, counts: Sequence[int]) -> float:
        """Log-likelihood ratio of H1 to H0; `counts` are of deals with 0, 0.5, 1, 1.5, 2 points."""
        return float(self.llrs([counts])[0])

    def llrs(self, counts: ArrayLike) -> Floats:
        """`llr` of many tests; one row of counts each, shape (tests, 5)."""
        seen = np.asarray(counts, np.float64)
        observed = np.where(seen > 0, seen, _EMPTY)
        null = _most_likely(observed, expected_share(self.elo0))
        other = _most_likely(observed, expected_share(self.elo1))
        ratio = np.sum(observed * np.log(other / null), axis=-1)
        return np.where(seen.any(axis=-1), ratio, 0.0)

    def verdict(self, counts: Sequence[int]) -> Verdict | None:
        """Return the verdict of the counts; None: not yet known.

        A test is over with the first verdict. Do not ask for the counts of later deals.
        """
        low, high = self.bounds
        llr = self.llr(counts)
        if low < llr < high:
            return None
        return "H1" if llr >= high else "H0"


def expected_share(elo: float) -> float:
    """The share of the points that a bot expects that is better by `elo`."""
    return 1 / (1 + 10 ** (-elo / 400))


def _most_likely(observed: Floats, mean: float) -> Floats:
    """The most likely distributions of the outcomes whose mean share is `mean`.

    Each is p / (1 + x d), with p the share of an outcome, d its points' distance from the mean, and
    x such that the distances sum to 0.
    """
    share = observed / observed.sum(axis=-1, keepdims=True)
    distance = np.arange(OUTCOMES) / (OUTCOMES - 1) - mean
    # The sum falls with x all the way between its poles.
    left, right = -1 / distance[-1], -1 / distance[0]
    low = np.full((*share.shape[:-1], 1), left)
    high = np.full_like(low, right)
    x = np.zeros_like(low)
    moved = np.inf
    while moved > _CLOSE:
        term = distance / (1 + x * distance)
        value = np.sum(share * term, axis=-1, keepdims=True)
        low, high = np.where(value > 0, x, low), np.where(value > 0, high, x)
        new = x + value / np.sum(share * term**2, axis=-1, keepdims=True)  # Newton's step
        # Beside a pole every step is tiny, as if it were the solution: none goes all the way there.
        new = np.clip(new, x + _MOST_OF_THE_WAY * (left - x), x + _MOST_OF_THE_WAY * (right - x))
        new = np.where((low < new) & (new < high), new, (low + high) / 2)
        moved = np.max(np.abs(new - x) / (1 + np.abs(x)))
        x = new
    return np.asarray(share / (1 + x * distance))
