"""Computes 95% intervals of shares, and of differences between logits.

Wilson's interval of a share (1927) is symmetric on the logit scale. There it is logit(p) +- 2
asinh(z / (2 sqrt(n p q))) (Newcombe, Statistics in Medicine 17, 1998). Since 1 / sqrt(n p q) is the
standard error of logit(p), we can use the same formula for any logit whose standard error we know.
If the error is large, this interval is much shorter than z times the error.
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
    """Return the 97.5% point of Student's t. Less than one degree of freedom counts as one."""
    inverse = 1 / np.maximum(np.asarray(degrees, np.float64), 1.0)
    return np.asarray(np.interp(inverse, 1 / _DEGREES, _T_POINTS))


def logit_reach(error: ArrayLike, point: ArrayLike = Z) -> Floats:
    """Return the distance between a logit and each end of its 95% interval.

    Args:
        error: standard error of the logit.
        point: number of standard errors that a normal interval would have on each side.
    """
    return np.asarray(2 * np.arcsinh(np.asarray(point) * np.asarray(error) / 2))


def wilson(share: ArrayLike, size: ArrayLike, point: ArrayLike = Z) -> tuple[Floats, Floats]:
    """Return both ends of Wilson's interval for a share of `size` independent trials.

    Without any trials, these are 0 and 1.
    """
    p, n = np.asarray(share, np.float64), np.asarray(size, np.float64)
    z2 = np.square(np.asarray(point, np.float64))
    middle = p * n + z2 / 2
    reach = np.sqrt(z2 * (p * (1 - p) * n + z2 / 4))
    return (middle - reach) / (n + z2), (middle + reach) / (n + z2)


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares from 0 to 1, and the ends of their 95% intervals.

    A share without any data is nan, and its interval goes from 0 to 1.
    """

    share: Floats
    low: Floats
    high: Floats


def shares_over_deals(
    of: NDArray[np.int64],
    hits: Floats,
    trials: Floats,
    size: int,
    times: Floats | None = None,
) -> Shares:
    """Return the share of hits in each group, with Wilson's intervals over deals.

    Matches of the same deal aren't independent, so we can't use their number in Wilson's formula.
    Instead, we use the number of independent trials that would vary as much as the deals do. See
    spec/rating-formulas.md, 4, for the details.

    If all deals are alike, they don't vary at all, but that doesn't mean that the share is certain.
    In this case we count one trial per deal if the share is 0 or 1. For any other share, we use at
    most the number of trials that we'd get if one more deal had been different.

    Args:
        of: the group of each row, from 0 to `size` - 1. There is one row for each deal of a group.
        hits: number of hits in each row, at most as many as trials. Fractions are allowed.
        trials: number of trials in each row.
        size: number of groups.
        times: how many deals with the same messages each row stands for (`DealTable.times`). Such a
            row weighs as much as they do, but it's one observation. By default, each is one deal.
    """
    times = np.ones(len(of)) if times is None else times
    rows = np.bincount(of, minlength=size)
    squares = sum_by(of, np.square(times), size)
    # This is the number of rows if all of them weigh the same.
    deals = np.square(sum_by(of, times, size)) / np.maximum(squares, 1)
    total = sum_by(of, trials, size)
    share = sum_by(of, hits, size) / np.where(total > 0, total, np.nan)
    excess = sum_by(of, np.square(hits - share[of] * trials), size)
    excess *= deals / np.maximum(deals - 1, 1)
    each = sum_by(of, trials / times, size) / np.maximum(rows, 1)
    one_more = each * np.sqrt(2 * each) * squares / np.maximum(rows, 1)
    alike = total**2 / np.maximum(one_more, 1)
    spread = share * (1 - share)
    effective = np.fmin(spread * total**2 / np.where(excess > 0, excess, np.nan), alike)
    effective = np.where(spread > 0, effective, deals)
    low, high = wilson(share, effective, t_point(deals - 1))
    return Shares(share, np.where(deals > 0, low, 0.0), np.where(deals > 0, high, 1.0))
