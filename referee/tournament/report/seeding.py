"""Seeds a knockout by the ratings of an earlier tournament."""

from __future__ import annotations

import math
from collections.abc import Sequence

from referee.errors import UsageError
from referee.tournament.report.standings import standings
from referee.tournament.store import Store


def seeding_by(file: str, names: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of the bots, best seed first.

    Args:
        file: the store of the earlier tournament. Bots that have no rating in it come last, in the
            order of their numbers.
        names: names of the bots, by number.

    Raises:
        UsageError: the store cannot be read, or rates none of the bots.
    """
    with Store.for_reading(file) as store:
        ratings = {bot.name: bot.rating for bot in standings(store).bots if bot.rating is not None}
    # If none of the bots has a rating there, it's probably the wrong file. Without this error, we'd
    # just seed the bots by number.
    if ratings.keys().isdisjoint(names):
        raise UsageError(f"--seeding {file}: it has no rating of a bot with one of these names")
    return tuple(sorted(range(len(names)), key=lambda bot: -ratings.get(names[bot], -math.inf)))
