"""Simulate tournaments in which the strengths are known, and the deals bring a lot of luck.

There are two kinds of luck. The luck of a *seat* goes to every bot once, because bots take turns on
the seats of a deal. That's why a deal contains more information than the same number of independent
matches. The luck of a *bot* with a deal, e.g. with a kingdom that suits it, stays with the bot in
all matches of the deal, so these contain less. As the true values we use estimates from a very
large number of deals with the same schedule.
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
    bots, times = table.bots[table.index], table.times[table.index]
    return rate(replace(table, bots=bots, index=index, times=times))


def rate_to_all(table: DealTable) -> Ratings:
    """Rate relative to the mean of all bots, with finite intervals only, for comparison."""
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
    """Return the share of intervals with the true value, and half the mean width of finite ones.

    Args:
        truth: the true rating of each bot.
        bots: number of bots to check. Bots after these are ignored.
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
    """A model of bots, seats and luck that produces results.

    Attributes:
        players: number of seats.
        bots: number of bots, with evenly spaced strengths.
        spread: Elo difference between the strongest and the weakest bot, leaving luck aside.
        hopeless: strength of an extra last bot, in Elo relative to the mean of the others. Only the
            others are checked. None means that there is no such bot.
        seat_luck: standard deviation of a deal's luck for each seat, as a logit. The luck of a
            single match has 1.3.
        bot_luck: standard deviation of a deal's luck for each bot, as a logit.
        side: advantage of the first seat in every deal, as a logit.
        ties: bots tie if their performances differ by less than about this, as a logit.
        all_orders: True if a deal is played in every order of its seats, not only in rotations.
        gains: extra strength of each bot, in Elo. If it's empty, no bot gets any.
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
        """Return line-ups in which every bot plays this many deals against random opponents."""
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
        """Return results from a very large number of deals with these line-ups."""
        many = np.tile(lineups, (deals // len(lineups), 1))
        return self.play(many, np.random.default_rng(12345))

    def apart(self, elo: float) -> World:
        """Return this world with the spread that makes the best and the worst bot differ by `elo`.

        That's the difference which follows from their expected scores.
        """
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
        """Simulate tournaments, and return how often intervals contain the true values.

        The result also has half the mean width of ratings and differences.

        Args:
            deals: deals per bot in a tournament.
            repetitions: number of tournaments.
            beside: another rating method to compare with. The names of its results begin with
                "other".
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
    """Return made-up results of two bots.

    `counts` has the number of deals in which the first bot got 0, 0.5, 1, 1.5 and 2 points.
    """
    halves = np.repeat(np.arange(OUTCOMES), counts)
    first = np.stack([np.minimum(halves, 2), np.maximum(halves - 2, 0)], axis=1).reshape(-1)
    deals = Deals(2, 2)
    ranks = np.stack([1 + (first < 1), 1 + (first > 1)], axis=1)
    deals.extend(np.arange(len(first)) // 2, np.tile([0, 1], (len(first), 1)), ranks)
    return deals.table()


def decide(
    world: World, test: Sprt, elo: float, runs: int, sample: int = 4_000_000
) -> NDArray[np.int64]:
    """Run sequential tests between two bots that differ by `elo`.

    Args:
        world: gives the luck and the ties.
        test: the sequential test.
        elo: the difference implied by the expected score.
        runs: number of tests.
        sample: number of deals used to find the strength with this expected score.

    Returns:
        For each test, how many deals gave 0, 0.5, 1, 1.5 and 2 points when it stopped; shape
        (runs, 5).
    """

    def leads(count: int, random: np.random.Generator) -> NDArray[np.float64]:
        """Simulate the two matches of each deal between equal bots.

        Returns:
            The first bot's lead in each match, as a logit; shape (2, count).
        """
        bot = random.normal(0, world.bot_luck, count)
        seat = random.normal(0, world.seat_luck, count) * [[1], [-1]]
        return np.asarray(bot + seat + random.logistic(0, 1, (2, count)))

    def halves(lead: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.sum(1 + (lead > world.ties) - (lead < -world.ties), axis=0, dtype=np.int64)

    # Luck makes results more alike, so the strength must be larger than `elo`. A win counts 1 and a
    # tie 0.5. That makes the score the mean of two probabilities: that the lead is above `ties`,
    # and that it's above -`ties`.
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
