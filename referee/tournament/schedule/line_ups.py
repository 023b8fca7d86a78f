"""Line-ups of three and more bots in which every pair meets as often as any other.

In the words of design theory a line-up is a block, and a schedule in which every pair of n bots
meets in exactly L blocks is a 2-(n, players, L) design. What stands here is an endless list of
blocks that comes back to such a design again and again and is close to one in between:

- Up to `TABLE_BOTS` bots: the blocks of the smallest design that can be, found by a search, put in
  order so that the beginnings are even as well, and repeated (`blocks`).
- More bots: they stand in a circle, and a base block is moved round it place by place. Such an
  orbit has as many blocks as there are bots, every bot is in `players` of them, and two bots meet
  as often as their distance occurs in the base block. Base blocks are chosen so that all distances
  occur equally often (`_Circle`): Bose's method of differences (Colbourn and Dinitz, Handbook of
  Combinatorial Designs, II.1 and VI.16).

The list depends on the numbers of bots and players alone: all is drawn from fixed seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from math import gcd
from random import Random

TABLE_BOTS = 12

_SEARCH_STEPS = 400_000
_WORSE = {2: 0.011, 4: 0.00012}
"""By how much a step makes things worse -> how likely a search takes it."""
_ORDERED = 1500  # blocks in all the orders that are tried

_SAMPLE = 40  # with more bots, points of a base block are drawn and not all tried
_DRAWN = 24
_TRIES = 15  # base blocks to choose from
_STEPS = 60  # ways round the circle to choose from
_CLOSING = (2, 4, 8)  # how many of the last base blocks are changed; more if fewer do not suffice
_CLOSING_STEPS = 10_000
_CLOSING_TIMES = 2  # else base blocks are chosen without end

Block = tuple[int, ...]


@cache
def blocks(bots: int, players: int) -> Callable[[int], Block]:
    """The endless list for 3 <= players <= bots: the block of an index, from 0 on."""
    if bots > TABLE_BOTS:
        return _Circle(bots, players).block
    found = _search(bots, players)
    tries = _ORDERED // len(found)
    orders = (_even_order(found, bots, Random(seed).random) for seed in range(tries))
    ordered = min(orders)[1]
    return lambda index: ordered[index % len(ordered)]


def _search(n: int, players: int) -> list[Block]:
    """The smallest 2-design, by simulated annealing.

    A step swaps two bots between two blocks, so that each stays in as many blocks as any other. It
    finds the design for every n up to `TABLE_BOTS` and up to six players, as a test shows.
    """
    inside = players * (players - 1)
    meet = next(
        times
        for times in range(1, inside + 1)
        if times * (n - 1) % (players - 1) == 0 and times * n * (n - 1) % inside == 0
    )
    rnd = Random(0).random
    found = _regular(n, players, meet * n * (n - 1) // inside, rnd)
    met = [[0] * n for _ in range(n)]
    for block in found:
        for a, b in combinations(block, 2):
            met[a][b] += 1
            met[b][a] += 1
    wrong = sum((met[a][b] - meet) ** 2 for a, b in combinations(range(n), 2))
    for _ in range(_SEARCH_STEPS):
        if not wrong:
            break
        one, other = found[int(rnd() * len(found))], found[int(rnd() * len(found))]
        i, j = int(rnd() * players), int(rnd() * players)
        x, y = one[i], other[j]
        if one is other or x in other or y in one:
            continue
        from_x = [z for z in one if z != x and z not in other]  # who meet y instead of x
        from_y = [z for z in other if z != y and z not in one]
        worse = sum(met[y][z] - met[x][z] + 1 for z in from_x)
        worse += sum(met[x][z] - met[y][z] + 1 for z in from_y)
        worse *= 2
        if worse > 0 and rnd() >= _WORSE.get(worse, 0):
            continue
        wrong += worse
        one[i], other[j] = y, x
        for old, new, others in ((x, y, from_x), (y, x, from_y)):
            for z in others:
                met[old][z] -= 1
                met[z][old] -= 1
                met[new][z] += 1
                met[z][new] += 1
    return [tuple(block) for block in found]


def _regular(n: int, players: int, count: int, rnd: Callable[[], float]) -> list[list[int]]:
    """`count` blocks, every bot in as many as any other, else at random."""
    played = [0] * n
    found = []
    for _ in range(count):
        block = sorted(range(n), key=lambda bot: (played[bot], rnd()))[:players]
        for bot in block:
            played[bot] += 1
        found.append(block)
    return found


def _even_order(
    found: Sequence[Block], n: int, rnd: Callable[[], float]
) -> tuple[tuple[int, int, int], list[Block]]:
    """The blocks in an order whose beginnings are even: greedily, chance decides between equals.

    Returns:
        How uneven it is (largest difference of two pairs' counts, of two bots', and the sum of
        both over all beginnings), and the order.
    """
    left = list(found)
    ordered: list[Block] = []
    played = [0] * n
    met = dict.fromkeys(combinations(range(n), 2), 0)
    most_met = most_played = total = 0

    def cost(block: Block) -> tuple[int, float]:
        bots = sum(played[bot] for bot in block)
        return bots + sum(met[pair] for pair in combinations(sorted(block), 2)), rnd()

    while left:
        block = min(left, key=cost)
        left.remove(block)
        ordered.append(block)
        for bot in block:
            played[bot] += 1
        for pair in combinations(sorted(block), 2):
            met[pair] += 1
        uneven_met = max(met.values()) - min(met.values())
        uneven_played = max(played) - min(played)
        most_met, most_played = max(most_met, uneven_met), max(most_played, uneven_played)
        total += uneven_met + uneven_played
    return (most_met, most_played, total), ordered


class _Circle:
    """Orbits of base blocks, chosen one after the other as they are asked for."""

    def __init__(self, bots: int, players: int) -> None:
        self._n = n = bots
        self._players = players
        self._distance = [min(d, n - d) for d in range(n)]  # of x and y: of index x - y
        self._occurs = [0] * (n // 2 + 1)  # by distance: how often such a pair meets
        self._attempts = 0
        self._closed = False
        self._base: list[list[int]] = []
        self._ways: list[tuple[int, int]] = []
        self._rnd = Random(0).random
        units = [step for step in range(1, n // 2 + 1) if gcd(step, n) == 1]
        self._units = sorted(units, key=lambda _: self._rnd())[:_STEPS]
        inside = players * (players - 1)
        meet = inside // gcd(inside, n - 1)
        if n % 2 == 0 and meet % 2:
            meet *= 2  # a pair that stands opposite is met twice in each orbit that it is in
        if n % 4 == 2 and players % 2:
            meet *= 4 // gcd(meet, 4)  # with fewer it cannot be
        self._meet = meet
        self._orbits = meet * (n - 1) // inside
        """Orbits after which every pair has met `_meet` times, and all begins anew."""

    def block(self, index: int) -> Block:
        """The block of that index, from 0 on."""
        orbit, k = divmod(index, self._n)
        while orbit >= len(self._ways) and not self._closed:
            self._extend()
        if self._closed:
            orbit %= self._orbits
        step, stride = self._ways[orbit]
        around, start = k * stride % self._n, k * stride // self._n
        shift = step * (around + start)
        return tuple((point + shift) % self._n for point in self._base[orbit])

    def _extend(self) -> None:
        """Choose one base block more, or all the last ones together."""
        left = self._orbits - len(self._base)
        count = left if 0 < left <= _CLOSING[-1] else 1
        for _ in range(count):
            block = self._choose()
            self._base.append(block)
            self._count(block, 1)
        if len(self._base) == self._orbits and self._attempts < _CLOSING_TIMES:
            self._attempts += 1
            self._closed = any(self._close(few) for few in _CLOSING)
            if not self._closed:
                self._meet *= 2
                self._orbits *= 2
        for block in self._base[-count:]:
            self._ways.append(self._way(block)[1:])

    def _met_so_far(self, block: Sequence[int]) -> int:
        return sum(self._occurs[self._distance[x - y]] for x, y in combinations(block, 2))

    def _count(self, block: Sequence[int], by: int) -> None:
        for x, y in combinations(block, 2):
            distance = self._distance[x - y]
            self._occurs[distance] += 2 * by if 2 * distance == self._n else by

    def _choose(self) -> list[int]:
        """A base block of distances that occurred least, and with an even way round the circle."""
        least = min(self._occurs[1:])
        rare = [d for d in range(1, len(self._occurs)) if self._occurs[d] == least]
        best: tuple[int, int, list[int]] | None = None
        for _ in range(_TRIES):
            cost, block = self._candidate(least, rare)
            if best is None or cost <= best[0]:
                found = cost, self._way(block)[0], block
                best = found if best is None else min(best, found)
                if best[0] == 0 and best[1] <= 2:
                    break
        assert best is not None
        return best[2]

    def _candidate(self, least: int, rare: Sequence[int]) -> tuple[int, list[int]]:
        """A block, drawn point by point, and what its distances cost: 0 if all are rare and new."""
        n, rnd, distances, occurs = self._n, self._rnd, self._distance, self._occurs
        block = [0, rare[int(rnd() * len(rare))]]
        used = [block[1]]
        total = 0
        while len(block) < self._players:
            if n <= _SAMPLE:
                points: Sequence[int] = range(n)
            else:
                near = (block[int(rnd() * len(block))] for _ in range(_DRAWN))
                points = [(x + rare[int(rnd() * len(rare))]) % n for x in near]
                points += [int(rnd() * n) for _ in range(_DRAWN // 4)]
            best: tuple[float, int, list[int]] | None = None
            for point in points:
                if point in block:
                    continue
                new = [distances[point - x] for x in block]
                cost = rnd()
                for i, d in enumerate(new):
                    again = used.count(d) + new[:i].count(d)
                    over = occurs[d] - least + again
                    if 2 * d == n:
                        over += again + 1
                    cost += over * (4 * over + 1)
                if best is None or cost < best[0]:
                    best = cost, point, new
            if best is not None:
                total += int(best[0])
                block.append(best[1])
                used += best[2]
        return total, block

    def _way(self, block: Sequence[int]) -> tuple[int, int, int]:
        """How an orbit is walked so that all its beginnings are even.

        Returns:
            The largest difference between two bots' counts of blocks; the step; the stride.
        """
        n, players = self._n, self._players
        if n % players == 0 and len({x % players for x in block}) == players:
            return 1, 1, players  # each `players`-th block: n / players of them have every bot once
        best = players + 1, 1, 1
        for unit in self._units:
            uneven = _unevenness(sorted(x * unit % n for x in block), n)
            if uneven < best[0]:
                best = uneven, pow(unit, -1, n), 1
                if uneven <= 2:
                    break
        return best

    def _close(self, few: int) -> bool:
        """Change the last few blocks so that all distances occur equally often, if that can be."""
        rnd = Random(few).random
        few = min(few, len(self._base) - len(self._ways))  # not those that were given out
        tried = [list(block) for block in self._base[-few:]]
        occurs, distances = self._occurs, self._distance
        wrong = sum((count - self._meet) ** 2 for count in occurs[1:])
        for _ in range(_CLOSING_STEPS):
            if not wrong:
                break
            block = tried[int(rnd() * few)]
            i, new = int(rnd() * self._players), int(rnd() * self._n)
            old = block[i]
            if new in block:
                continue
            before = wrong
            changes = []
            for x in block:
                if x != old:
                    changes += [(distances[old - x], -1), (distances[new - x], 1)]
            for d, by in changes:
                change = 2 * by if 2 * d == self._n else by
                wrong += change * (2 * (occurs[d] - self._meet) + change)
                occurs[d] += change
            worse = wrong - before
            if worse <= 0 or rnd() < _WORSE.get(worse, 0):
                block[i] = new
                continue
            wrong = before
            for d, by in changes:
                occurs[d] -= 2 * by if 2 * d == self._n else by
        for block in tried:
            self._count(block, -1)
        left = self._base[-few:] if wrong else tried
        del self._base[-few:]
        while left:
            block = min(left, key=self._met_so_far)
            left.remove(block)
            self._base.append(block)
            self._count(block, 1)
        return not wrong


def _unevenness(points: Sequence[int], n: int) -> int:
    """The largest difference between two bots' counts, in the beginnings of an orbit by step 1.

    After k blocks a bot has played as often as there are points among the k places behind it. So
    two stretches of one length are sought in which the numbers of points differ most.
    """
    count = len(points)
    # places[i][j]: from point i to the j-th after it
    places = [
        [(points[(i + j) % count] - points[i]) % n or n for j in range(1, count)]
        for i in range(count)
    ]
    worst = 1
    for many in range(2, count + 1):
        shortest = min(row[many - 2] for row in places) + 1  # that holds so many points
        for few in range(many - worst):
            longest = max(row[few] for row in places) - 1  # that holds no more than `few`
            if shortest <= longest:
                worst = max(worst, many - few)
                break
    return worst
