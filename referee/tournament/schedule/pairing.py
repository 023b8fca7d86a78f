"""Who plays whom, on which seed and in which seats: the schedule of a tournament.

A *deal* is one line-up (distinct bots, one a seat) with one seed. It is played once for each
*seating* of its line-up, so that luck is shared and every bot sits equally often in every seat.
Matches are numbered over the whole schedule: match = deal * len(seatings) + seating.

A schedule is a sequence of line-ups, one a deal, by index of the bots. It is a function of the
numbers and the seed, the same for ever; it is computed on demand, and a longer one begins with the
shorter one. The seed decides which bot is which and who follows whom round the table.

Swiss rounds depend on results: `referee.tournament.schedule.swiss`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import permutations
from math import lcm
from random import Random
from typing import Literal

from referee.errors import UsageError
from referee.match.machine import MAX_SEED
from referee.match.spec import DRAWN_SEEDS
from referee.tournament.schedule.line_ups import blocks

MAX_PLAYERS = 6

LineUp = tuple[int, ...]


def seatings(players: int, kind: Literal["rotate", "all"]) -> tuple[tuple[int, ...], ...]:
    """The orders in which a line-up is seated, the line-up's own first.

    Args:
        players: seats of a match.
        kind: each rotation, or each order.

    Returns:
        `players` or `players`! permutations: seat s has bot `line_up[seating[s]]`. Each bot is in
        each seat equally often.
    """
    if kind == "all":
        return tuple(permutations(range(players)))
    return tuple(
        tuple((first + seat) % players for seat in range(players)) for first in range(players)
    )


def deal_seed(seed: int, deal: int) -> int:
    """The seed of a deal's matches: 0 <= result < `DRAWN_SEEDS`, or < `MAX_SEED` if `seed` is long.

    It is the BLAKE2b digest of 8 bytes of the text "SEED DEAL", both in decimal, as a big-endian
    number modulo 10**9; modulo 2**53 if the tournament's seed has that many digits itself. All of
    the short ones a bot could try in a match, until one gives what it has seen.
    Two deals of a long schedule may have the same one, as if both were drawn.
    """
    seeds = DRAWN_SEEDS if seed < DRAWN_SEEDS else MAX_SEED
    return int.from_bytes(_digest(f"{seed} {deal}", 8), "big") % seeds


class LineUps(Sequence[LineUp]):
    """The line-ups of a schedule, one a deal, each computed when it is asked for.

    Args:
        deals: how many there are.
        at: the line-up of a deal, 0 <= deal < `deals`.
    """

    def __init__(self, deals: int, at: Callable[[int], LineUp]) -> None:
        self._deals = deals
        self._at = at

    def __len__(self) -> int:
        return self._deals

    def __getitem__(self, deal: int) -> LineUp:  # type: ignore[override]  # no slices
        return self._at(range(self._deals)[deal])


def round_robin(
    bots: int,
    players: int = 2,
    *,
    deals: int | None = None,
    total: int | None = None,
    seed: int = 0,
) -> LineUps:
    """Every bot meets every other equally often.

    Two players: in each cycle of bots * (bots - 1) / 2 deals every pair meets once, and after any
    deal pairs' counts differ by at most 1, and so do bots'. An even number of bots plays in rounds
    by the circle method, an odd one along Walecki's Hamiltonian cycles (that 1 can be kept for odd
    numbers: Suksompong, Scheduling asynchronous round-robin tournaments, 2016). Nobody waits longer
    than for `bots` deals.

    More players (`line_ups.py`): the schedule comes back again and again to where
    all pairs' counts are equal and all bots' are; up to `TABLE_BOTS` bots as soon as that can be.
    Bots' counts are equal after each multiple of `bots` deals with more bots than that. They cannot
    all be within 1 after every deal: of five bots in fours the first two line-ups leave out one bot
    each, and these two have not met when others have met twice. As measured for up to 40 bots in
    threes and fours, after any deal pairs' counts differ by at most 2, seldom 3, bots' by at most
    2, seldom 3 or 4; and with `deals` each pair meets so often within 1.

    Args:
        bots: at least `players`.
        players: 2 to `MAX_PLAYERS` seats of a match.
        deals: how often each pair meets: exactly for two players, else on average, rounded up to
            whole deals. Either this or `total` is given.
        total: how many deals in all.
        seed: of the whole schedule.
    """
    count = _count(deals, total, bots * (bots - 1), players * (players - 1))
    names = _shuffled(range(bots), seed, "bots")
    line_up = _lists(bots, players)[1]
    return LineUps(count, lambda deal: _seated([names[bot] for bot in line_up(deal)], seed, deal))


def gauntlet(
    bots: int,
    challengers: int,
    players: int = 2,
    *,
    deals: int | None = None,
    total: int | None = None,
    seed: int = 0,
) -> LineUps:
    """The first bots against all others: each line-up is one challenger and others.

    Challengers never meet, and with two players the others do not either. Counts of deals differ
    by at most 1 among the challengers after any deal. The others' line-ups are those of a round
    robin among themselves with a seat less; every challenger plays each of these line-ups, a round
    of them in turn with two or three players, one after the other with more. So after any deal the
    others' counts of deals differ by at most 1 with two or three players.

    Args:
        bots: challengers and others together.
        challengers: how many of the bots are challengers, at least 1.
        players: 2 to `MAX_PLAYERS` seats of a match.
        deals: how often each challenger meets each other bot: exactly for two players, else on
            average, rounded up to whole deals. Either this or `total` is given.
        total: how many deals in all.
        seed: of the whole schedule.

    Raises:
        UsageError: there are too few others.
    """
    others = bots - challengers
    if others < players - 1:
        raise UsageError(
            f"a gauntlet of {challengers} in matches of {players} needs at least "
            f"{challengers + players - 1} bots, not {bots}"
        )
    count = _count(deals, total, challengers * others, players - 1)
    first = _shuffled(range(challengers), seed, "challengers")
    rest = _shuffled(range(challengers, bots), seed, "others")
    length, line_up = _lists(others, players - 1)
    both = lcm(length, challengers)

    def at(deal: int) -> LineUp:
        # Each challenger plays each of `length` line-ups in length * challengers deals, through
        # which both go round; where they would come together again, the challengers skip one.
        cycle, place = divmod(deal, length * challengers)
        challenger = first[(place + place // both) % challengers]
        met = [rest[bot] for bot in line_up(cycle * length + place % length)]
        return _seated([challenger, *met], seed, deal)

    return LineUps(count, at)


def _lists(bots: int, size: int) -> tuple[int, Callable[[int], LineUp]]:
    """An endless, even list of line-ups, and how many of it each challenger plays in turn."""
    if size == 1:
        return bots, lambda index: (index % bots,)
    if size == 2:
        return (bots // 2, _by_rounds(bots)) if bots % 2 == 0 else (bots, _by_cycles(bots))
    return 1, blocks(bots, size)


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


def _count(deals: int | None, total: int | None, pairs: int, pairs_a_deal: int) -> int:
    """The number of deals in all."""
    if deals is not None:
        return -(-deals * pairs // pairs_a_deal)
    assert total is not None  # one of them is given
    return total


def _seated(bots: Sequence[int], seed: int, deal: int) -> LineUp:
    """In an order drawn for the deal, so that nobody always sits behind the same bot."""
    keys = _digest(f"order {seed} {deal}", 2 * len(bots))
    order = sorted(range(len(bots)), key=lambda i: keys[2 * i : 2 * i + 2])
    return tuple(bots[i] for i in order)


def _shuffled(bots: range, seed: int, stream: str) -> list[int]:
    # Python promises the sequence of Random.random for a seed across versions, and nothing else.
    rnd = Random(int.from_bytes(_digest(f"{stream} {seed}", 8), "big")).random
    return sorted(bots, key=lambda _: rnd())


def _digest(text: str, size: int) -> bytes:
    return blake2b(text.encode(), digest_size=size).digest()
