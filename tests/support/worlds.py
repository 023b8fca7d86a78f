"""Simulate tournaments with known strengths and strong luck of the deal.

There are two kinds of luck. Luck of a *seat* goes to each bot once, because the seats of a deal
rotate, so deals contain more information than independent matches would. Luck of a *bot* with the
deal, e.g. a kingdom that suits it, stays with it in all matches of the deal, so there they contain
less. The true value is the limit of the estimates for many deals of the same schedule.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.tournament.rating.deals import Deals, DealTable, Floats, joined
from referee.tournament.rating.ratings import ELO, Ratings, rate
from referee.tournament.rating.sprt import OUTCOMES, Sprt, expected_share
from referee.tournament.rating.tallies import head_to_head, seat_advantage, tally
from referee.tournament.schedule.swiss import swiss_round


def rate_by_match(table: DealTable) -> Ratings:
    """Rate as if each match were a separate deal. That's wrong, and we show by how much."""
    index = np.arange(len(table.index))
    return rate(replace(table, bots=table.bots[table.index], index=index))


def rate_to_all(table: DealTable) -> Ratings:
    """Rate relative to the mean of all, and without open intervals, for comparison."""
    ratings, centred = rate(table), np.eye(table.size) - 1 / table.size
    return replace(
        ratings,
        rating=centred @ ratings.rating + 1500,
        covariance=centred @ ratings.covariance @ centred,
        least=centred @ ratings.least @ centred,
        weights=np.full(table.size, 1 / table.size),
        linked=np.ones_like(ratings.linked),
    )


def held(ratings: Ratings, truth: Floats, bots: int) -> dict[str, float]:
    """Return the coverage of intervals, and the mean width of those with two ends.

    Args:
        truth: the true rating of each bot.
        bots: number of bots that count.
    """
    pairs = np.triu_indices(bots, 1)
    apart = (truth[:, None] - truth)[pairs]
    differences = ratings.differences()
    low, high = differences.low[pairs], differences.high[pairs]
    one_by_one = (truth - ratings.weights @ truth + 1500)[:bots]
    bottom, top = ratings.low[:bots], ratings.high[:bots]
    return {
        "ratings": _mean((bottom <= one_by_one) & (one_by_one <= top)),
        "differences": _mean((low <= apart) & (apart <= high)),
        "reach": _mean(_reach(low, high)),
        "rating reach": _mean(_reach(bottom, top)),
        "open": _mean(np.isinf(high - low)),
    }


def means(found: Mapping[str, Sequence[float]]) -> dict[str, float]:
    arrays = {what: np.array(values) for what, values in found.items()}
    return {what: _mean(values[~np.isnan(values)]) for what, values in arrays.items()}


def _reach(low: Floats, high: Floats) -> Floats:
    reach = (high - low) / 2
    return reach[np.isfinite(reach)]


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if values.size else np.nan


