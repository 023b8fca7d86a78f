"""Line-ups of three and more bots in which every pair meets about as often as any other.

Each line-up is made greedily. Its first bot is one that played least. Each further bot has met the
bots of the line-up least, and a match more than the bot that played least counts against it.
Nothing is random, so the list depends only on the numbers of bots and players.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import cache

import numpy as np

_PLAYED = 2
"""How much a match more than the least counts, where a meeting more than the mean counts 4."""
_STEP = 3
"""How far the search for the best bot begins after the place where it began before."""


@cache
def blocks(bots: int, players: int) -> Callable[[int], tuple[int, ...]]:
    """The endless list for 3 <= players <= bots: the line-up of an index, from 0 on."""
    found = array("H")
    met = np.zeros((bots, bots), np.int32)
    played = np.zeros(bots)

    def extend(index: int) -> None:
        mean = index * players * (players - 1) // (bots * (bots - 1))
        order = np.roll(np.arange(bots), index * _STEP)
        cost = _PLAYED * (played - played.min())
        block = [int(order[np.argmin(cost[order])])]
        while len(block) < players:
            cost += np.ldexp(1.0, 2 * (met[block[-1]] - mean))  # 4 ** (meetings above the mean)
            cost[block] = np.inf
            block.append(int(order[np.argmin(cost[order])]))
        played[block] += 1
        met[np.ix_(block, block)] += 1
        found.extend(block)

    def block(index: int) -> tuple[int, ...]:
        for following in range(len(found) // players, index + 1):
            extend(following)
        return tuple(found[index * players : (index + 1) * players])

    return block
