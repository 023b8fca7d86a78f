"""The matches of a tournament, in stages, as a function of its setups and of what was played.

A stage is a sequence of line-ups, one a deal, computed when it is looked at. Most tournaments have
one stage; a Swiss one has a stage a round, and each extension of a store adds stages of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence, Set
from itertools import combinations
from typing import Any

from msgspec import Struct

from referee.errors import UsageError
from referee.tournament.rows import WORKER_KILLED, MatchRow, Plan, points_of
from referee.tournament.schedule.pairing import LineUps, deal_seed, gauntlet, round_robin, seatings
from referee.tournament.schedule.swiss import swiss_round
from referee.tournament.setup import Setup
from referee.tournament.store import Store


class Stage(Struct, frozen=True):
    """Deals that can be played in any order.

    Attributes:
        setup: that they are of.
        first_deal, first_match: their numbers in the tournament.
        line_ups: one a deal.
    """

    setup: Setup
    first_deal: int
    first_match: int
    line_ups: Sequence[tuple[int, ...]]

    @property
    def matches(self) -> int:
        """How many there are."""
        return len(self.line_ups) * self.setup.matches_a_deal

    def plans(self, position: int) -> list[Plan]:
        """The matches of a deal.

        Args:
            position: of the deal in the stage.
        """
        deal = self.first_deal + position
        line_up = self.line_ups[position]
        seating = seatings(self.setup.players, self.setup.seats)
        first = self.first_match + position * len(seating)
        seed = deal_seed(self.setup.seed, deal)
        return [
            Plan(first + number, deal, seed, tuple(line_up[place] for place in order))
            for number, order in enumerate(seating)
        ]

    def missing(self, there: Container[int], out: Set[int] = frozenset()) -> Iterator[Plan]:
        """The matches that are not played yet, but for those that will never be.

        Args:
            there: the numbers of matches that were played.
            out: bots that play no more.
        """
        for position in range(len(self.line_ups)):
            first = self.first_match + position * self.setup.matches_a_deal
            if all(first + number in there for number in range(self.setup.matches_a_deal)):
                continue
            for plan in self.plans(position):
                if plan.match not in there and out.isdisjoint(plan.players):
                    yield plan


def swiss_table(store: Store) -> SwissTable:
    """The table of a Swiss tournament after the rounds in which no match is missing."""
    table = SwissTable(len(store.names))
    there, out = set(store.played()), store.put_out()
    for stage in stages(store, table):
        if next(stage.missing(there, out), None) is not None:
            break
    return table


def stages(store: Store, swiss: SwissTable | None = None) -> Iterator[Stage]:
    """The stages of a tournament; each is to be played before the next is asked for.

    Args:
        swiss: an empty table, which follows the rounds of a Swiss tournament.
    """
    deal = match = 0
    for line_ups, setup in _all_line_ups(store, swiss or SwissTable()):
        stage = Stage(setup, deal, match, line_ups)
        if line_ups:
            yield stage
        deal += len(line_ups)
        match += stage.matches


def planned(store: Store) -> int:
    """How many matches there are to be in all."""
    total = 0
    before: Setup | None = None
    for setup in store.stages:
        if setup.format == "swiss":
            rounds = (setup.rounds or 0) - (before.rounds or 0 if before else 0)
            deals = rounds * (len(setup.bots) // setup.players) * (setup.deals or 1)
        elif setup.format == "sprt":
            deals = (setup.deals or 0) - (before.deals or 0 if before else 0)
        else:
            deals = sum(map(len, _fixed(setup, before)))
        total += deals * setup.matches_a_deal
        before = setup
    for (match,) in store.select("SELECT match FROM matches WHERE match >= ? LIMIT 1", (total,)):
        raise UsageError(f"{store.name} is damaged: table matches, match {match}: {total} are all")
    return total


def _all_line_ups(
    store: Store, swiss: SwissTable
) -> Iterator[tuple[Sequence[tuple[int, ...]], Setup]]:
    before: Setup | None = None
    match = 0
    for setup in store.stages:
        if setup.format == "swiss":
            for _ in range(swiss.rounds, setup.rounds or 0):
                line_ups = swiss.next_round(setup)
                yield line_ups, setup
                after = match + len(line_ups) * setup.matches_a_deal
                swiss.add(line_ups, store.matches(match, after))
                match = after
        elif setup.format == "sprt":
            assert setup.deals is not None
            done = 0 if before is None else before.deals or 0
            yield LineUps(setup.deals - done, lambda _: (0, 1)), setup
        else:
            for line_ups in _fixed(setup, before):
                yield line_ups, setup
        before = setup


def _fixed(setup: Setup, before: Setup | None) -> Iterator[Sequence[tuple[int, ...]]]:
    """The line-ups of a round robin or a gauntlet, or what it is extended by."""

    def make(of: Setup) -> LineUps:
        """As many line-ups as another setup has, of the bots of this one."""
        chosen: dict[str, Any] = {"deals": of.deals, "total": of.total_deals, "seed": setup.seed}
        if setup.format != "gauntlet":
            return round_robin(len(setup.bots), setup.players, **chosen)
        return gauntlet(len(setup.bots), setup.challengers or 1, setup.players, **chosen)

    if before is None:
        yield make(setup)
        return
    if len(setup.bots) > len(before.bots):
        yield from _with_new_bots(setup, before)
    # A longer schedule begins with the shorter one, which was played.
    played, longer = len(make(before)), make(setup)
    yield LineUps(len(longer) - played, lambda deal: longer[played + deal])


def _with_new_bots(setup: Setup, before: Setup) -> Iterator[Sequence[tuple[int, ...]]]:
    """What bots have missed that were not there from the beginning."""
    if before.deals is None:
        return  # the matches that are added to the others are of all bots
    old, everybody = len(before.bots), range(len(setup.bots))
    new = [*everybody[old:]]
    if setup.format == "gauntlet":
        challengers = setup.challengers or 1
        order = [*range(challengers), *new]
    else:
        challengers = len(new)
        order = [*new, *range(old)]
    if len(order) - challengers >= setup.players - 1:
        line_ups = gauntlet(
            len(order), challengers, setup.players, deals=before.deals, seed=setup.seed
        )
        yield _renumbered(line_ups, order)
    if setup.format != "gauntlet" and len(new) >= setup.players:
        line_ups = round_robin(len(new), setup.players, deals=before.deals, seed=setup.seed)
        yield _renumbered(line_ups, new)


def _renumbered(line_ups: LineUps, numbers: Sequence[int]) -> LineUps:
    """Line-ups of other numbers: `numbers` has those in the tournament."""
    return LineUps(len(line_ups), lambda deal: tuple(numbers[bot] for bot in line_ups[deal]))


class SwissTable:
    """Who has how many points in a Swiss tournament, and has met whom.

    A round gives each bot the share of those in its line-up that it has more points than, over all
    deals of the round; equal ones count half. A bye gives 1. Who is put out in a round has lost in
    it, and is in none that follows.

    Attributes:
        rounds: how many are over.
        points: of each bot.
        byes: rounds in which a bot rested.
    """

    def __init__(self, bots: int = 0) -> None:
        self.rounds = 0
        self.points = [0.0] * bots
        self.byes: Counter[int] = Counter()
        self._met: Counter[tuple[int, int]] = Counter()
        self._out: set[int] = set()

    def opponents(self) -> list[float]:
        """Of each bot the sum of the points of those that it has met (Buchholz)."""
        sums = [0.0] * len(self.points)
        for (one, other), times in self._met.items():
            sums[one] += times * self.points[other]
            sums[other] += times * self.points[one]
        return sums

    def next_round(self, setup: Setup) -> Sequence[tuple[int, ...]]:
        """The line-ups of the next round, each as often as it has deals."""
        self.points += [0.0] * (len(setup.bots) - len(self.points))
        made = swiss_round(
            self.points,
            self._met,
            [self.byes[bot] for bot in range(len(setup.bots))],
            setup.players,
            seed=setup.seed,
            round=self.rounds,
            out=self._out,
        )
        return [line_up for line_up in made.line_ups for _ in range(setup.deals or 1)]

    def add(self, line_ups: Sequence[tuple[int, ...]], matches: Iterable[MatchRow]) -> None:
        """Add the results of a round; who is in no line-up and not out had a bye."""
        for bot in set(range(len(self.points))).difference(self._out, *line_ups):
            self.byes[bot] += 1
            self.points[bot] += 1
        won: Counter[int] = Counter()
        for match in matches:
            if not match.void:
                for bot, points in zip(match.players, points_of(match.ranks), strict=True):
                    won[bot] += points  # type: ignore[assignment]
            self._out |= {s.bot for s in match.seats if s.disqualified == WORKER_KILLED}
        for bot in self._out:
            won[bot] = -1
        for line_up in dict.fromkeys(line_ups):
            for bot in line_up:
                others = [won[other] for other in line_up if other != bot]
                beaten = sum((won[bot] > other) + (won[bot] == other) / 2 for other in others)
                self.points[bot] += beaten / len(others)
            for pair in combinations(sorted(line_up), 2):
                self._met[pair] += 1
        self.rounds += 1