@dataclass(frozen=True)
class World:
    """The distribution of results.

    Attributes:
        players: number of seats.
        bots: number of bots, with evenly spaced strengths.
        spread: difference of the strongest and the weakest bot, in Elo, without luck.
        hopeless: strength of an extra last bot, in Elo, relative to the mean of the others, which
            alone count; None: there is no such bot.
        seat_luck: standard deviation of a deal's luck of each seat, as a logit; a match has 1.3.
        bot_luck: standard deviation of a deal's luck of each bot.
        side: advantage of the first seat in all deals, as a logit, for example in a position.
        ties: performances with about this difference, as a logit, are a tie.
        all_orders: True if a deal is played in all orders of its seats, not only rotated.
        gains: additional strength of each bot, in Elo; empty: none.
    """

    players: int
    bots: int = 8
    spread: float = 400.0
    seat_luck: float = 0.0
    bot_luck: float = 0.0
    ties: float = 0.3
    all_orders: bool = False
    hopeless: float | None = None
    side: float = 0.0
    gains: tuple[float, ...] = ()

    @property
    def alike(self) -> int:
        return self.bots - (self.hopeless is not None)

    def schedule(self, deals: int) -> NDArray[np.int64]:
        """Return line-ups in which each bot plays this number of deals, against random others."""
        random = np.random.default_rng(self.players)
        rounds = [random.permutation(self.bots) for _ in range(deals)]
        return np.concatenate(rounds).reshape(-1, self.players)

    def play(self, lineups: NDArray[np.int64], random: np.random.Generator) -> DealTable:
        shape = lineups.shape
        strengths = np.linspace(self.spread / 2, -self.spread / 2, self.alike) / ELO
        if self.hopeless is not None:
            strengths = np.append(strengths, self.hopeless / ELO)
        if self.gains:
            strengths = strengths + np.array(self.gains) / ELO
        seat = random.normal(0, self.seat_luck, shape)
        seat[:, 0] += self.side
        bot = strengths[lineups] + random.normal(0, self.bot_luck, shape)
        deals = Deals(self.bots, self.players)
        for order in self.orders():
            shown = np.round((bot[:, order] + seat + random.gumbel(0, 1, shape)) / self.ties)
            ranks = 1 + (shown[:, None, :] > shown[:, :, None]).sum(axis=2)
            deals.extend(np.arange(len(lineups)), lineups[:, order], ranks)
        return deals.table()

    def orders(self) -> list[list[int]]:
        if self.all_orders:
            return [list(order) for order in permutations(range(self.players))]
        return [list(np.roll(range(self.players), turn)) for turn in range(self.players)]

    def truth(self, lineups: NDArray[np.int64], deals: int = 100_000) -> DealTable:
        """Return the expected results of the same line-ups, from many deals."""
        many = np.tile(lineups, (deals // len(lineups), 1))
        return self.play(many, np.random.default_rng(12345))

    def apart(self, elo: float) -> World:
        """Return the world with another spread, so that the ends' expected scores imply `elo`."""
        world = replace(self, spread=elo)
        for _ in range(4 if elo else 0):  # luck makes results more alike, so we have to iterate
            rating = rate(world.truth(world.schedule(1))).rating
            world = replace(world, spread=world.spread * elo / (rating[0] - rating[-1]))
        return world

    def cover(
        self,
        deals: int,
        repetitions: int,
        beside: Callable[[DealTable], Ratings] | None = None,
        endless: int = 100_000,
    ) -> dict[str, float]:
        """Return the coverage and the mean width of intervals, by kind.

        Args:
            deals: deals per bot in a tournament.
            repetitions: number of tournaments.
            beside: another way to rate; the names of its results begin with "other".
            endless: number of deals for the true values.
        """
        lineups, alike = self.schedule(deals), self.alike
        limit = self.truth(lineups, endless)
        truth = rate(limit).rating
        points, seats = tally(limit).point_rate.share, seat_advantage(limit).share
        found: dict[str, list[float]] = defaultdict(list)
        for seed in range(repetitions):
            table = self.play(lineups, np.random.default_rng([self.players, deals, seed]))
            ratings = rate(table)
            values = held(ratings, truth, alike)
            values["left out"] = float(ratings.weights[-1] == 0)
            if beside is not None:
                other = held(beside(table), truth, alike)
                values |= {f"other {what}": value for what, value in other.items()}
            for what, shares, true in (
                ("points", tally(table).point_rate, points),
                ("seats", seat_advantage(table), seats),
            ):
                values[what] = _mean((shares.low <= true) & (true <= shares.high))
            for what, value in values.items():
                found[what].append(value)
        return means(found)

    def swiss(self, rounds: int, deals: int, random: np.random.Generator) -> DealTable:
        points, byes = np.zeros(self.bots), [0] * self.bots
        met: Counter[tuple[int, int]] = Counter()
        tables = []
        for number in range(rounds):
            made = swiss_round(points.tolist(), met, byes, self.players, round=number)
            tables.append(self.play(np.repeat(made.line_ups, deals, axis=0), random))
            won = head_to_head(tables[-1]).points
            ahead = 0.5 + 0.5 * np.sign(won - won.T)
            for line_up in made.line_ups:
                for bot in line_up:
                    others = [other for other in line_up if other != bot]
                    points[bot] += ahead[bot, others].mean()
                met.update(combinations(sorted(line_up), 2))
            for bot in made.byes:
                byes[bot] += 1
                points[bot] += 1
        return joined(tables)


def duel(counts: Sequence[int]) -> DealTable:
    """Return the results of two bots: the deals with 0, 0.5, 1, 1.5 and 2 points."""
    halves = np.repeat(np.arange(OUTCOMES), counts)
    first = np.stack([np.minimum(halves, 2), np.maximum(halves - 2, 0)], axis=1).reshape(-1)
    deals = Deals(2, 2)
    ranks = np.stack([1 + (first < 1), 1 + (first > 1)], axis=1)
    deals.extend(np.arange(len(first)) // 2, np.tile([0, 1], (len(first), 1)), ranks)
    return deals.table()


def decide(
    world: World, test: Sprt, elo: float, runs: int, sample: int = 4_000_000
) -> NDArray[np.int64]:
    """Return the final counts of tests between two bots that differ by `elo`; shape (runs, 5).

    Args:
        world: its luck and its ties.
        test: the sequential test.
        elo: the difference implied by the expected score.
        runs: number of tests.
        sample: number of deals for finding the strength with this expected score.
    """

    def leads(count: int, random: np.random.Generator) -> NDArray[np.float64]:
        """Return a bot's lead over an equal one in both matches of each deal; shape (2, count)."""
        bot = random.normal(0, world.bot_luck, count)
        seat = random.normal(0, world.seat_luck, count) * [[1], [-1]]
        return np.asarray(bot + seat + random.logistic(0, 1, (2, count)))

    def halves(lead: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.sum(1 + (lead > world.ties) - (lead < -world.ties), axis=0, dtype=np.int64)

    # Luck makes results more alike, so the strength must be larger than `elo`. A win is 1 and a tie
    # 0.5, so this is the mean of the probabilities of leads above `ties` and above -`ties`.
    luck = np.ravel(leads(sample // 4, np.random.default_rng(1)))
    luck = np.sort(np.concatenate([luck, -luck]))
    low, high = -20.0, 20.0
    for _ in range(40):
        strength = (low + high) / 2
        beaten = np.searchsorted(luck, [strength - world.ties, strength + world.ties])
        share = beaten.mean() / len(luck)
        low, high = (strength, high) if share < expected_share(elo) else (low, strength)

    random = np.random.default_rng(abs(round(elo)) + 2)
    counts = np.zeros((runs, OUTCOMES), np.int64)
    running = np.arange(runs)
    while len(running):
        counts[running, halves(strength + leads(len(running), random))] += 1
        llr = test.llrs(counts[running])
        running = running[(test.bounds[0] < llr) & (llr < test.bounds[1])]
    return counts
