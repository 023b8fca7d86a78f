"""Bradley-Terry ratings with confidence intervals over deals (spec/rating-formulas.md).

`rate` computes the most likely ratings and their covariance. Every pair of bots in a match counts
as a game between the two. Pairs of one match and matches of one deal aren't independent, so we
can't get the covariance from the likelihood. We use the differences between the deals instead (a
sandwich estimator with the jackknife's correction).

No existing library fits our needs. choix doesn't model ties, and its errors are for independent
games. openskill rates online, so the order of matches matters, and its sigma ignores deals. scipy
could only replace the optimiser and two quantiles, i.e. `_fit` and a table in `intervals.py`.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from referee.tournament.rating.deals import Deals, DealTable, Floats, sum_by
from referee.tournament.rating.intervals import Z, logit_reach, t_point
from referee.tournament.rating.tallies import head_to_head

# One unit of the logit scale has this many Elo points.
ELO = 400 / math.log(10)

MEAN = 1500.0

# To keep all ratings finite, each bot gets this many draws against an opponent with the mean
# rating.
PRIOR = 1.0

# A sequential test stops at a moment when one of the bots looks good, so the usual intervals would
# be too narrow. We multiply them by this factor.
AFTER_STOPPING = 1.25

_CHUNK = 50_000  # compute this many deals at a time, which takes tens of MB


class Differences(NamedTuple):
    """All differences between two bots, the row's rating minus the column's; shape (bots, bots).

    Attributes:
        elo: the differences of the ratings.
        low, high: the ends of their 95% intervals. They are infinite if no chain of results limits
            the difference on that side.
        better: probability that the row's bot is better, from 0 to 1, or nan if no chain of results
            links the two bots. It is above 0.975 exactly if `low` is above 0.
    """

    elo: Floats
    low: Floats
    high: Floats
    better: Floats


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of all bots in Elo. Arrays have one entry per bot, by number.

    Attributes:
        rating: the ratings. They are shifted so that the anchor has its fixed rating, or the field
            a mean of 1500. A bot without matches has nan.
        covariance: covariance of `rating` estimated from the deals, in Elo squared; shape (bots,
            bots).
        least: a lower bound for `covariance`, in case all deals are alike by accident. For the
            variance of a rating or a difference, compute it from both and take the larger one.
        points: for each bot, how many standard errors its interval has on each side.
        weights: weights of the bots in the mean that `rating` is relative to. Their sum is 1.
        linked: True if a chain of results links the row's bot to the column's, so that each bot in
            the chain took points off the next one. Otherwise nothing limits how much worse the
            row's bot may be.
    """

    rating: Floats
    covariance: Floats
    least: Floats
    points: Floats
    weights: Floats
    linked: NDArray[np.bool_]

    @property
    def low(self) -> Floats:
        """Lower ends of the 95% intervals of the ratings. An open end is minus infinity."""
        is_open = ~self.linked[:, self.weights > 0].all(axis=1)
        return np.where(is_open, -np.inf, self.rating - self._reach())

    @property
    def high(self) -> Floats:
        """Upper ends of the 95% intervals of the ratings. An open end is infinity."""
        is_open = ~self.linked[self.weights > 0].all(axis=0)
        return np.where(is_open, np.inf, self.rating + self._reach())

    def _reach(self) -> Floats:
        # The mean includes the bot itself, so its rating is only this part of its difference from
        # the mean of the other bots. With two bots, that's one half.
        part = 1 - self.weights
        variance = np.maximum(np.diag(self.covariance), np.diag(self.least))
        variance = np.maximum(variance, 0)  # rounding errors can make it slightly negative
        error = np.sqrt(variance) / np.where(part > 0, part, np.inf) / ELO
        points = np.maximum(self.points, self.weights @ self.points)
        return np.asarray(ELO * part * logit_reach(error, points))

    def relative_to(self, bots: Collection[int], mean: float = MEAN) -> Ratings:
        """Return the same ratings, shifted so that the mean rating of these bots is `mean`."""
        weights = np.zeros(len(self.rating))
        weights[[*bots]] = 1 / len(bots)
        return replace(
            self,
            rating=self.rating - weights @ self.rating + mean,
            covariance=_relative(self.covariance, weights),
            least=_relative(self.least, weights),
            weights=weights,
        )

    def differences(self) -> Differences:
        """Compare each bot with every other bot."""
        elo = self.rating[:, None] - self.rating
        error = np.zeros_like(elo)
        for covariance in (self.covariance, self.least):
            variance = np.diag(covariance)
            np.maximum(error, variance[:, None] + variance - 2 * covariance, out=error)
        error = np.sqrt(error) / ELO
        points = np.maximum(self.points[:, None], self.points)
        reach = ELO * logit_reach(error, points)
        distance = 2 * np.sinh(elo / ELO / 2) / np.where(error > 0, error, np.inf)
        better = 0.5 * np.asarray(_erfc(-distance * Z / points / math.sqrt(2)), np.float64)
        return Differences(
            elo,
            np.where(self.linked, elo - reach, -np.inf),
            np.where(self.linked.T, elo + reach, np.inf),
            np.where(self.linked | self.linked.T, better, np.nan),
        )

    def order(self) -> NDArray[np.intp]:
        """Return the bots sorted by rating, best first.

        Bots with equal ratings are sorted by number. Bots without a rating come last.
        """
        return np.argsort(-self.rating, kind="stable")


