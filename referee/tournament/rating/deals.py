"""Stores a tournament's results as numpy arrays, from which we compute all statistics.

A *deal* is one line-up of N distinct bots with one seed, played in several matches: one for each
rotation, or each order, of its seats. Bots and deals are identified by numbers here. Deals are
independent of each other. The matches of one deal are not, because they share its luck.

    Deals        collects matches in any order; needs 18 bytes per match of two bots, 24 of four
    DealTable    the same matches sorted by deal, for one computation
    joined       combines several tables
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
    """Add up the values that have the same cell. Cells are numbered from 0 to `size` - 1."""
    # If the input is empty, bincount returns integers even though it has weights.
    return np.asarray(np.bincount(cells, np.asarray(values, np.float64), size), np.float64)


class Deals:
    """Collects the matches of a tournament that count.

    Args:
        bots: number of bots in the tournament.
        players: number of seats per match.
    """

    def __init__(self, bots: int, players: int) -> None:
        self.bots = bots
        self.players = players
        none = np.empty((0, players))
        number = none[:, 0]
        self._parts = [
            (
                number.astype(np.uint32),
                none.astype(np.int16),
                none.astype(np.int8),
                number.astype(np.int64),
            )
        ]

    def __len__(self) -> int:
        return sum(len(deal) for deal, *_ in self._parts)

    def extend(
        self, deals: ArrayLike, lineups: ArrayLike, ranks: ArrayLike, messages: ArrayLike = 0
    ) -> None:
        """Add matches of the tournament. Each argument has one row per match.

        Args:
            deals: the number of the match's deal in the schedule.
            lineups: the bots in seat order. All matches of a deal must have the same bots.
            ranks: the ranks in seat order. 1 is best; equal ranks are a tie.
            messages: `MatchColumns.messages` of the match. It's 0 if we don't know it.
        """
        deal, lineup = np.asarray(deals, np.uint32), np.asarray(lineups, np.int16)
        same = np.broadcast_to(np.asarray(messages, np.int64), deal.shape)
        self._parts.append((deal, lineup, np.asarray(ranks, np.int8), same))

    def table(self, matches: int | None = None) -> DealTable:
        """Return a table of the first `matches` matches that were added, by default all of them."""
        deal, all_lineups, all_ranks, messages = map(np.concatenate, zip(*self._parts, strict=True))
        # The next table can reuse the concatenated arrays.
        self._parts = [(deal, all_lineups, all_ranks, messages)]
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
            messages=messages[:matches][order],
            times=np.ones(len(first)),
        )


@dataclass(frozen=True, eq=False)
class DealTable:
    """The matches of a tournament, sorted by deal.

    The bots of a row are in a fixed order and not in seat order. A column then has the same bot in
    all matches of a deal, so we can simply add these matches up.

    Attributes:
        size: number of bots in the tournament, including bots without matches.
        numbers: number of each deal in the schedule; shape (deals,).
        bots: the N bots of each deal; shape (deals, N).
        index: row in `bots` of each match; shape (matches,).
        ranks: rank of each bot in each match; shape (matches, N).
        seats: seat of each bot in each match, from 0; shape (matches, N).
        messages: a number that's equal for matches with the same messages, or 0 if we don't know
            it; shape (matches,).
        times: how many deals of the schedule each deal consists of. It's 1, unless the table is
            `merged`; shape (deals,).
    """

    size: int
    numbers: NDArray[np.uint32]
    bots: NDArray[np.int16]
    index: NDArray[np.int64]
    ranks: NDArray[np.int8]
    seats: NDArray[np.int8]
    messages: NDArray[np.int64]
    times: Floats

    def renumbered(self, numbers: NDArray[np.integer], size: int) -> DealTable:
        """Return the same matches in a tournament of `size` bots, where bot i is `numbers[i]`."""
        return replace(self, size=size, bots=numbers[self.bots].astype(np.int16))

    def of(self, numbers: NDArray[np.integer]) -> DealTable:
        """Keep only these bots, and number them from 0. No other bot may have matches."""
        bots = np.searchsorted(numbers, self.bots).astype(np.int16)
        return replace(self, size=len(numbers), bots=bots)

    def merged(self) -> DealTable:
        """Merge the deals of each line-up that plays the same matches in all of its deals.

        Deals with the same messages say no more than one of them, so they are one deal for an
        interval. If a single match of a line-up differs from another one with the same seats, then
        bots or luck vary, and all deals of the line-up stay independent observations.
        """
        known = self.messages[self.messages > 0]
        if len(np.unique(known)) == len(known):  # a shortcut for the most common case
            return self
        seated = np.column_stack((self._lineup[self.index], self.seats))
        _, first, seating = np.unique(seated, axis=0, return_index=True, return_inverse=True)
        is_same = self.messages == self.messages[first][seating.reshape(-1)]
        varies = np.zeros(len(self.bots), np.bool_)
        varies[self._lineup[self.index[~is_same | (self.messages == 0)]]] = True
        _, first_deal = np.unique(self._lineup, return_index=True)
        deal = np.where(varies[self._lineup], np.arange(len(self.bots)), first_deal[self._lineup])
        kept, place = np.unique(deal, return_inverse=True)
        return replace(
            self,
            numbers=self.numbers[kept],
            bots=self.bots[kept],
            index=place[self.index],
            times=sum_by(place, self.times, len(kept)),
        )

    def repeats(self) -> list[tuple[tuple[int, ...], int, int]]:
        """Count the different matches of each line-up in which fewer than half are different.

        Returns:
            Tuples of the bots of a line-up, its matches, and how many of them have different
            messages. A match whose messages we don't know is different from all others.
        """
        lineup, is_known = self._lineup[self.index], self.messages > 0
        pairs = np.column_stack((lineup, self.messages))
        each = [np.unique(pairs[is_known], axis=0)[:, 0], lineup[~is_known]]
        different = np.bincount(np.concatenate(each), minlength=len(self.bots))
        matches = np.bincount(lineup, minlength=len(self.bots))
        _, first_deal = np.unique(self._lineup, return_index=True)
        return [
            (tuple(self.bots[first_deal[at]].tolist()), int(matches[at]), int(different[at]))
            for at in np.flatnonzero(2 * different < matches)
        ]

    @cached_property
    def _lineup(self) -> NDArray[np.int64]:
        """A number from 0 for the line-up of each deal; shape (deals,)."""
        return np.unique(self.bots, axis=0, return_inverse=True)[1].reshape(-1)

    @property
    def players(self) -> int:
        """Number of seats, N."""
        return int(self.bots.shape[1])

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of columns of `bots`, i.e. all pairs of bots that meet in a match."""
        return list(combinations(range(self.players), 2))

    @cached_property
    def matches(self) -> Floats:
        """Number of matches of each deal that count; shape (deals,)."""
        return np.bincount(self.index, minlength=len(self.bots)).astype(np.float64)

    @cached_property
    def pair_points(self) -> Floats:
        """Points of the first bot of each pair, summed over each deal; shape (deals, pairs).

        A win gives 1 point, a tie half a point.
        """
        points = np.empty((len(self.bots), len(self.pairs)))
        for column, (one, other) in enumerate(self.pairs):
            ahead = 0.5 + 0.5 * np.sign(self.ranks[:, other] - self.ranks[:, one])
            points[:, column] = sum_by(self.index, ahead, len(self.bots))
        return points

    @cached_property
    def points(self) -> NDArray[np.float32]:
        """Points of each bot in each match; shape (matches, N).

        A bot's points are the share of the other bots that it beat, from 0 to 1. A tie counts half.
        """
        points = np.zeros(self.ranks.shape, np.float32)
        for one, other in self.pairs:
            ahead = np.sign(self.ranks[:, other] - self.ranks[:, one]).astype(np.float32)
            points[:, one] += 0.5 + 0.5 * ahead
            points[:, other] += 0.5 - 0.5 * ahead
        points /= self.players - 1
        return points


def joined(tables: Sequence[DealTable]) -> DealTable:
    """Combine tables that number the bots in the same way. Deals get new numbers."""
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
        messages=np.concatenate([table.messages for table in tables]),
        times=np.concatenate([table.times for table in tables]),
    )
