"""Tournaments with strong luck of the deal, simulated from known strengths.

The luck is of two kinds: luck of a *seat*, which the rotation of a deal gives to each bot once, so
that deals tell more than their matches would if they were independent; and luck of a *bot* with the
deal, such as a kingdom that suits it, which it keeps in all matches of the deal, so that they tell
less. The truth is what the estimates come to with ever more deals of the same schedule.
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
    """As if each match were a deal of its own, which it is not: for comparison."""
    index = np.arange(len(table.index))
    return rate(replace(table, bots=table.bots[table.index], index=index))


def rate_to_all(table: DealTable) -> Ratings:
    """Relative to the mean of all, and with ends that are never open: for comparison."""
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
    """The shares of intervals that hold the truth, and the mean reach of those with two ends.

    Args:
        truth: the true rating of each bot.
        bots: so many of them are looked at.
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
    """The means of what is known; nan where nothing is."""
    arrays = {what: np.array(values) for what, values in found.items()}
    return {what: _mean(values[~np.isnan(values)]) for what, values in arrays.items()}


def _reach(low: Floats, high: Floats) -> Floats:
    reach = (high - low) / 2
    return reach[np.isfinite(reach)]


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if values.size else np.nan


@dataclass(frozen=True)
class World:
    """How matches come out.

    Attributes:
        players: seats of a match.
        bots: how many, evenly spread.
        spread: from the weakest to the strongest bot, in Elo, without luck.
        hopeless: the strength of the last bot, in Elo, where the mean of the others is 0, which
            alone are looked at; None: it is one of them.
        seat_luck: standard deviation of a deal's luck of each seat, as a logit; that of a match
            is 1.3.
        bot_luck: of a deal's luck of each bot.
        side: advantage of the first seat in all deals, as a logit: that of a position.
        ties: performances closer than about this, as a logit, are a tie.
        all_orders: a deal is played in all orders of its seats, not only rotated.
        gains: how much stronger each bot is than that, in Elo; empty: none is.
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
        """How many bots are looked at."""
        return self.bots - (self.hopeless is not None)

    def schedule(self, deals: int) -> NDArray[np.int64]:
        """Line-ups in which each bot is in so many deals, against others at random."""
        random = np.random.default_rng(self.players)
        rounds = [random.permutation(self.bots) for _ in range(deals)]
        return np.concatenate(rounds).reshape(-1, self.players)

    def play(self, lineups: NDArray[np.int64], random: np.random.Generator) -> DealTable:
        """The results of a deal for each line-up."""
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
        """Who sits where in the matches of a deal."""
        if self.all_orders:
            return [list(order) for order in permutations(range(self.players))]
        return [list(np.roll(range(self.players), turn)) for turn in range(self.players)]

    def truth(self, lineups: NDArray[np.int64], deals: int = 100_000) -> DealTable:
        """What comes out of ever more deals of the same line-ups."""
        many = np.tile(lineups, (deals // len(lineups), 1))
        return self.play(many, np.random.default_rng(12345))

    def apart(self, elo: float) -> World:
        """The same with another spread, so that the expected scores of the ends say `elo`."""
        world = replace(self, spread=elo)
        for _ in range(4 if elo else 0):  # luck brings results nearer to even
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
        """The shares of intervals that hold the truth, and their mean reach, by what.

        Args:
            deals: of each bot in a tournament.
            repetitions: how many tournaments.
            beside: another way to rate; what comes of it has "other" before its name.
            endless: how many deals the truth is found by.
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
        """A Swiss tournament, paired by what came out before."""
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
    """Two bots, of whom the first took 0, 0.5, 1, 1.5 and 2 points in so many deals."""
    halves = np.repeat(np.arange(OUTCOMES), counts)
    first = np.stack([np.minimum(halves, 2), np.maximum(halves - 2, 0)], axis=1).reshape(-1)
    deals = Deals(2, 2)
    ranks = np.stack([1 + (first < 1), 1 + (first > 1)], axis=1)
    deals.extend(np.arange(len(first)) // 2, np.tile([0, 1], (len(first), 1)), ranks)
    return deals.table()


def decide(
    world: World, test: Sprt, elo: float, runs: int, sample: int = 4_000_000
) -> NDArray[np.int64]:
    """The counts that tests of two bots that differ by `elo` end with; shape (runs, 5).

    Args:
        world: its luck and its ties.
        test: what is run.
        elo: the difference that the expected score says.
        runs: how many tests.
        sample: how many deals show which strength makes the expected score right.
    """

    def leads(count: int, random: np.random.Generator) -> NDArray[np.float64]:
        """By how much equal bots are apart in the two matches of each deal; shape (2, count)."""
        bot = random.normal(0, world.bot_luck, count)
        seat = random.normal(0, world.seat_luck, count) * [[1], [-1]]
        return np.asarray(bot + seat + random.logistic(0, 1, (2, count)))

    def halves(lead: NDArray[np.float64]) -> NDArray[np.int64]:
        """Twice the first bot's points in each deal."""
        return np.sum(1 + (lead > world.ties) - (lead < -world.ties), axis=0, dtype=np.int64)

    # Luck brings results nearer to even, so that the strength must be more than `elo` says. A win
    # is 1, a tie a half: the mean of the chances to lead by more than `ties`, and than -`ties`.
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