def rate(
    deals: Deals | DealTable, *, anchor: tuple[int, float] | None = None, stopped: bool = False
) -> Ratings:
    """Rate all bots (spec/rating-formulas.md, 2 and 3).

    Args:
        anchor: a bot and its fixed rating. Without an anchor, the mean of the field is 1500.
        stopped: True if a sequential test determined the number of deals.
    """
    table = (deals.table() if isinstance(deals, Deals) else deals).merged()
    points = head_to_head(table).points
    games = points + points.T
    logits = _fit(points)
    inverse = np.asarray(np.linalg.inv(_information(games, logits)), np.float64)
    bots = [logits[table.bots[:, place]] for place in range(table.players)]
    chances = np.stack([_sigmoid(bots[a] - bots[b]) for a, b in table.pairs], axis=1)
    expected: Floats = table.matches[:, None] * chances
    variance: Floats = expected * (1 - chances)
    scores = _scores(table, table.pair_points - expected, variance, inverse)
    # This is the sandwich estimator. `inverse` follows from the model, but the products come from
    # the actual results of the deals.
    covariance = inverse @ _products(table, scores) @ inverse
    least = inverse @ _lower_bound(table, variance) @ inverse
    linked = _linked(points)
    rating, weights = _rating(points, logits, linked, anchor)
    return Ratings(
        rating=rating,
        covariance=ELO**2 * _relative(covariance, weights),
        least=ELO**2 * _relative(least, weights),
        points=t_point(_degrees(table, variance, scores)) * (AFTER_STOPPING if stopped else 1),
        weights=weights,
        linked=linked,
    )


def rating_alone(deals: Deals | DealTable, *, anchor: tuple[int, float] | None = None) -> Floats:
    """Return the same ratings as `rate`, but don't compute intervals. This is much faster."""
    table = deals.table() if isinstance(deals, Deals) else deals
    points = head_to_head(table).points
    return _rating(points, _fit(points), _linked(points), anchor)[0]


def _rating(
    points: Floats, logits: Floats, linked: NDArray[np.bool_], anchor: tuple[int, float] | None
) -> tuple[Floats, Floats]:
    """Return `Ratings.rating` and `Ratings.weights`."""
    bot, mean = (None, MEAN) if anchor is None else anchor
    field = _field(linked) if bot is None else np.arange(len(linked)) == bot
    weights = np.asarray(field / field.sum(), np.float64)
    # The prior also gives a rating to bots without matches. It doesn't mean anything, so we remove
    # it.
    known = (points + points.T).any(axis=1) | (weights == 1)
    return np.where(known, ELO * (logits - weights @ logits) + mean, np.nan), weights


def _relative(covariance: Floats, weights: Floats) -> Floats:
    """Return the covariance of the same values, relative to their weighted mean."""
    rows = (covariance - weights @ covariance).T
    return np.asarray(rows - weights @ rows)


def _linked(points: Floats) -> NDArray[np.bool_]:
    linked = (points > 0) | np.eye(len(points), dtype=np.bool_)
    # Each round doubles the length of the known chains, so this takes just a few rounds.
    while True:
        steps = linked.astype(np.float32)
        farther = steps @ steps > 0
        if (farther == linked).all():
            return linked
        linked = farther


