"""Counts points, wins and head-to-head results, and measures the advantage of each seat.

A match gives a bot *points*, the share of the others that it beat. A tie counts half, so points are
from 0 to 1. If a single bot is first, it has a *win*. If several bots share the first place, each
of them has a *draw*. All others have a *loss*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from referee.tournament.rating.deals import Deals, DealTable, Floats, sum_by
from referee.tournament.rating.intervals import Shares, shares_over_deals


class Tally(NamedTuple):
    """The results of each bot. Arrays have one entry per bot, by number.

    Attributes:
        deals: number of deals, where deals with the same messages count once (`DealTable.merged`).
        matches: number of matches that count.
        wins: matches in which no other bot was first.
        draws: matches in which the bot shared the first place.
        losses: all other matches.
        points: points summed over all matches.
        win_rate: wins per match, with intervals over deals.
        point_rate: points per match, with intervals over deals.
    """

    deals: NDArray[np.int64]
    matches: NDArray[np.int64]
    wins: NDArray[np.int64]
    draws: NDArray[np.int64]
    losses: NDArray[np.int64]
    points: Floats
    win_rate: Shares
    point_rate: Shares


def tally(table: DealTable) -> Tally:
    """Count the results of all bots."""
    table = table.merged()
    first = table.ranks == 1
    alone = first.sum(axis=1) == 1
    bots = table.bots.reshape(-1).astype(np.int64)

    def of_deals(results: NDArray[np.generic]) -> Floats:
        columns = [sum_by(table.index, column, len(table.bots)) for column in results.T]
        return np.stack(columns, axis=1).reshape(-1)

    played = np.repeat(table.matches, table.players)
    times = np.repeat(table.times, table.players)
    wins, points = of_deals(first & alone[:, None]), of_deals(table.points)
    draws = of_deals(first & ~alone[:, None])

    def of_bots(results: Floats) -> NDArray[np.int64]:
        return sum_by(bots, results, table.size).astype(np.int64)

    return Tally(
        deals=np.bincount(bots, minlength=table.size),
        matches=of_bots(played),
        wins=of_bots(wins),
        draws=of_bots(draws),
        losses=of_bots(played - wins - draws),
        points=sum_by(bots, points, table.size),
        win_rate=shares_over_deals(bots, wins, played, table.size, times),
        point_rate=shares_over_deals(bots, points, played, table.size, times),
    )


def tally_of(
    bots: int,
    seats: Sequence[Sequence[int]],
    results: Sequence[tuple[int, Sequence[int]]],
    messages: Sequence[int] = (),
) -> Tally:
    """Count the results of matches outside a tournament. All bots play in each match.

    Args:
        bots: number of bots.
        seats: for each match, the bot in each seat.
        results: for each match, the seed of its deal and the rank of each seat.
        messages: for each match, `MatchColumns.messages`. This can be empty if they're unknown.
    """
    deals = Deals(bots, bots)
    if results:
        deal_of = {seed: number for number, (seed, _) in enumerate(results)}
        numbers = [deal_of[seed] for seed, _ in results]
        deals.extend(numbers, seats, [ranks for _, ranks in results], messages or 0)
    return tally(deals.table())


class HeadToHead(NamedTuple):
    """Results of each bot (row) against each other bot (column); shape (bots, bots).

    Attributes:
        wins: matches in which the row's bot ranked higher.
        draws: matches in which both ranks were equal.
        points: points of the row's bot against the column's: wins plus half the draws.
    """

    matches: NDArray[np.int64]
    wins: NDArray[np.int64]
    draws: NDArray[np.int64]
    points: Floats


def head_to_head(table: DealTable) -> HeadToHead:
    """Count how often two bots met, and which ranked higher."""
    size = table.size
    bots = table.bots[table.index].astype(np.int64)
    wins, matches = np.zeros((2, size, size), np.int64)
    for pair in table.pairs:
        for one, other in (pair, pair[::-1]):
            cells = bots[:, one] * size + bots[:, other]
            before = table.ranks[:, one] < table.ranks[:, other]
            matches += np.bincount(cells, minlength=size * size).reshape(size, size)
            wins += np.bincount(cells[before], minlength=size * size).reshape(size, size)
    draws = matches - wins - wins.T
    return HeadToHead(matches, wins, draws, wins + draws / 2)


def seat_advantage(table: DealTable) -> Shares:
    """Return the points per match of each seat, with intervals over deals.

    If possible, we only use deals in which every bot had each seat equally often. If a match of a
    deal is void, the points of its seats depend more on the bots than on the seats.
    """
    table = table.merged()
    points = np.zeros(table.bots.shape)
    whole = np.ones(len(points), np.bool_)
    for column in range(table.players):
        cells = table.index * table.players + table.seats[:, column]
        points += sum_by(cells, table.points[:, column], points.size).reshape(points.shape)
        sat = np.bincount(cells, minlength=points.size).reshape(points.shape)
        whole &= (sat == sat[:, :1]).all(axis=1)
    # If there's no complete deal, incomplete deals are better than nothing.
    if not whole.any():
        whole[:] = True
    seats = np.tile(np.arange(table.players), int(whole.sum()))
    trials = np.repeat(table.matches[whole], table.players)
    times = np.repeat(table.times[whole], table.players)
    return shares_over_deals(seats, points[whole].reshape(-1), trials, table.players, times)
