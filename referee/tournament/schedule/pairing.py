"""The schedule of a tournament: which bots play, with which seed and in which seats.

A *deal* is one line-up (distinct bots, one per seat) with one seed. It is played once for each
*seating* of its line-up, so that every bot has each seat equally often and all bots share the same
luck. Matches are numbered over the whole schedule: match = deal * len(seatings) + seating.

A schedule has one line-up per deal. It only depends on numbers and on the seed, which shuffles the
bots and their order around the table. Line-ups are computed when somebody needs them, and a longer
schedule always begins with the shorter one. New versions must not change any of this.

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

from referee.errors import UsageError
from referee.match.machine import MAX_SEED
from referee.match.spec import SHORT_SEEDS
from referee.tournament.schedule.format import Format, LineUp, TournamentSetup

MAX_PLAYERS = 6
MAX_LISTED = 1_000_000
"""At most so many deals of a stage can have three or more players, or seeds from a list.

We have to go through all of them, and a store can claim any number.
"""
# When we look for the best bot, each match that it has played above the minimum costs this much.
# (For comparison, the first meeting above the mean costs 4.)
_PLAYED = 2
# Each search for the best bot starts this many bots farther on. Otherwise, low numbers would win
# all ties.
_STEP = 3


def deal_seed(seed: int, deal: int) -> int:
    """Return the seed of a deal. It is at least 0 and less than 10**9, or 2**53 if `seed` is long.

    We compute the BLAKE2b digest of the text "SEED DEAL", both in decimal, and take its first 8
    bytes as a big-endian number. The seed is this number modulo the limit.

    A `seed` is long if it's 10**9 or more. The seeds of deals must then be long as well, because a
    bot could try all short seeds during a match until it finds the cards from its hand. Two deals
    in a long schedule may happen to have the same seed, just as if we chose them at random.
    """
    seeds = SHORT_SEEDS if seed < SHORT_SEEDS else MAX_SEED
    return int.from_bytes(_digest(f"{seed} {deal}", 8), "big") % seeds


class LineUps(Sequence[LineUp]):
    """The line-ups of a schedule, one per deal. `at` computes a line-up when it's needed."""

    def __init__(self, deals: int, at: Callable[[int], LineUp]) -> None:
        self._deals = deals
        self._at = at

    def __len__(self) -> int:
        return self._deals

    def __getitem__(self, deal: int) -> LineUp:  # type: ignore[override]  # no slices
        return self._at(range(self._deals)[deal])


class Repeated(LineUps):
    """The same line-ups in each deal of a round, without a list of all deals.

    A store can claim any number of deals, so memory must not depend on it.

    Attributes:
        each: the line-ups.
    """

    def __init__(self, each: Sequence[LineUp], deals: int) -> None:
        super().__init__(len(each) * deals, lambda deal: each[deal // deals])
        self.each = each


def distinct(line_ups: Sequence[LineUp]) -> list[LineUp]:
    """Return each line-up once, in order."""
    return [*dict.fromkeys(line_ups.each if isinstance(line_ups, Repeated) else line_ups)]


class Listed(Format):
    """A format with one list of line-ups. A longer list begins with the shorter one."""

    def listed(self, setup: TournamentSetup, length: TournamentSetup) -> LineUps:
        """Return the line-ups.

        Args:
            setup: determines the bots and everything else, except the number of line-ups.
            length: determines the number of line-ups.
        """
        raise NotImplementedError

    def missed_deals(self, setup: TournamentSetup, before: TournamentSetup) -> Iterator[LineUps]:
        """Yield the deals that the new bots have missed."""
        yield from ()

    def line_ups(
        self, setup: TournamentSetup, before: TournamentSetup | None, table: Any
    ) -> Iterator[Sequence[LineUp]]:
        """Yield the list of line-ups. If this is an extension, only yield the new part of it.

        An extension begins with the deals that new bots have missed.
        """
        if before is None:
            yield self.listed(setup, setup)
            return
        # If the total number of matches is given, new bots don't catch up. All bots share the
        # additional matches.
        if len(setup.bots) > len(before.bots) and before.deals is not None:
            yield from self.missed_deals(setup, before)
        played, longer = len(self.listed(setup, before)), self.listed(setup, setup)
        yield LineUps(len(longer) - played, lambda deal: longer[played + deal])


def with_numbers(line_ups: LineUps, numbers: Sequence[int]) -> LineUps:
    """Return the same line-ups, but with bot `numbers[i]` in place of bot i."""
    return LineUps(len(line_ups), lambda deal: tuple(numbers[bot] for bot in line_ups[deal]))


def balanced_list(bots: int, size: int) -> tuple[int, Callable[[int], LineUp]]:
    """Return an endless list of line-ups, as a function of the index from 0.

    Returns:
        The number of line-ups that each challenger of a gauntlet plays in a cycle, and the
        function.
    """
    if size == 1:
        return bots, lambda index: (index % bots,)
    if size == 2:
        return (bots // 2, _by_rounds(bots)) if bots % 2 == 0 else (bots, _by_cycles(bots))
    return 1, blocks(bots, size)


@cache
def blocks(bots: int, players: int) -> Callable[[int], tuple[int, ...]]:
    """Return the balanced list for three or more players, as a function of the index from 0.

    Every pair meets about equally often. We build each line-up greedily: first one of the bots with
    the fewest matches, then bots that have rarely met the bots already chosen. Bots with more
    matches than others are less likely to be chosen. Nothing is random here, so the list is always
    the same.
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
            # ldexp() gives 4 ** (meetings above the mean).
            cost += np.ldexp(1.0, 2 * (met[block[-1]] - mean))
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
    """Return all pairs of an odd number of bots, in an order that lets bots play equally often.

    We go around Walecki's Hamiltonian cycles and take every second edge, twice around each. A cycle
    zigzags from the central bot across the circle of the others and back. If we rotate it step by
    step, over half a turn, we get every edge once.
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
    """Return the total number of deals, rounded up.

    Raises:
        UsageError: a list of `blocks` would be longer than `MAX_LISTED`.
    """
    if deals is not None:
        total = -(-deals * pairs // pairs_a_deal)
    assert total is not None  # the caller gives one of the two
    if pairs_a_deal > 2 and total > MAX_LISTED:
        raise UsageError(
            f"{total:,} deals of three or more players: at most {MAX_LISTED:,} are possible"
        )
    return total


def seated(bots: Sequence[int], seed: int, deal: int) -> LineUp:
    """Return a line-up in random order, so that bots don't always have the same neighbours.

    The order depends on the seed and the deal.
    """
    keys = _digest(f"order {seed} {deal}", 2 * len(bots))
    order = sorted(range(len(bots)), key=lambda i: keys[2 * i : 2 * i + 2])
    return tuple(bots[i] for i in order)


def shuffled(bots: range, seed: int, stream: str) -> list[int]:
    """Shuffle bots. The result depends only on the seed and on the name of the stream."""
    # Random.shuffle() could give another result in another version of Python. Only Random.random()
    # is guaranteed to return the same numbers for a seed.
    rnd = Random(int.from_bytes(_digest(f"{stream} {seed}", 8), "big")).random
    return sorted(bots, key=lambda _: rnd())


def _digest(text: str, size: int) -> bytes:
    return blake2b(text.encode(), digest_size=size).digest()
