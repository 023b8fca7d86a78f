"""Pairs as many bots as possible, with Edmonds' blossom algorithm.

See his paper "Paths, trees, and flowers" (1965). We tried simpler algorithms, but they lead to more
rematches. In simulated Swiss tournaments of 3 to 60 bots, with one round less than bots, this is
how many pairs had met before:

    0.06%  with this algorithm
    1.6%   if nearest bots are paired, and the last two exchange partners with another pair
    1.6%   with the swaps used for line-ups of more than two bots (`swiss._separate`)
    6%     with backtracking, stopped after 2,000 steps

With half as many rounds as bots, only backtracking led to any rematches. The bots of a pair had
about the same difference in points with each algorithm, and a round took about the same time. We
don't use `max_weight_matching` of networkx, because it's too slow. It took 0.1 s for a round of 60
bots and 49 s for 500 bots. This module takes 0.01 s for the latter.

Note that the same round must always get the same pairs. A store contains only the matches that were
played, and we compute the schedule again when somebody continues it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence


class Matching:
    """Pairs of bots. A bot can only be in one pair.

    Args:
        allowed: returns whether two bots may be a pair.

    Attributes:
        partner: maps each bot to its partner, so each pair has two entries.
    """

    def __init__(self, allowed: Callable[[int, int], bool]) -> None:
        self.partner: dict[int, int] = {}
        self._allowed = allowed

    def single(self, bots: Iterable[int]) -> list[int]:
        """Return the bots without a partner."""
        return [bot for bot in bots if bot not in self.partner]

    def pair(self, bot: int, other: int) -> None:
        """Make two single bots a pair. This doesn't check whether it's allowed."""
        self.partner[bot], self.partner[other] = other, bot

    def pair_with_first(self, bot: int, others: Iterable[int]) -> None:
        """Pair a single bot with the first single bot in `others` that it may be paired with.

        If there isn't any, the bot stays single.
        """
        for other in others:
            if other not in self.partner and self._allowed(bot, other):
                self.pair(bot, other)
                return

    def complete(self, bots: Sequence[int]) -> None:
        """Pair as many bots as possible. Bots may change partners, but won't lose them."""
        single = self.single(bots)
        while len(single) > 1:
            _Search(single[0], bots, self.partner, self._allowed).pair_root()
            single = self.single(single[1:])


class _Search:
    """A search for an alternating path from a single bot, `root`, to another single bot.

    Along such a path, pairs that we may make alternate with pairs that we've already made. If we
    replace the existing pairs by the others, we get one pair more.

    The paths from the root form a tree. Bots that we reach by an existing pair are *outer*, and so
    is the root. We continue the search from these. Bots that we reach by a new pair are *inner*. If
    two outer bots may be a pair, that closes a circle with an odd number of bots, a *blossom*. Each
    of its bots can be reached in both directions, so all of them become outer. From then on, we
    treat a blossom as a single bot, its *base*, which is the bot nearest to the root.
    """

    def __init__(
        self,
        root: int,
        bots: Sequence[int],
        partner: dict[int, int],
        allowed: Callable[[int, int], bool],
    ) -> None:
        self._root = root
        self._bots = bots
        self._partner = partner
        self._allowed = allowed
        self._base = {bot: bot for bot in bots}
        self._outer = {root}
        self._queue = deque([root])
        # Maps each inner bot to the bot before it on the path from the root. Outer bots in a
        # blossom have entries too, for the path that reaches them in the other direction.
        self._before: dict[int, int] = {}

    def pair_root(self) -> None:
        """Give the root a partner, if there is a path. This is a breadth-first search."""
        while self._queue:
            bot = self._queue.popleft()
            for other in self._bots:
                if self._base[bot] == self._base[other] or not self._allowed(bot, other):
                    continue
                if other in self._outer:
                    self._shrink(bot, other)
                elif other not in self._partner:
                    self._exchange(bot, other)
                    return
                elif other not in self._before:
                    self._before[other] = bot
                    self._add_outer(self._partner[other])

    def _add_outer(self, bot: int) -> None:
        self._outer.add(bot)
        self._queue.append(bot)

    def _exchange(self, bot: int, end: int) -> None:
        """Make new pairs along a path, from its single bot `end` back to the root.

        Args:
            bot: the outer bot before `end`.
        """
        while bot != self._root:
            following = self._partner[bot]
            self._partner[bot], self._partner[end] = end, bot
            bot, end = self._before[following], following
        self._partner[bot], self._partner[end] = end, bot

    def _shrink(self, bot: int, other: int) -> None:
        above = set(self._bases_above(bot))
        # The paths from both bots back to the root meet here.
        base = next(each for each in self._bases_above(other) if each in above)
        circle = self._turn(bot, base, other) | self._turn(other, base, bot)
        for each in self._bots:
            if self._base[each] in circle:
                self._base[each] = base
                if each not in self._outer:
                    self._add_outer(each)

    def _bases_above(self, bot: int) -> Iterator[int]:
        """Walk from a bot back to the root, and yield the base of each outer bot."""
        base = self._base[bot]
        yield base
        while base != self._root:
            base = self._base[self._before[self._partner[base]]]
            yield base

    def _turn(self, bot: int, base: int, before: int) -> set[int]:
        """Record the paths that enter a blossom by the link from `before` to `bot`.

        This follows one side of the blossom, from the outer bot `bot` back to `base`.

        Returns:
            The bases of all bots on this side.
        """
        bases = set()
        while self._base[bot] != base:
            mate = self._partner[bot]
            bases |= {self._base[bot], self._base[mate]}
            self._before[bot] = before
            before, bot = mate, self._before[mate]
        return bases
