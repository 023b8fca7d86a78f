"""Ratings by Bradley and Terry, with error bars over deals. The method: spec/ratings.md.

`rate` finds the most likely ratings and their covariance. Every pair of bots in a match counts as a
game of the two; since pairs of one match, and matches of one deal, are not independent, the
covariance comes from the deals (a sandwich with the jackknife's correction), not from the
likelihood.

Why no library: choix knows neither ties nor any error but that of independent games; openskill
rates online, so that the order of matches counts, and its sigma knows no deals. scipy would give
the optimiser and two quantiles, which are `_fit` and a table in `intervals.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from referee.tournament.deals import Deals, Floats, Table, sum_by
from referee.tournament.intervals import Z, logit_reach, t_point
from referee.tournament.tallies import head_to_head

ELO = 400 / math.log(10)
"""Points of Elo in one unit of the logit scale."""

MEAN = 1500.0

PRIOR = 1.0
"""Each bot has so many drawn games against one whose rating is the mean."""

UNKNOWN = 4.0
"""Standard deviation of the offset of a group of bots that never met the others: 695 Elo."""

_CHUNK = 50_000  # deals at a time: tens of MB

Unit = Literal["deal", "match", "pair"]


@dataclass(frozen=True)
class Difference:
    """One bot's rating minus another's, with the ends of its 95% interval, in Elo."""

    elo: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of all bots, in Elo; arrays have one entry a bot, by its number.

    Attributes:
        rating: relative to the mean of all, which is 1500, or to the anchor.
        covariance: of `rating`, as the deals show it; in Elo squared, shape (bots, bots).
        least: the covariance that so few deals have at the least, however alike they were. The
            variance of a rating or a difference is the larger of the two.
        degrees: degrees of freedom of each bot's standard error, at least 1.
        anchor: the bot that the ratings are relative to, if any.
    """

    rating: Floats
    covariance: Floats
    least: Floats
    degrees: Floats
    anchor: int | None = None

    @property
    def low(self) -> Floats:
        """The lower end of each rating's 95% interval; that of an anchor is its rating."""
        return self.rating - self._reach()

    @property
    def high(self) -> Floats:
        """The upper end of each rating's 95% interval."""
        return self.rating + self._reach()

    def _reach(self) -> Floats:
        variance = np.maximum(np.diag(self.covariance), np.diag(self.least))
        degrees = self.degrees
        if self.anchor is not None:
            degrees = np.minimum(degrees, degrees[self.anchor])
        return np.asarray(ELO * logit_reach(np.sqrt(variance) / ELO, t_point(degrees)))

    def difference(self, one: int, other: int) -> Difference:
        """`one` minus `other`."""
        elo, low, high = self._only(one, other).differences()
        return Difference(float(elo[0, 1]), float(low[0, 1]), float(high[0, 1]))

    def differences(self) -> tuple[Floats, Floats, Floats]:
        """Rows minus columns: the differences, their lower and their upper ends; (bots, bots)."""
        difference = self.rating[:, None] - self.rating
        point = t_point(self.degrees)
        reach = ELO * logit_reach(self._errors() / ELO, np.maximum(point[:, None], point))
        return difference, difference - reach, difference + reach

    def superiority(self, one: int, other: int) -> float:
        """How likely `one` is better than `other`, from 0 to 1.

        It is above 0.975 exactly if the interval of the difference is above 0.
        """
        two = self._only(one, other)
        error = float(two._errors()[0, 1]) / ELO
        logit = float(two.rating[0] - two.rating[1]) / ELO
        point = float(t_point(two.degrees.min()))
        return NormalDist().cdf(2 * np.sinh(logit / 2) / error * Z / point) if error else 0.5

    def order(self) -> NDArray[np.intp]:
        """The bots, best first; equal ones by number."""
        return np.argsort(-self.rating, kind="stable")

    def _errors(self) -> Floats:
        """The standard errors of all differences, in Elo."""
        larger = np.zeros_like(self.covariance)
        for covariance in (self.covariance, self.least):
            variance = np.diag(covariance)
            np.maximum(larger, variance[:, None] + variance - 2 * covariance, out=larger)
        return np.sqrt(larger)

    def _only(self, *bots: int) -> Ratings:
        chosen = list(bots)
        cells = np.ix_(chosen, chosen)
        return Ratings(
            self.rating[chosen], self.covariance[cells], self.least[cells], self.degrees[chosen]
        )


def rate(
    deals: Deals | Table, *, anchor: tuple[int, float] | None = None, unit: Unit = "deal"
) -> Ratings:
    """Rate all bots (spec/ratings.md, 2 and 3).

    Args:
        deals: the matches.
        anchor: a bot and its rating, to which all are relative; else their mean is 1500.
        unit: what is taken as independent. "match" and "pair" are wrong, for comparison.
    """
    table = deals.table() if isinstance(deals, Deals) else deals
    if unit != "deal":
        table = table.by_match()
    points = head_to_head(table).points
    games = points + points.T
    logits = _fit(points)
    inverse = np.asarray(np.linalg.inv(_information(games, logits)), np.float64)
    if unit == "pair":
        covariance = least = inverse
        degrees = np.full(table.size, np.inf)
    else:
        chances, matches = _chances(table, logits), table.matches[:, None]
        expected: Floats = matches * chances
        variance: Floats = expected * (1 - chances)
        scores = _scores(table, table.pair_points - expected, variance, inverse)
        covariance = inverse @ _products(table, scores) @ inverse
        least = inverse @ _least(table, variance) @ inverse
        degrees = _degrees(table, variance, scores)
    group = _groups(games > 0)
    unknown = UNKNOWN**2 * (group[:, None] == group)
    return Ratings(
        rating=ELO * _relative(logits, anchor) + (MEAN if anchor is None else anchor[1]),
        covariance=ELO**2 * _relative(_relative(covariance + unknown, anchor).T, anchor),
        least=ELO**2 * _relative(_relative(least + unknown, anchor).T, anchor),
        degrees=degrees,
        anchor=None if anchor is None else anchor[0],
    )


