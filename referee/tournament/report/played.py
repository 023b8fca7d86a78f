"""Reads the matches of a store as arrays, in one pass for all reports."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from referee.tournament.rating.deals import Deals, Floats
from referee.tournament.store import Store

_COLUMNS = {
    "match": np.int64,
    "deal": np.uint32,
    "turns": np.int64,
    "bot": np.int16,
    "rank": np.int8,
    "score": np.float64,
    "disqualified NOT NULL": np.bool_,
    "messages": np.int64,
}


class Played(NamedTuple):
    """The matches that count, in the order of the schedule.

    Attributes:
        deals: the results, as input for the ratings.
        match, turns: shape (matches,).
        bots, ranks, scores: by seat; shape (matches, N).
        is_won: True if there is one winner and no bot was disqualified; shape (matches,).
    """

    deals: Deals
    match: NDArray[np.int64]
    turns: NDArray[np.int64]
    bots: NDArray[np.int16]
    ranks: NDArray[np.int8]
    scores: Floats
    is_won: NDArray[np.bool_]


def played_of(store: Store, without: Collection[int] = ()) -> Played:
    """Read all matches that count, except matches in which one of the `without` bots played."""
    setup = store.stages[-1]
    query = (
        f"SELECT {', '.join(_COLUMNS)} FROM matches JOIN seats USING (match) WHERE NOT void "
        "ORDER BY match, seat"
    )
    seated = np.fromiter(store.select(query), [*_COLUMNS.items()]).reshape(-1, setup.players)
    if without:
        seated = seated[~np.isin(seated["bot"], [*without]).any(axis=1)]
    # We copy each column, since a view of it would keep the whole array in memory.
    match, deal, turns, bots, ranks, scores, is_out, messages = (
        seated[name].copy() for name in _COLUMNS
    )
    deals = Deals(len(setup.bots), setup.players)
    deals.extend(deal[:, 0], bots, ranks, messages[:, 0])
    is_won = ((ranks == 1).sum(axis=1) == 1) & ~is_out.any(axis=1)
    return Played(deals, match[:, 0], turns[:, 0], bots, ranks, scores, is_won)
