"""95% intervals for shares and for differences on a logit scale.

The interval of Wilson (1927) is the score interval of a share. On the logit scale it is symmetric:
logit(p) +- 2 asinh(z / (2 sqrt(n p q))) (Newcombe, Statistics in Medicine 17, 1998). As 1 / sqrt(n
p q) is the standard error of logit(p), the formula works for any logit with a known standard error.
Unlike z times the error, it stays moderate when the error is large.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from referee.tournament.rating.deals import Floats, sum_by

Z = NormalDist().inv_cdf(0.975)

# 97.5% points of Student's t by degrees of freedom. We interpolate linearly in 1 / degrees. (Since
# the curve is convex, the error is on the safe side: 3% at 1.2 degrees, 0.1% from 6 on. That's good
# enough, and we don't need SciPy just for this.)
_DEGREES = np.array([np.inf, 30, 15, 10, 8, 6, 5, 4, 3, 2.5, 2, 1.5, 1])
_T_POINTS = np.array(
    (
        *(Z, 2.0423, 2.1314, 2.2281, 2.3060, 2.4469, 2.5706),
        *(2.7764, 3.1824, 3.5747, 4.3027, 6.0167, 12.7062),
    )
)


def t_point(degrees: ArrayLike) -> Floats:
    """Return the 97.5% point of Student's t for these degrees of freedom, at least 1."""
    inverse = 1 / np.maximum(np.asarray(degrees, np.float64), 1.0)
    return np.asarray(np.interp(inverse, 1 / _DEGREES, _T_POINTS))


def logit_reach(error: ArrayLike, point: ArrayLike = Z) -> Floats:
    """Return the distance from a logit to each end of its 95% interval.

    Args:
        error: standard error of the logit.
        point: quantile to use.
    """
    return np.asarray(2 * np.arcsinh(np.asarray(point) * np.asarray(error) / 2))


def wilson(share: ArrayLike, size: ArrayLike, point: ArrayLike = Z) -> tuple[Floats, Floats]:
    """Return Wilson's interval of a share of `size` independent trials. Without trials, 0 to 1."""
    p, n = np.asarray(share, np.float64), np.asarray(size, np.float64)
    z2 = np.square(np.asarray(point, np.float64))
    middle = p * n + z2 / 2
    reach = np.sqrt(z2 * (p * (1 - p) * n + z2 / 4))
    return (middle - reach) / (n + z2), (middle + reach) / (n + z2)


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares with the ends of their 95% intervals, from 0 to 1. Without data: nan, 0 and 1."""

    share: Floats
    low: Floats
    high: Floats


def shares_over_deals(of: NDArray[np.int64], hits: Floats, trials: Floats, size: int) -> Shares:
    """Return shares of hits with Wilson's intervals over deals, for several groups in one call.

    See spec/rating-formulas.md, 4, for the formulas.

    Matches of the same deal aren't independent, so we can't use their number as the size in
    Wilson's formula. Instead, we use the number of independent trials that would have the variance
    that we see between deals. If all deals are alike, this variance is 0, although the true
    variance isn't. In this case, a share of 0 or 1 has as many trials as deals, and any other share
    has at most as many trials as if one more deal had been different.

    Args:
        of: group of each row, 0 to `size` - 1. A row is one deal of one group.
        hits: hits in that deal, at most as many as trials. Fractions are allowed.
        trials: trials in that deal.
        size: number of groups.
    """
    deals = np.bincount(of, minlength=size)
    total = sum_by(of, trials, size)
    share = sum_by(of, hits, size) / np.where(total > 0, total, np.nan)
    excess = sum_by(of, np.square(hits - share[of] * trials), size)
    excess *= deals / np.maximum(deals - 1, 1)
    each = total / np.maximum(deals, 1)
    alike = total**2 / np.maximum(each * np.sqrt(2 * each), 1)
    spread = share * (1 - share)
    effective = np.fmin(spread * total**2 / np.where(excess > 0, excess, np.nan), alike)
    effective = np.where(spread > 0, effective, deals)
    low, high = wilson(share, effective, t_point(deals - 1))
    return Shares(share, np.where(deals > 0, low, 0.0), np.where(deals > 0, high, 1.0))