def _relative(values: Floats, anchor: tuple[int, float] | None) -> Floats:
    """Values, or rows of values, relative to their mean or to the anchor's."""
    zero = values.mean(axis=0) if anchor is None else values[anchor[0]]
    return np.asarray(values - zero)


def _fit(points: Floats) -> Floats:
    """The logits at which `points` and the prior are most likely, by Newton's method.

    The likelihood is concave, and the prior makes its maximum finite.
    """
    games = points + points.T

    def likelihood(logits: Floats) -> float:
        pairs = points * _log_sigmoid(logits[:, None] - logits)
        return float(pairs.sum() + PRIOR / 2 * (_log_sigmoid(logits) + _log_sigmoid(-logits)).sum())

    logits = np.zeros(len(points))
    value = likelihood(logits)
    step = np.ones(1)
    while np.abs(step).max() > 1e-6:  # the next one would be its square
        expected = games * _sigmoid(logits[:, None] - logits)
        slope = (points - expected).sum(axis=1) + PRIOR * (0.5 - _sigmoid(logits))
        step = np.linalg.solve(_information(games, logits), slope)
        while (new := likelihood(logits + step)) < value - 1e-9 * abs(value):
            step /= 2
        logits, value = logits + step, new
    return logits


def _sigmoid(logit: Floats) -> Floats:
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * logit))


def _log_sigmoid(logit: Floats) -> Floats:
    return np.asarray(np.minimum(logit, 0) - np.log1p(np.exp(-np.abs(logit))))


def _information(games: Floats, logits: Floats) -> Floats:
    """Minus the second derivative of the likelihood."""
    chance = _sigmoid(logits[:, None] - logits)
    information = -games * chance * (1 - chance)
    prior = _sigmoid(logits)
    np.fill_diagonal(information, PRIOR * prior * (1 - prior) - information.sum(axis=1))
    return information


def _groups(met: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Of each bot the lowest number among those that chains of matches connect it with."""
    group = np.full(len(met), -1)
    for start in range(len(met)):
        if group[start] >= 0:
            continue
        edge = np.arange(len(met)) == start
        while edge.any():
            group[edge] = start
            edge = met[edge].any(axis=0) & (group < 0)
    return group


def _chances(table: Table, logits: Floats) -> Floats:
    """How likely the first bot of each pair beats the second; shape (deals, pairs)."""
    chances = [
        _sigmoid(logits[table.bots[:, one]] - logits[table.bots[:, other]])
        for one, other in table.pairs
    ]
    return np.stack(chances, axis=1)


def _scores(table: Table, excess: Floats, variance: Floats, inverse: Floats) -> Floats:
    """Each deal's score for each of its bots; shape (deals, N).

    It is the slope of the deal's likelihood divided by one minus the deal's leverage: `inverse`
    times it is what the ratings would lose without the deal (jackknife, CR3).

    Args:
        table: the deals.
        excess: points minus expected points of each pair of a deal; shape (deals, pairs).
        variance: of those points, were matches and pairs independent; shape (deals, pairs).
        inverse: of the information.
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


def _products(table: Table, scores: Floats) -> Floats:
    """The sum over the deals of the outer products of their scores; shape (bots, bots)."""
    size = table.size
    total = np.zeros(size * size)
    for one in range(table.players):
        for other in range(table.players):
            cells = table.bots[:, one].astype(np.int64) * size + table.bots[:, other]
            total += sum_by(cells, scores[:, one] * scores[:, other], size * size)
    return total.reshape(size, size)


def _least(table: Table, variance: Floats) -> Floats:
    """What `_products` must be at the least, however alike the deals are.

    It stands for one more deal of each bot, of another kind than those seen: further from what is
    expected than its matches would be if they were independent, by the square root of twice their
    number, and by (N + 1) / 3 for the pairs of a match, as if all ranks were equally likely. The
    last term is what a bot's first lost, or first won, points would say.
    """
    size = table.size
    deals = np.bincount(table.bots.reshape(-1), minlength=size)
    factor = np.sqrt(2 * table.matches) * (table.players + 1) / 3
    total = np.zeros(size * size)
    for pair, (one, other) in enumerate(table.pairs):
        a, b = table.bots[:, one].astype(np.int64), table.bots[:, other].astype(np.int64)
        more = (factor * variance[:, pair] + 0.4 * table.matches) / np.minimum(deals[a], deals[b])
        for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            total += sign * sum_by(i * size + j, more, size * size)
    return total.reshape(size, size)


def _degrees(table: Table, variance: Floats, scores: Floats) -> Floats:
    """Degrees of freedom of each bot's standard error: its deals less one, at least 1.

    Deals count as many as they would if all said equally much (Satterthwaite); and if few of them
    make the error, such as the only ones that a strong bot did not win, those count.
    """
    bots = table.bots.reshape(-1)

    def effective(says: Floats) -> Floats:
        total = sum_by(bots, says.reshape(-1), table.size)
        squares = sum_by(bots, (says**2).reshape(-1), table.size)
        return np.asarray(total**2 / np.where(squares > 0, squares, np.nan))

    information = np.zeros(table.bots.shape)
    for pair, columns in enumerate(table.pairs):
        information[:, columns] += variance[:, pair, None]
    # A normal variable's fourth moment is three times the square of its second.
    deals = np.fmin(effective(information), 3 * effective(scores**2))
    return np.asarray(np.fmax(deals - 1, 1))
