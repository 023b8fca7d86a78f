"""Tournaments with strong luck of the deal, simulated from known strengths.

The luck is of two kinds: luck of a *seat*, which the rotation of a deal gives to each bot once, so
that deals tell more than their matches would if they were independent; and luck of a *bot* with the
deal, such as a kingdom that suits it, which it keeps in all matches of the deal, so that they tell
less. The truth is what the estimates come to with ever more deals of the same schedule.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from referee.tournament.deals import Deals, Table
from referee.tournament.rating import ELO, Unit, rate
from referee.tournament.sprt import OUTCOMES, Sprt, expected_share
from referee.tournament.tallies import seat_advantage, tally

UNITS: tuple[Unit, ...] = ("deal", "match", "pair")


@dataclass(frozen=True)
class World:
    """How matches come out.

    Attributes:
        players: seats of a match.
        bots: how many, evenly spread.
        spread: from the weakest to the strongest bot, in Elo, without luck.
        seat_luck: standard deviation of a deal's luck of each seat, as a logit; that of a match
            is 1.3.
        bot_luck: of a deal's luck of each bot.
        ties: performances closer than about this, as a logit, are a tie.
        all_orders: a deal is played in all orders of its seats, not only rotated.
    """

    players: int
    bots: int = 8
    spread: float = 400.0
    seat_luck: float = 0.0
    bot_luck: float = 0.0
    ties: float = 0.3
    all_orders: bool = False

    def schedule(self, deals: int) -> NDArray[np.int64]:
        """Line-ups in which each bot is in so many deals, against others at random."""
        random = np.random.default_rng(self.players)
        rounds = [random.permutation(self.bots) for _ in range(deals)]
        return np.concatenate(rounds).reshape(-1, self.players)

    def play(self, lineups: NDArray[np.int64], random: np.random.Generator) -> Table:
        """The results of a deal for each line-up."""
        shape = lineups.shape
        strengths = np.linspace(self.spread / 2, -self.spread / 2, self.bots) / ELO
        seat = random.normal(0, self.seat_luck, shape)
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

    def cover(self, deals: int, repetitions: int, endless: int = 400_000) -> dict[str, float]:
        """The shares of intervals that hold the truth, and their mean reach, by unit and what.

        Args:
            deals: of each bot in a tournament.
            repetitions: how many tournaments.
            endless: how many deals the truth is found by.
        """
        lineups = self.schedule(deals)
        many = np.tile(lineups, (endless // len(lineups), 1))
        limit = self.play(many, np.random.default_rng(12345))
        truth = rate(limit).rating
        apart = truth[:, None] - truth
        points, seats = tally(limit).point_rate.share, seat_advantage(limit).share
        pairs = np.triu_indices(self.bots, 1)
        found: dict[str, float] = defaultdict(float)
        for seed in range(repetitions):
            table = self.play(lineups, np.random.default_rng([self.players, deals, seed]))
            values = {}
            for unit in UNITS:
                ratings = rate(table, unit=unit)
                _, low, high = ratings.differences()
                held = (low <= apart) & (apart <= high)
                values[unit, "ratings"] = (ratings.low <= truth) & (truth <= ratings.high)
                values[unit, "differences"] = held[pairs]
                values[unit, "ends"] = held[0, -1]
                values[unit, "reach"] = ((high - low) / 2)[pairs]
            for what, shares, true in (
                ("points", tally(table).point_rate, points),
                ("seats", seat_advantage(table), seats),
            ):
                values["deal", what] = (shares.low <= true) & (true <= shares.high)
            for (unit, what), value in values.items():
                found[f"{unit} {what}"] += float(np.mean(value)) / repetitions
        return found


def decide(
    world: World, test: Sprt, elo: float, runs: int, sample: int = 4_000_000
) -> tuple[float, float]:
    """Run tests of two bots that differ by `elo`.

    Args:
        world: its luck and its ties.
        test: what is run.
        elo: the difference that the expected score says.
        runs: how many tests.
        sample: how many deals show which strength makes the expected score right.

    Returns:
        The share that accepted H1, and the mean number of deals.
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
    low, high = -5.0, 5.0
    for _ in range(40):
        strength = (low + high) / 2
        beaten = np.searchsorted(luck, [strength - world.ties, strength + world.ties])
        share = beaten.mean() / len(luck)
        low, high = (strength, high) if share < expected_share(elo) else (low, strength)

    random = np.random.default_rng(abs(round(elo)) + 2)
    counts = np.zeros((runs, OUTCOMES))
    running = np.arange(runs)
    accepted, deals = 0, 0
    while len(running):
        deals += len(running)
        counts[running, halves(strength + leads(len(running), random))] += 1
        llr = test.llrs(counts[running])
        accepted += int(np.sum(llr >= test.bounds[1]))
        running = running[(test.bounds[0] < llr) & (llr < test.bounds[1])]
    return accepted / runs, deals / runs
