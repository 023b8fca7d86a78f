"""A Swiss tournament: each round pairs bots with equal points that have not met before.

We follow the Dutch system of FIDE (Handbook, C.04.3), but without the rules on colours, because
every bot has every seat in each deal anyway. Score groups are paired from the top down, the upper
half of a group against the lower half. A bot without a partner moves down to the next group.

We avoid rematches within each group if we can, and then do the same for the whole field
(`matching.py`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from referee.tournament.rows import (
    LEFT_OUT,
    WORKER_KILLED,
    MatchRow,
    table_points,
)
from referee.tournament.schedule.format import Format, LineUp, TournamentSetup
from referee.tournament.schedule.matching import Matching
from referee.tournament.schedule.pairing import Repeated, distinct

Met = Mapping[tuple[int, int], int]

# In matches of more than two players, bots can be swapped with line-ups up to this far away.
_NEAR = 50


class SwissRound(NamedTuple):
    """The pairings of a round.

    Attributes:
        line_ups: the line-ups, bots with the most points first.
        byes: the bots with a bye.
        rematches: number of pairs in the line-ups that had met before.
    """

    line_ups: list[LineUp]
    byes: list[int]
    rematches: int


def swiss_round(
    points: Sequence[float],
    met: Met,
    byes: Sequence[int],
    players: int = 2,
    *,
    seed: int = 0,
    round: int = 0,
    out: Container[int] = (),
) -> SwissRound:
    """Pair a round from the results so far.

    Bots are ordered by points. Bots with equal points are put in a random order, which changes from
    round to round. If bots are left over, those with the fewest byes get a bye, and among these the
    lowest. With two players, we give it to another of the bots with the fewest byes if that leads
    to fewer rematches.

    With more players, the bots of a line-up come from one score group, if it's large enough. Then
    we swap bots within the group, and finally with other groups, as long as this reduces rematches.
    The result is good, but it may not be the best.

    Args:
        points: the points of each bot, including byes.
        met: for each pair of bots, the number of rounds in which they have met. The smaller bot
            number of a pair comes first. Pairs that have never met may be missing.
        byes: the number of byes of each bot.
        out: bots that neither play nor get a bye.
    """
    # The seed is a single number, because then Python guarantees the same sequence in all versions.
    # We round the points, so that bots count as equal if only a rounding error makes a difference.
    rnd = Random(seed * 1_000_003 + round).random
    score = [-int(10**6 * each + 0.5) for each in points]
    draw = [rnd() for _ in points]
    field = [bot for bot in range(len(points)) if bot not in out]
    ranking = sorted(field, key=lambda bot: (score[bot], draw[bot]))
    free = _byes(ranking, byes, len(ranking) % players)

    best: SwissRound | None = None
    for resting in free:
        field = [bot for bot in ranking if bot not in resting]
        groups = [list(group) for _, group in groupby(field, key=score.__getitem__)]
        line_ups = _pairs(groups, met) if players == 2 else _line_ups(groups, met, players)
        rematches = sum(
            _times(met, a, b) > 0 for each in line_ups for a, b in combinations(each, 2)
        )
        # The first candidates are preferred, so later ones must have fewer rematches.
        if best is None or rematches < best.rematches:
            best = SwissRound(line_ups, list(resting), rematches)
        if not rematches or players > 2:
            break
    assert best is not None
    return best


def _byes(ranking: Sequence[int], byes: Sequence[int], count: int) -> Iterable[Sequence[int]]:
    lowest_first = ranking[::-1]
    order = sorted(lowest_first, key=byes.__getitem__)
    if count != 1:
        return [order[:count]]
    return [[bot] for bot in order if byes[bot] == byes[order[0]]]


def _times(met: Met, a: int, b: int) -> int:
    return met.get((a, b) if a < b else (b, a), 0)


def _pairs(groups: Iterable[list[int]], met: Met) -> list[LineUp]:
    matching = Matching(lambda a, b: not _times(met, a, b))
    floating: list[int] = []
    field: list[int] = []
    for group in groups:
        field += group
        _pair_group(floating, group, matching)
        floating = matching.single(floating + group)
    # Lowest first, so that unpaired bots move down as little as possible.
    matching.complete(field[::-1])
    # All remaining bots have met each other, so there must be rematches.
    left = matching.single(field)
    while left:
        first = left.pop(0)
        rematch = min(left, key=lambda bot: _times(met, first, bot))
        left.remove(rematch)
        matching.pair(first, rematch)
    place = {bot: i for i, bot in enumerate(field)}
    pairs = [(bot, matching.partner[bot]) for bot in field]
    return [(bot, other) for bot, other in pairs if place[bot] < place[other]]


def _pair_group(floating: Sequence[int], group: list[int], matching: Matching) -> None:
    for bot in floating:
        matching.pair_with_first(bot, group)
    rest = matching.single(group)
    half = len(rest) // 2
    for i, bot in enumerate(rest[:half]):
        # Try the opposite bot in the lower half first, then the bots below that one, then the bots
        # above it.
        matching.pair_with_first(bot, (*rest[half + i :], *reversed(rest[half : half + i])))
    matching.complete([*floating, *group])


def _line_ups(groups: Iterable[list[int]], met: Met, players: int) -> list[LineUp]:
    found: list[list[int]] = []
    floating: list[int] = []
    for group in groups:
        pool = floating + group
        count = len(pool) // players
        floating = pool[count * players :]
        # Each line-up gets one bot from each part of the group, just as a pair has one from each
        # half.
        dealt = [pool[i : count * players : count] for i in range(count)]
        _separate(dealt, met)
        found += dealt
    _separate(found, met)
    return [tuple(line_up) for line_up in found]


def _separate(line_ups: list[list[int]], met: Met) -> None:
    """Swap bots with other line-ups, the nearest first, as long as this reduces rematches."""

    def cost(bot: int, line_up: Sequence[int], place: int) -> int:
        return sum(_times(met, bot, each) for i, each in enumerate(line_up) if i != place)

    def swap(here: int, place: int) -> bool:
        line_up = line_ups[here]
        bot = line_up[place]
        now = cost(bot, line_up, place)
        if not now:
            return False
        around = range(max(0, here - _NEAR), min(len(line_ups), here + _NEAR + 1))
        for there in sorted(around, key=lambda there: abs(there - here)):
            if there == here:
                continue
            other = line_ups[there]
            for its_place in sorted(range(len(other)), key=lambda i: abs(i - place)):
                its = other[its_place]
                before = now + cost(its, other, its_place)
                if cost(its, line_up, place) + cost(bot, other, its_place) < before:
                    line_up[place], other[its_place] = its, bot
                    return True
        return False

    swapped = True
    while swapped:  # this ends, because each swap leaves fewer rematches
        swapped = False
        for here in range(len(line_ups)):
            for place in range(len(line_ups[here])):
                swapped |= swap(here, place)


class SwissTable:
    """The points and opponents of each bot in a Swiss tournament.

    In each round, a bot's points are the share of its opponents that did worse in all deals of the
    round together. Opponents that did equally well count half. A bye gives 1 point. A bot that is
    out or left out in a round gets 0. Bots that are out or withdrawn don't play in later rounds. A
    withdrawn bot's forfeits give points to its opponents.

    Attributes:
        rounds: number of finished rounds.
        points: the points of each bot.
        byes: number of byes of each bot.
    """

    def __init__(self) -> None:
        self.rounds = 0
        self.points: list[float] = []
        self.byes: Counter[int] = Counter()
        self._met: Counter[tuple[int, int]] = Counter()
        self._out: set[int] = set()

    def add_bots(self, bots: int) -> None:
        """Make room for new bots, up to this total number."""
        self.points += [0.0] * (bots - len(self.points))

    def finished_bots(self) -> set[int]:
        """Return the bots without matches left.

        We can't know any, because later rounds aren't paired yet.
        """
        return set()

    def opponents(self) -> list[float]:
        """Return for each bot the sum of its opponents' points (Buchholz score)."""
        sums = [0.0] * len(self.points)
        for (one, other), times in self._met.items():
            sums[one] += times * self.points[other]
            sums[other] += times * self.points[one]
        return sums

    def next_round(self, setup: TournamentSetup) -> Sequence[tuple[int, ...]]:
        """Pair the next round, and return its line-ups, each of them once per deal."""
        self.add_bots(len(setup.bots))
        made = swiss_round(
            self.points,
            self._met,
            [self.byes[bot] for bot in range(len(setup.bots))],
            setup.players,
            seed=setup.seed,
            round=self.rounds,
            out=self._out,
        )
        return Repeated(made.line_ups, setup.deals or 1)

    def add(
        self,
        line_ups: Sequence[tuple[int, ...]],
        matches: Iterable[MatchRow],
        withdrawn: Iterable[int] = (),
    ) -> None:
        """Add the results of a round. Bots without a line-up had a bye, unless they're out.

        Args:
            line_ups: the line-ups of the round.
            matches: the matches of the round.
            withdrawn: the bots that were withdrawn in this round or an earlier one.
        """
        each = distinct(line_ups)
        self._add_byes(set(range(len(self.points))).difference(self._out, *each), 1)
        won: Counter[int] = Counter()
        absent: set[int] = set()
        for match in matches:
            for bot, points in zip(match.players, table_points(match), strict=True):
                won[bot] += points  # type: ignore[assignment]
            self._out |= {s.bot for s in match.seats if s.disqualified == WORKER_KILLED}
            absent |= {s.bot for s in match.seats if s.disqualified == LEFT_OUT}
        # Points are never negative otherwise, so these bots lose against all others.
        for bot in self._out | absent:
            won[bot] = -1
        for line_up in each:
            for bot in line_up:
                others = [won[other] for other in line_up if other != bot]
                beaten = sum((won[bot] > other) + (won[bot] == other) / 2 for other in others)
                self.points[bot] += beaten / len(others)
            for pair in combinations(sorted(line_up), 2):
                self._met[pair] += 1
        self._out.update(withdrawn)
        self.rounds += 1

    def add_empty(self, rounds: int) -> None:
        """Add rounds in which nobody can play: all bots that are not out have a bye."""
        self._add_byes(set(range(len(self.points))) - self._out, rounds)
        self.rounds += rounds

    def _add_byes(self, bots: Iterable[int], rounds: int) -> None:
        for bot in bots:
            self.byes[bot] += rounds
            self.points[bot] += rounds


class Swiss(Format):
    """The format `swiss`."""

    own = (("rounds", "--rounds"),)
    takes_matches = False

    def settle(self, setup: TournamentSetup) -> TournamentSetup:
        """Set the default number of rounds: enough to find the best bot, and two more."""
        rounds = setup.rounds or math.ceil(math.log2(len(setup.bots))) + 2
        return replace(setup, rounds=rounds)

    def line_ups(
        self, setup: TournamentSetup, before: TournamentSetup | None, table: SwissTable
    ) -> Iterator[Sequence[LineUp]]:
        for _ in range(table.rounds, setup.rounds or 0):
            line_ups = table.next_round(setup)
            yield line_ups
            if not line_ups:
                # Too few bots are left, so all later rounds are empty, and there may be many.
                table.add_empty(max(0, (setup.rounds or 0) - table.rounds))
                return

    def count(self, setup: TournamentSetup, before: TournamentSetup | None) -> int:
        rounds = (setup.rounds or 0) - (before.rounds or 0 if before else 0)
        return rounds * (len(setup.bots) // setup.players) * (setup.deals or 1)

    def table(self) -> SwissTable:
        return SwissTable()


FORMAT = Swiss()
