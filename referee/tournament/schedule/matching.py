"""Maximum matching of bots with Edmonds' blossom algorithm.

See his paper "Paths, trees, and flowers" (1965). We tried simpler algorithms, but they repeat more
pairs. In simulated tournaments of 3 to 60 bots, with one round less than bots, this fraction of the
pairs was repeated:

    0.06%  with this algorithm
    1.6%   pairing nearest bots, and exchanging the partners of one pair if two bots are left
    1.6%   with the swaps used for line-ups of more than two bots (`swiss._separate`)
    6%     with backtracking, stopped after 2,000 steps

(With half as many rounds as bots, only backtracking repeated any pairs. The differences between the
points of a pair were about the same, and so was the time for a round.) We don't use
`max_weight_matching` of networkx, because it took 0.1 s for a round of 60 bots and 49 s for a round
of 500 bots, for which this module takes 0.01 s.

Note that the same round must always get the same pairs. A store contains only the matches that were
played, and we compute the schedule again when somebody continues it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence


class Matching:
    """Pairs of bots. Each bot has at most one partner.

    Args:
        allowed: whether two bots may be a pair.

    Attributes:
        partner: bot -> its partner, in both directions.
    """

    def __init__(self, allowed: Callable[[int, int], bool]) -> None:
        self.partner: dict[int, int] = {}
        self._allowed = allowed

    def single(self, bots: Iterable[int]) -> list[int]:
        """Return the bots without a partner."""
        return [bot for bot in bots if bot not in self.partner]

    def pair(self, bot: int, other: int) -> None:
        """Make two single bots a pair, even if this pair is not allowed."""
        self.partner[bot], self.partner[other] = other, bot

    def pair_with_first(self, bot: int, others: Iterable[int]) -> None:
        """Pair a single bot with the first of the others that is single and allowed, if any."""
        for other in others:
            if other not in self.partner and self._allowed(bot, other):
                self.pair(bot, other)
                return

    def complete(self, bots: Sequence[int]) -> None:
        """Pair as many bots as possible. A bot with a partner keeps one, maybe a different one."""
        single = self.single(bots)
        while len(single) > 1:
            _Search(single[0], bots, self.partner, self._allowed).pair_root()
            single = self.single(single[1:])


class _Search:
    """A search for a path from one single bot, `root`, to another single bot.

    The links of a path alternate between a pair that is allowed and a pair that exists. If we
    replace the existing pairs of a path by its allowed pairs, we have one pair more.

    The paths form a tree. Its *outer* bots are the root and the bots that we reach by an existing
    pair. The search continues from these bots. Its *inner* bots are reached by an allowed pair. If
    two outer bots may be a pair, they close an odd circle, a *blossom*. Each bot in a blossom can
    be reached in both directions, so all of them become outer. From then on, we treat the blossom
    as one bot, its *base*, which is the bot nearest to the root.
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
        # The bot before an inner bot, on its path from the root. In a blossom, this also contains
        # the bot before an outer bot, on the path that reaches the outer bot in the other
        # direction.
        self._before: dict[int, int] = {}

    def pair_root(self) -> None:
        """Give the root a partner, if there's a path. This is a breadth-first search."""
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
        """Pair the bots along a path, from the outer bot before its single end back to the root."""
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
        """Yield the bases of the outer bots on the path from a bot back to the root."""
        base = self._base[bot]
        yield base
        while base != self._root:
            base = self._base[self._before[self._partner[base]]]
            yield base

    def _turn(self, bot: int, base: int, before: int) -> set[int]:
        """Add paths that enter the circle at an outer bot, after `before`, and go back to its base.

        Returns:
            The bases of the bots on this side of the circle.
        """
        bases = set()
        while self._base[bot] != base:
            mate = self._partner[bot]
            bases |= {self._base[bot], self._base[mate]}
            self._before[bot] = before
            before, bot = mate, self._before[mate]
        return bases
