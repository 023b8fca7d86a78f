"""The schedule of a tournament: which bots play, with which seed and in which seats.

A *deal* is one line-up (distinct bots, one per seat) with one seed. It is played once for each
*seating* of its line-up, so that every bot has each seat equally often and all bots share the same
luck. Matches are numbered over the whole schedule: match = deal * len(seatings) + seating.

A schedule is a sequence of line-ups of bots by index, one line-up per deal. It depends only on the
numbers and the seed, and never changes between versions. Line-ups are computed on demand, and a
longer schedule begins with the shorter one. The seed determines the numbering of the bots and their
order around the table.

Swiss rounds depend on results: see `swiss.py`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from random import Random
from typing import Any

import numpy as np

from referee.match.machine import MAX_SEED
from referee.match.spec import SHORT_SEEDS
from referee.tournament.schedule.format import Format, LineUp, TournamentSetup

MAX_PLAYERS = 6
# The weight of each match above the minimum. (A meeting above the mean weighs 4.)
_PLAYED = 2
# Each search for the best bot starts this many bots away from the last start. Otherwise, low
# numbers would win all ties.
_STEP = 3


def deal_seed(seed: int, deal: int) -> int:
    """Return the seed of a deal: 0 <= result < `SHORT_SEEDS`, or < `MAX_SEED` if `seed` is long.

    The seed is the first 8 bytes of the BLAKE2b digest of the text "SEED DEAL", both in decimal, as
    a big-endian number modulo 10**9. If the tournament's seed is 10**9 or more, the modulus is
    2**53. Otherwise, a bot could try all short seeds during a match until it finds the cards from
    its hand. In a long schedule, two deals may have the same seed, just as if we had chosen them at
    random.
    """
    seeds = SHORT_SEEDS if seed < SHORT_SEEDS else MAX_SEED
    return int.from_bytes(_digest(f"{seed} {deal}", 8), "big") % seeds


class LineUps(Sequence[LineUp]):
    """The line-ups of a schedule, one per deal. Line-ups are computed on demand by `at`."""

    def __init__(self, deals: int, at: Callable[[int], LineUp]) -> None:
        self._deals = deals
        self._at = at

    def __len__(self) -> int:
        return self._deals

    def __getitem__(self, deal: int) -> LineUp:  # type: ignore[override]  # no slices
        return self._at(range(self._deals)[deal])


class Listed(Format):
    """A format with one list of line-ups. A longer list begins with the shorter one."""

    def listed(self, setup: TournamentSetup, length: TournamentSetup) -> LineUps:
        """Return line-ups of the bots of `setup`. The setup `length` determines how many."""
        raise NotImplementedError

    def missed_deals(self, setup: TournamentSetup, before: TournamentSetup) -> Iterator[LineUps]:
        """Yield the deals that new bots missed."""
        yield from ()

    def line_ups(
        self, setup: TournamentSetup, before: TournamentSetup | None, table: Any
    ) -> Iterator[Sequence[LineUp]]:
        """Yield the whole list. For an extension, yield missed deals, then the rest of the list."""
        if before is None:
            yield self.listed(setup, setup)
            return
        # If a total number of matches is extended, all bots share the additional matches.
        if len(setup.bots) > len(before.bots) and before.deals is not None:
            yield from self.missed_deals(setup, before)
        played, longer = len(self.listed(setup, before)), self.listed(setup, setup)
        yield LineUps(len(longer) - played, lambda deal: longer[played + deal])


def with_numbers(line_ups: LineUps, numbers: Sequence[int]) -> LineUps:
    """Replace the indices in line-ups by the numbers of the bots: index -> `numbers[index]`."""
    return LineUps(len(line_ups), lambda deal: tuple(numbers[bot] for bot in line_ups[deal]))


def balanced_list(bots: int, size: int) -> tuple[int, Callable[[int], LineUp]]:
    """Return an endless, balanced list of line-ups, and how many a challenger plays per turn."""
    if size == 1:
        return bots, lambda index: (index % bots,)
    if size == 2:
        return (bots // 2, _by_rounds(bots)) if bots % 2 == 0 else (bots, _by_cycles(bots))
    return 1, blocks(bots, size)


@cache
def blocks(bots: int, players: int) -> Callable[[int], tuple[int, ...]]:
    """Return the endless list for 3 <= players <= bots, as a function of the index from 0.

    Every pair meets about equally often. We build each line-up greedily. Its first bot is one of
    the bots that have played least. Each further bot is one that has met the bots of the line-up
    least, with a penalty for each match that it has played above the minimum. We don't use random
    numbers here, so the list is always the same.
    """
    found = array("H")
    met = np.zeros((bots, bots), np.int32)
    played = np.zeros(bots)

    def extend(index: int) -> None:
        mean = index * players * (players - 1) // (bots * (bots - 1))
        order = np.roll(np.arange(bots), index * _STEP)
        cost = _PLAYED * (played - np.min(played))
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


def _by_rounds(bots: int) -> Callable[[int], LineUp]:
    around = bots - 1

    def pair(index: int) -> LineUp:
        turn, place = divmod(index, bots // 2)
        if place == 0:
            return around, turn % around
        return (turn + place) % around, (turn - place) % around

    return pair


def _by_cycles(bots: int) -> Callable[[int], LineUp]:
    """Return the pairs of an odd number of bots: every second edge of Walecki's cycles first.

    A cycle zigzags from the central bot across the circle of the others and back. If we rotate it
    by one place at a time, over half a turn, we get every edge once.
    """
    around = bots - 1

    def at(place: int, turn: int) -> int:
        if place in (0, bots):
            return around
        return (turn + (place // 2 if place % 2 == 0 else -(place // 2))) % around

    def pair(index: int) -> LineUp:
        turn, place = divmod(index, bots)
        edge = 2 * place % bots
        turn %= around // 2
        return at(edge, turn), at(edge + 1, turn)

    return pair


def deals_in_all(deals: int | None, total: int | None, pairs: int, pairs_a_deal: int) -> int:
    """Return the total number of deals."""
    if deals is not None:
        return -(-deals * pairs // pairs_a_deal)
    assert total is not None  # one of the two is given
    return total


def seated(bots: Sequence[int], seed: int, deal: int) -> LineUp:
    """Return bots in an order that's random for each deal, so that the neighbours of a bot vary."""
    keys = _digest(f"order {seed} {deal}", 2 * len(bots))
    order = sorted(range(len(bots)), key=lambda i: keys[2 * i : 2 * i + 2])
    return tuple(bots[i] for i in order)


def shuffled(bots: range, seed: int, stream: str) -> list[int]:
    """Return bots in an order which the seed and the stream determine."""
    # We can't use Random.shuffle() here. Across versions, Python only guarantees the sequence of
    # Random.random() for a seed.
    rnd = Random(int.from_bytes(_digest(f"{stream} {seed}", 8), "big")).random
    return sorted(bots, key=lambda _: rnd())


def _digest(text: str, size: int) -> bytes:
    return blake2b(text.encode(), digest_size=size).digest()
