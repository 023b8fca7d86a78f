"""Shows how each seat does in matches that all start from one position."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from referee.tournament.rating.deals import DealTable, Floats, sum_by
from referee.tournament.rating.intervals import t_point


class SeatStanding(Struct, frozen=True):
    """The results of one seat, whichever bot had it.

    Attributes:
        wins, draws, losses: number of matches.
        score: mean score of the game.
        score_low, score_high: 95% interval of the mean. Both are None for a single deal.
    """

    wins: int
    draws: int
    losses: int
    score: float
    score_low: float | None
    score_high: float | None


def seat_standings(table: DealTable, scores: Floats) -> list[SeatStanding]:
    """Return the results of each seat, in seat order.

    The matches of a deal aren't independent, so the interval of a mean score comes from the means
    of the deals, with Student's t.

    Args:
        scores: the scores of the matches in `table`, by seat; shape (matches, N).
    """
    if not len(scores):
        return []
    table = table.merged()
    ranks = np.take_along_axis(table.ranks, np.argsort(table.seats, axis=1), axis=1)
    first = ranks == 1
    alone = first.sum(axis=1) == 1
    deals, found = len(table.bots), []
    for seat in range(table.players):
        of_seat = scores[:, seat]
        means = sum_by(table.index, of_seat, deals) / table.matches
        score, low, high = float(of_seat.mean()), None, None
        if deals > 1:
            reach = float(t_point(deals - 1) * means.std(ddof=1) / np.sqrt(deals))
            low, high = score - reach, score + reach
        wins, draws = int((first[:, seat] & alone).sum()), int((first[:, seat] & ~alone).sum())
        losses = len(scores) - wins - draws
        found.append(SeatStanding(wins, draws, losses, score, low, high))
    return found
