"""The results of a tournament as columns of numbers, from which all its statistics are computed.

A *deal* is one line-up, N distinct bots, on one seed, played in several matches: one for each
rotation, or each order, of its seats. Bots and deals are known by number here. Deals are
independent of each other; the matches of one deal share its luck and are not.

    Deals        grows match by match, in any order: 8 bytes a match of two, 16 of four
    Deals.table  the same by deal, for one computation
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

MOST_BOTS = np.iinfo(np.int16).max
_GROWTH = 1.25  # constant time a match on average, and little memory that waits


def sum_by(cells: NDArray[np.integer], values: ArrayLike, size: int) -> Floats:
    """The sums of the values of each cell, 0 to `size` - 1."""
    # Of nothing bincount makes integers, whatever its weights are.
    return np.asarray(np.bincount(cells, np.asarray(values, np.float64), size), np.float64)


class Deals:
    """All finished matches of a tournament; a void match is never added.

    Args:
        bots: how many bots the tournament has; they are numbered from 0.
        players: how many seats a match has.
    """

    def __init__(self, bots: int, players: int) -> None:
        if not 2 <= players <= bots <= MOST_BOTS:
            raise ValueError(f"{players} players a match and {bots} bots")
        self.bots = bots
        self.players = players
        self._matches = 0
        self._deal = np.empty(16, np.uint32)
        self._lineup = np.empty((16, players), np.int16)
        self._ranks = np.empty((16, players), np.int8)

    def __len__(self) -> int:
        """The number of matches."""
        return self._matches

    @property
    def nbytes(self) -> int:
        """The memory that the columns take, in bytes."""
        return self._deal.nbytes + self._lineup.nbytes + self._ranks.nbytes

    def append(self, deal: int, lineup: Sequence[int], ranks: Sequence[int]) -> None:
        """Add a match.

        Args:
            deal: the number of its deal in the schedule.
            lineup: its bots, in seat order.
            ranks: their ranks in it, in seat order: 1 is best, equal ranks are a tie.

        Raises:
            ValueError: this cannot be a match of the tournament.
        """
        self.extend([deal], [lineup], [ranks])

    def extend(self, deals: ArrayLike, lineups: ArrayLike, ranks: ArrayLike) -> None:
        """Add many matches: `append` with one row a match in each array.

        Raises:
            ValueError: one of them cannot be a match of the tournament; none is added.
        """
        deal, lineup, rank = np.asarray(deals), np.asarray(lineups), np.asarray(ranks)
        if not lineup.shape == rank.shape == (*deal.shape, self.players):
            raise ValueError(f"{deal.shape} deals, {lineup.shape} line-ups, {rank.shape} ranks")
        if len(deal) == 0:
            return
        if np.any((lineup < 0) | (lineup >= self.bots) | (rank < 1) | (rank > self.players)):
            raise ValueError(f"not bots 0 to {self.bots - 1} with ranks 1 to {self.players}")
        if np.any(np.diff(np.sort(lineup, axis=1), axis=1) == 0):
            raise ValueError("a bot has two seats in a match")
        end = self._matches + len(deal)
        self._reserve(end)
        self._deal[self._matches : end] = deal
        self._lineup[self._matches : end] = lineup
        self._ranks[self._matches : end] = rank
        self._matches = end

    def _reserve(self, matches: int) -> None:
        if matches > len(self._deal):
            room = max(matches, int(len(self._deal) * _GROWTH) + 16)
            # Not ndarray.resize: a table may still look at the columns.
            for name in ("_deal", "_lineup", "_ranks"):
                old = getattr(self, name)
                new = np.empty((room, *old.shape[1:]), old.dtype)
                new[: self._matches] = old[: self._matches]
                setattr(self, name, new)

    def table(self, matches: int | None = None) -> Table:
        """Everything so far, by deal.

        Args:
            matches: only so many, those that were added first.

        Raises:
            ValueError: two matches of one deal have different bots.
        """
        count = self._matches if matches is None else min(matches, self._matches)
        deal = self._deal[:count]
        order = np.argsort(deal, kind="stable")
        lineup, ranks = self._lineup[order], self._ranks[order]
        first = np.flatnonzero(np.diff(deal[order], prepend=np.int64(-1)))
        index = np.repeat(np.arange(len(first)), np.diff(first, append=count))
        seats = np.argsort(lineup, axis=1).astype(np.int8)
        lineup = np.take_along_axis(lineup, seats, axis=1)
        if np.any(lineup != lineup[first][index]):
            raise ValueError("two matches of one deal have different bots")
        return Table(
            size=self.bots,
            bots=lineup[first],
            index=index,
            ranks=np.take_along_axis(ranks, seats, axis=1),
            seats=seats,
        )


@dataclass(frozen=True, eq=False)
class Table:
    """The matches of a tournament, sorted by deal.

    In each row the bots stand by their number, not by seat, so that a column is the same bot in
    all matches of a deal.

    Attributes:
        size: how many bots the tournament has, those without a match among them.
        bots: of each deal its N bots; shape (deals, N).
        index: of each match its row in `bots`.
        ranks: of each match the rank of each bot; shape (matches, N).
        seats: of each match the seat of each bot, from 0; shape (matches, N).
    """

    size: int
    bots: NDArray[np.int16]
    index: NDArray[np.int64]
    ranks: NDArray[np.int8]
    seats: NDArray[np.int8]

    @property
    def players(self) -> int:
        """N, the seats of a match."""
        return int(self.bots.shape[1])

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of columns: who meets whom in a match."""
        return list(combinations(range(self.players), 2))

    @cached_property
    def matches(self) -> Floats:
        """How many matches each deal has; fewer than planned where some were void."""
        return np.bincount(self.index, minlength=len(self.bots)).astype(np.float64)

    @cached_property
    def pair_points(self) -> Floats:
        """What the first of each pair took off the second, over a deal's matches: (deals, pairs).

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
