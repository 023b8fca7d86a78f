"""The results of a tournament as columns of numbers, from which all its statistics are computed.

A *deal* is one line-up, N distinct bots, on one seed, played in several matches: one for each
rotation, or each order, of its seats. Bots and deals are known by number here. Deals are
independent of each other; the matches of one deal share its luck and are not.

    Deals        grows, in any order of matches: 8 bytes a match of two, 16 of four
    Deals.table  the same by deal, for one computation
    joined       several tables as one
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def sum_by(cells: NDArray[np.integer], values: ArrayLike, size: int) -> Floats:
    """The sums of the values of each cell, 0 to `size` - 1."""
    # Of nothing bincount makes integers, whatever its weights are.
    return np.asarray(np.bincount(cells, np.asarray(values, np.float64), size), np.float64)


class Deals:
    """All finished matches of a tournament of so many bots; a void match is never added."""

    def __init__(self, bots: int, players: int) -> None:
        self.bots = bots
        self.players = players
        none = np.empty((0, players))
        self._parts = [(none[:, 0].astype(np.uint32), none.astype(np.int16), none.astype(np.int8))]

    def __len__(self) -> int:
        return sum(len(deal) for deal, _, _ in self._parts)

    def extend(self, deals: ArrayLike, lineups: ArrayLike, ranks: ArrayLike) -> None:
        """Add matches of the tournament, one row each.

        Args:
            deals: the numbers of their deals in the schedule.
            lineups: their bots, in seat order; those of a deal are the same in all its matches.
            ranks: their ranks, in seat order: 1 is best, equal ranks are a tie.
        """
        lineup, rank = np.asarray(lineups, np.int16), np.asarray(ranks, np.int8)
        self._parts.append((np.asarray(deals, np.uint32), lineup, rank))

    def table(self, matches: int | None = None) -> DealTable:
        """Everything so far, by deal; or only so many matches, those that were added first."""
        deal, all_lineups, all_ranks = map(np.concatenate, zip(*self._parts, strict=True))
        self._parts = [(deal, all_lineups, all_ranks)]
        deal, all_lineups, all_ranks = deal[:matches], all_lineups[:matches], all_ranks[:matches]
        order = np.argsort(deal, kind="stable")
        lineup, ranks = all_lineups[order], all_ranks[order]
        first = np.flatnonzero(np.diff(deal[order], prepend=np.int64(-1)))
        index = np.repeat(np.arange(len(first)), np.diff(first, append=len(deal)))
        seats = np.argsort(lineup, axis=1).astype(np.int8)
        lineup = np.take_along_axis(lineup, seats, axis=1)
        return DealTable(
            size=self.bots,
            numbers=deal[order][first],
            bots=lineup[first],
            index=index,
            ranks=np.take_along_axis(ranks, seats, axis=1),
            seats=seats,
        )


@dataclass(frozen=True, eq=False)
class DealTable:
    """The matches of a tournament, sorted by deal.

    In each row the bots stand in one order, not by seat, so that a column is the same bot in all
    matches of a deal.

    Attributes:
        size: how many bots the tournament has, those without a match among them.
        numbers: of each deal its number in the schedule; shape (deals,).
        bots: of each deal its N bots; shape (deals, N).
        index: of each match its row in `bots`.
        ranks: of each match the rank of each bot; shape (matches, N).
        seats: of each match the seat of each bot, from 0; shape (matches, N).
    """

    size: int
    numbers: NDArray[np.uint32]
    bots: NDArray[np.int16]
    index: NDArray[np.int64]
    ranks: NDArray[np.int8]
    seats: NDArray[np.int8]

    def renumbered(self, numbers: NDArray[np.integer], size: int) -> DealTable:
        """The same matches in a tournament of `size` bots, with this number for each bot."""
        return replace(self, size=size, bots=numbers[self.bots].astype(np.int16))

    def of(self, numbers: NDArray[np.integer]) -> DealTable:
        """The same matches in a tournament of these bots only, renumbered; others have none."""
        bots = np.searchsorted(numbers, self.bots).astype(np.int16)
        return replace(self, size=len(numbers), bots=bots)

    @property
    def players(self) -> int:
        """N, the seats of a match."""
        return int(self.bots.shape[1])

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of columns: two bots of a match each."""
        return list(combinations(range(self.players), 2))

    @cached_property
    def matches(self) -> Floats:
        """How many matches each deal has; fewer than planned where some were void."""
        return np.bincount(self.index, minlength=len(self.bots)).astype(np.float64)

    @cached_property
    def pair_points(self) -> Floats:
        """The points of the first of each pair, over a deal's matches: (deals, pairs).

        A win in a match is 1 point, a tie half of one.
        """
        points = np.empty((len(self.bots), len(self.pairs)))
        for column, (one, other) in enumerate(self.pairs):
            ahead = 0.5 + 0.5 * np.sign(self.ranks[:, other] - self.ranks[:, one])
            points[:, column] = sum_by(self.index, ahead, len(self.bots))
        return points

    @cached_property
    def points(self) -> NDArray[np.float32]:
        """A bot's points in a match, the share of the others that it beat: shape (matches, N).

        A tie counts half, so they are between 0 and 1.
        """
        points = np.zeros(self.ranks.shape, np.float32)
        for one, other in self.pairs:
            ahead = np.sign(self.ranks[:, other] - self.ranks[:, one]).astype(np.float32)
            points[:, one] += 0.5 + 0.5 * ahead
            points[:, other] += 0.5 - 0.5 * ahead
        points /= self.players - 1
        return points


def joined(tables: Sequence[DealTable]) -> DealTable:
    """The deals of several tables of the same bots as one, with numbers in this order."""
    starts = np.cumsum([0, *(len(table.bots) for table in tables[:-1])])
    return DealTable(
        size=tables[0].size,
        numbers=np.arange(sum(len(table.bots) for table in tables), dtype=np.uint32),
        bots=np.concatenate([table.bots for table in tables]),
        index=np.concatenate(
            [table.index + start for table, start in zip(tables, starts, strict=True)]
        ),
        ranks=np.concatenate([table.ranks for table in tables]),
        seats=np.concatenate([table.seats for table in tables]),
    )
