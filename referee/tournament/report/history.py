"""Computes how the ratings in a tournament have changed from match to match."""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct

from referee.tournament.rating.deals import Deals
from referee.tournament.rating.ratings import rating_alone
from referee.tournament.report.standings import Standings, rated_bots
from referee.tournament.store import Store

_STEPS = 24
# Rating many bots takes a long time, so we compute fewer steps for them. This limits the product of
# bots and steps.
_WORK = 1_000


class History(Struct, frozen=True):
    """The ratings after each of several steps.

    Attributes:
        matches: how many matches each step includes, ascending. We add them in the order of the
            schedule.
        ratings: each bot's rating after each step, by name. It's None before the bot's first match.
    """

    matches: list[int]
    ratings: dict[str, list[float | None]]


def history(
    store: Store, deals: Deals, found: Standings, anchor: tuple[int, float] | None = None
) -> History:
    """Return the history of the ratings.

    Args:
        deals: the matches that count.
        found: the standings of the same matches. They contain the ratings of the last step, so we
            don't have to compute these again.
        anchor: as for `standings`.
    """
    names = store.shown_names
    steps = max(2, min(_STEPS, _WORK // len(names)))
    # In a small tournament, several steps may end at the same match.
    at = sorted({math.ceil(len(deals) * step / steps) for step in range(1, steps + 1)} - {0})
    numbers, anchor = rated_bots(deals.table(), anchor)  # the other bots would only take time
    ratings = np.full((len(at), len(names)), np.nan)
    last = {bot.name: bot.rating for bot in found.bots}
    ratings[-1:] = [last.get(name) for name in names]
    for row, count in enumerate(at[:-1]):
        ratings[row, numbers] = rating_alone(deals.table(count).of(numbers), anchor=anchor)
    columns = ratings.T.tolist()
    return History(
        at,
        {
            name: [round(value, 2) if math.isfinite(value) else None for value in column]
            for name, column in zip(names, columns, strict=True)
        },
    )