def _field(linked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the bots of the field, i.e. the bots whose mean rating is 1500.

    This is the largest set in which every bot is linked to every other, because differences are
    finite only within such a set (Ford 1957). If no two bots are linked in both directions, we have
    to use all bots that have played.
    """
    both = linked & linked.T
    largest = both[np.argmax(both.sum(axis=1))]
    if largest.sum() > 1:
        return np.asarray(largest)
    met = (linked | linked.T).sum(axis=1) > 1
    return np.asarray(met | ~met.any())


_erfc = np.frompyfunc(math.erfc, 1, 1)


def _fit(points: Floats) -> Floats:
    """Find the logits that maximise the likelihood of `points` and the prior.

    Newton's method always works here, because the likelihood is concave and the prior makes its
    maximum finite.
    """
    games = points + points.T

    def likelihood(logits: Floats) -> float:
        pairs = points * _log_sigmoid(logits[:, None] - logits)
        return float(pairs.sum() + PRIOR / 2 * (_log_sigmoid(logits) + _log_sigmoid(-logits)).sum())

    logits = np.zeros(len(points))
    value = likelihood(logits)
    step = np.ones(1)
    # Convergence is quadratic. After a step of 1e-6, the next step would only be about 1e-12.
    while np.abs(step).max() > 1e-6:
        expected = games * _sigmoid(logits[:, None] - logits)
        slope = (points - expected).sum(axis=1) + PRIOR * (0.5 - _sigmoid(logits))
        step = np.linalg.solve(_information(games, logits), slope)
        # A step of Newton's method can be too long. If it makes things worse, try half of it.
        while (new := likelihood(logits + step)) < value - 1e-9 * abs(value):
            step /= 2
        logits, value = logits + step, new
    return logits


def _sigmoid(logit: Floats) -> Floats:
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * logit))


def _log_sigmoid(logit: Floats) -> Floats:
    return np.asarray(np.minimum(logit, 0) - np.log1p(np.exp(-np.abs(logit))))


def _information(games: Floats, logits: Floats) -> Floats:
    chance = _sigmoid(logits[:, None] - logits)
    information = -games * chance * (1 - chance)
    prior = _sigmoid(logits)
    np.fill_diagonal(information, PRIOR * prior * (1 - prior) - information.sum(axis=1))
    return information


def _scores(table: DealTable, excess: Floats, variance: Floats, inverse: Floats) -> Floats:
    """Return how each deal affects the ratings of its bots; shape (deals, N).

    If you multiply a score by `inverse`, you get how much this deal has changed the ratings, i.e.
    how much they'd change back without it (jackknife, CR3). The score is the gradient of the deal's
    log-likelihood, divided by 1 minus the deal's leverage.

    Args:
        excess: points minus expected points of each pair of a deal; shape (deals, pairs).
        variance: variance of these points if all matches were independent; shape (deals, pairs).
        inverse: inverse of the information.
    """
    count, players = table.bots.shape
    scores = np.empty((count, players))
    for start in range(0, count, _CHUNK):
        rows = slice(start, start + _CHUNK)
        bots = table.bots[rows].astype(np.int64)
        slope = np.zeros((len(bots), players))
        weight = np.zeros((len(bots), players, players))
        for pair, (one, other) in enumerate(table.pairs):
            slope[:, one] += excess[rows, pair]
            slope[:, other] -= excess[rows, pair]
            weight[:, one, one] += variance[rows, pair]
            weight[:, other, other] += variance[rows, pair]
            weight[:, one, other] = weight[:, other, one] = -variance[rows, pair]
        leverage = weight @ inverse[bots[:, :, None], bots[:, None, :]]
        kept = np.eye(players) - leverage
        scores[rows] = np.linalg.solve(kept, slope[:, :, None])[:, :, 0]
    return scores


def _products(table: DealTable, scores: Floats) -> Floats:
    size = table.size
    total = np.zeros(size * size)
    for one in range(table.players):
        for other in range(table.players):
            cells = table.bots[:, one].astype(np.int64) * size + table.bots[:, other]
            total += sum_by(cells, scores[:, one] * scores[:, other], size * size)
    return total.reshape(size, size)


def _lower_bound(table: DealTable, variance: Floats) -> Floats:
    """Return a lower bound for `_products`.

    If all deals end in the same way, `_products` is 0, although the ratings aren't certain at all.
    We assume that there might be one more deal per bot, with another result. Its variance is a
    guess. We take the variance of independent matches times two factors: the square root of twice
    the number of matches, and (N + 1) / 3, which is right for N bots whose ranks are all equally
    likely. The term 0.4 * matches is for the first points that a bot wins or loses, after it has
    only lost or only won.

    A deal that stands for several ones with the same messages changes the ratings as many times as
    one of them would.
    """
    size = table.size
    deals = np.bincount(table.bots.reshape(-1), minlength=size)
    matches = table.matches / table.times
    factor = np.sqrt(2 * matches) * (table.players + 1) / 3
    total = np.zeros(size * size)
    for pair, (one, other) in enumerate(table.pairs):
        a, b = table.bots[:, one].astype(np.int64), table.bots[:, other].astype(np.int64)
        more = factor * variance[:, pair] / table.times + 0.4 * matches
        more *= table.times**2 / np.minimum(deals[a], deals[b])
        for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            total += sign * sum_by(i * size + j, more, size * size)
    return total.reshape(size, size)


def _degrees(table: DealTable, variance: Floats, scores: Floats) -> Floats:
    """Return the degrees of freedom of each bot's standard error, at least 1.

    Usually this is the bot's number of deals minus 1, but deals that tell us little count less
    (Satterthwaite). If most of the error comes from a few deals, e.g. the only ones that a strong
    bot didn't win, there are hardly more degrees of freedom than these deals.
    """
    bots = table.bots.reshape(-1)

    def effective(says: Floats) -> Floats:
        total = sum_by(bots, says.reshape(-1), table.size)
        squares = sum_by(bots, (says**2).reshape(-1), table.size)
        return np.asarray(total**2 / np.where(squares > 0, squares, np.nan))

    information = np.zeros(table.bots.shape)
    for pair, columns in enumerate(table.pairs):
        information[:, columns] += variance[:, pair, None]
    # For a normal variable, the fourth moment is three times the square of the second, so equal
    # deals would give a third of their number.
    deals = np.fmin(effective(information), 3 * effective(scores**2))
    return np.asarray(np.fmax(deals - 1, 1))
