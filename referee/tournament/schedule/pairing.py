"""Who plays whom, on which seed and in which seats: the schedule of a tournament.

A *deal* is one line-up (distinct bots, one per seat) with one seed. It is played once for each
*seating* of its line-up, so that luck is shared and every bot sits equally often in every seat.
Matches are numbered over the whole schedule: match = deal * len(seatings) + seating.

A schedule is a sequence of line-ups, one a deal, by index of the bots. It is a function of the
numbers and the seed, the same for ever; it is computed on demand, and a longer one begins with the
shorter one. The seed decides which bot is which and who follows whom round the table.

Swiss rounds depend on results: `swiss.py`.
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
_PLAYED = 2
"""How much a match more than the least counts, where a meeting more than the mean counts 4."""
_STEP = 3
"""How far the search for the best bot begins after the place where it began before."""


def deal_seed(seed: int, deal: int) -> int:
    """The seed of a deal's matches: 0 <= result < `SHORT_SEEDS`, or < `MAX_SEED` if `seed` is long.

    It is the BLAKE2b digest of 8 bytes of the text "SEED DEAL", both in decimal, as a big-endian
    number modulo 10**9; modulo 2**53 if the tournament's seed has that many digits itself. All of
    the short ones a bot could try in a match, until one gives what it has seen.
    Two deals of a long schedule may have the same one, as if both were drawn.
    """
    seeds = SHORT_SEEDS if seed < SHORT_SEEDS else MAX_SEED
    return int.from_bytes(_digest(f"{seed} {deal}", 8), "big") % seeds


class LineUps(Sequence[LineUp]):
    """The line-ups of a schedule, one per deal, each computed on demand by `at`."""

    def __init__(self, deals: int, at: Callable[[int], LineUp]) -> None:
        self._deals = deals
        self._at = at

    def __len__(self) -> int:
        return self._deals

    def __getitem__(self, deal: int) -> LineUp:  # type: ignore[override]  # no slices
        return self._at(range(self._deals)[deal])


class Listed(Format):
    """A format with one list of line-ups, of which a longer one begins with the shorter one."""

    def listed(self, setup: TournamentSetup, length: TournamentSetup) -> LineUps:
        """As many line-ups as `length` has, of the bots of `setup`."""
        raise NotImplementedError

    def missed(self, setup: TournamentSetup, before: TournamentSetup) -> Iterator[LineUps]:
        """The deals that bots missed who were not there before."""
        yield from ()

    def line_ups(
        self, setup: TournamentSetup, before: TournamentSetup | None, table: Any
    ) -> Iterator[Sequence[LineUp]]:
        """The list; or what was missed, and then the rest of the list."""
        if before is None:
            yield self.listed(setup, setup)
            return
        # Matches that are added to a number of matches are of all bots.
        if len(setup.bots) > len(before.bots) and before.deals is not None:
            yield from self.missed(setup, before)
        played, longer = len(self.listed(setup, before)), self.listed(setup, setup)
        yield LineUps(len(longer) - played, lambda deal: longer[played + deal])


def renumbered(line_ups: LineUps, numbers: Sequence[int]) -> LineUps:
    """Line-ups of other numbers: `numbers` has those in the tournament."""
    return LineUps(len(line_ups), lambda deal: tuple(numbers[bot] for bot in line_ups[deal]))


def lists(bots: int, size: int) -> tuple[int, Callable[[int], LineUp]]:
    """An endless, even list of line-ups, and how many of it each challenger plays in turn."""
    if size == 1:
        return bots, lambda index: (index % bots,)
    if size == 2:
        return (bots // 2, _by_rounds(bots)) if bots % 2 == 0 else (bots, _by_cycles(bots))
    return 1, blocks(bots, size)


@cache
def blocks(bots: int, players: int) -> Callable[[int], tuple[int, ...]]:
    """The endless list for 3 <= players <= bots: the line-up of an index, from 0 on.

    Every pair meets about as often as any other. Each line-up is made greedily. Its first bot is
    one that played least. Each further bot has met the bots of the line-up least, and a match more
    than the bot that played least counts against it. Nothing is random.
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
    """The pairs of an even number of bots: one stands still, the others go round in a circle."""
    around = bots - 1

    def pair(index: int) -> LineUp:
        turn, place = divmod(index, bots // 2)
        if place == 0:
            return around, turn % around
        return (turn + place) % around, (turn - place) % around

    return pair


def _by_cycles(bots: int) -> Callable[[int], LineUp]:
    """The pairs of an odd number of bots: the edges of Walecki's cycles, first each second one.

    A cycle goes from the bot in the middle to and fro across the circle of the others and back;
    turned place by place, half-way round, it has every edge once.
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
    """The number of deals in all."""
    if deals is not None:
        return -(-deals * pairs // pairs_a_deal)
    assert total is not None  # one of them is given
    return total


def seated(bots: Sequence[int], seed: int, deal: int) -> LineUp:
    """In an order drawn for the deal, so that nobody always sits behind the same bot."""
    keys = _digest(f"order {seed} {deal}", 2 * len(bots))
    order = sorted(range(len(bots)), key=lambda i: keys[2 * i : 2 * i + 2])
    return tuple(bots[i] for i in order)


def shuffled(bots: range, seed: int, stream: str) -> list[int]:
    """The bots in an order that the seed and the stream decide."""
    # Python promises the sequence of Random.random for a seed across versions, and nothing else.
    rnd = Random(int.from_bytes(_digest(f"{stream} {seed}", 8), "big")).random
    return sorted(bots, key=lambda _: rnd())


def _digest(text: str, size: int) -> bytes:
    return blake2b(text.encode(), digest_size=size).digest()
