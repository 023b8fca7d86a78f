"""The schedule of a tournament in stages, computed from its setups and earlier results.

A stage is a lazy sequence of line-ups, one per deal. With 2,000 bots there are two million pairs,
and we never want to have all of them in memory. Most tournaments have one stage. Swiss tournaments
and knockouts have one per round, and each extension of a store adds more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence, Set
from itertools import chain, combinations
from typing import Any, NamedTuple

from msgspec import UNSET, Struct

from referee.errors import UsageError
from referee.tournament.rows import Plan
from referee.tournament.schedule import format_of
from referee.tournament.schedule.format import TournamentSetup, seatings
from referee.tournament.schedule.pairing import deal_seed
from referee.tournament.store import Store


class Stage(Struct, frozen=True):
    """Deals that can be played in any order, one per line-up. Match numbers are tournament-wide.

    Attributes:
        seeds: the seeds of the deals. None: derive them from the seed of the tournament.
    """

    setup: TournamentSetup
    first_deal: int
    first_match: int
    line_ups: Sequence[tuple[int, ...]]
    seeds: Sequence[int] | None = None

    @property
    def matches(self) -> int:
        """Number of matches."""
        return len(self.line_ups) * self.setup.matches_a_deal

    @property
    def end(self) -> int:
        """Number of the first match after this stage."""
        return self.first_match + self.matches

    def plans(self, position: int) -> list[Plan]:
        """Return the matches of a deal, given its position in the stage."""
        deal = self.first_deal + position
        line_up = self.line_ups[position]
        if self.setup.seats == "fixed":
            line_up = tuple(sorted(line_up))
        seating = seatings(self.setup.players, self.setup.seats)
        first = self.first_match + position * len(seating)
        seed = deal_seed(self.setup.seed, deal) if self.seeds is None else self.seeds[position]
        return [
            Plan(first + number, deal, seed, tuple(line_up[place] for place in order))
            for number, order in enumerate(seating)
        ]

    def plan(self, match: int) -> Plan:
        """Return the match with this number in the tournament."""
        position, number = divmod(match - self.first_match, self.setup.matches_a_deal)
        return self.plans(position)[number]

    def missing(self, there: Container[int], out: Set[int] = frozenset()) -> Iterator[Plan]:
        """Yield the matches that are not in `there`, except matches of bots that are out."""
        for position in range(len(self.line_ups)):
            first = self.first_match + position * self.setup.matches_a_deal
            # In a long tournament most deals are complete, so it's worth checking this without
            # creating any plans.
            if all(first + number in there for number in range(self.setup.matches_a_deal)):
                continue
            for plan in self.plans(position):
                if plan.match not in there and out.isdisjoint(plan.players):
                    yield plan


class Rounds(NamedTuple):
    """The rounds of a tournament in which each round depends on the results of the others.

    Attributes:
        table: the table of the format (`Format.table`) after the last complete round.
        first_matches: the number of the first match of each round that is paired.
        playing: the round that is not complete, or None.
    """

    table: Any
    first_matches: list[int]
    playing: Stage | None


def rounds_of(store: Store) -> Rounds:
    """Return the rounds of a tournament. In formats without rounds, the table is None."""
    table = format_of(store.stages[-1].format).table()
    first_matches: list[int] = []
    if table is None:
        return Rounds(None, first_matches, None)
    there, out, playing = set(store.played()), store.bots_out(), None
    for stage in stages(store, table):
        first_matches.append(stage.first_match)
        if next(stage.missing(there, out), None) is not None:
            playing = stage
            break
    table.add_bots(len(store.names))
    return Rounds(table, first_matches, playing)


def table_of(store: Store) -> Any:
    """Return the table of a format (`Format.table`) after the last complete stage."""
    return rounds_of(store).table


def bots_with_matches_left(store: Store, setups: Sequence[TournamentSetup]) -> set[int]:
    """Return the numbers of the bots that still have matches to play under these setups.

    In a Swiss tournament these are all bots that can still play, since we don't know the pairs of
    later rounds yet. In a knockout these are the bots that have not lost.
    """
    everyone = {*range(len(setups[-1].bots))}
    if store.is_empty:
        return everyone
    there, out = set(store.played()), store.bots_out() | store.withdrawn.keys()
    everyone -= out
    left: set[int] = set()
    table = format_of(setups[-1].format).table()
    for stage in stages(store, table, setups=setups):
        for plan in stage.missing(there, out):
            if table is not None:
                return everyone.difference(table.finished_bots())
            left.update(plan.players)
            if left == everyone:
                return everyone
    return left


def depends_on_results(setup: TournamentSetup) -> bool:
    """Whether a stage depends on the results of earlier stages."""
    return format_of(setup.format).table() is not None


def stages(
    store: Store, table: Any = None, *, setups: Sequence[TournamentSetup] = ()
) -> Iterator[Stage]:
    """Yield the stages of a tournament. Play each stage before you ask for the next one.

    Args:
        table: a table to fill with the results, as created by `Format.table`.
        setups: the setups. Default: the setups in the store.
    """
    deal = match = 0
    met: Counter[tuple[int, int]] = Counter()
    setups = setups or store.stages
    for before, setup in zip([None, *setups], setups, strict=False):
        format = format_of(setup.format)
        table = table or format.table()
        for line_ups in format.line_ups(setup, before, table):
            stage = Stage(setup, deal, match, line_ups, _seeds(setup, line_ups, met))
            if line_ups:
                yield stage
            deal += len(line_ups)
            match += stage.matches
            if table is not None:
                withdrawn = store.withdrawn.items()
                gone = {bot for bot, withdrawal in withdrawn if withdrawal.match < match}
                table.add(line_ups, store.matches(stage.first_match, match), gone)


def _seeds(
    setup: TournamentSetup, line_ups: Sequence[tuple[int, ...]], met: Counter[tuple[int, int]]
) -> Sequence[int] | None:
    """Return the seeds for these line-ups from a list of deals. None without a list.

    We count how often each pair of bots has met. Each pair gets the seeds in the order of the list,
    and then starts again from the first. A line-up of more than two bots gets the next seed of the
    pair that has met most often.

    Args:
        met: number of deals per pair. Updated with these line-ups.
    """
    if setup.deal_seeds is UNSET:
        return None
    seeds = []
    for line_up in line_ups:
        pairs = list(combinations(sorted(line_up), 2))
        seeds.append(setup.deal_seeds[max(met[pair] for pair in pairs) % len(setup.deal_seeds)])
        met.update(pairs)
    return seeds


def check_schedule(store: Store) -> None:
    """Raise `UsageError` if the matches in the store differ from the schedule.

    This can only happen with line-ups of three or more bots, because other versions generated such
    line-ups differently.
    """
    there = set(store.played())
    for stage in stages(store):
        if stage.setup.players == 2:
            return
        for plan in chain.from_iterable(map(stage.plans, range(len(stage.line_ups)))):
            if plan.match not in there:
                continue
            seated = store.select(
                "SELECT bot FROM seats WHERE match = ? ORDER BY seat", [plan.match]
            )
            if plan.players != tuple(bot for (bot,) in seated):
                raise UsageError(
                    f"{store.name}: match {plan.match} differs from the schedule: another version "
                    "of the referee made the line-ups; give another --store (standings, export and "
                    "verify still read this one)"
                )
        if next(stage.missing(there), None) is not None:
            return


def planned(store: Store) -> int:
    """Total number of matches in the schedule."""
    total = 0
    setups = store.stages
    for before, setup in zip([None, *setups], setups, strict=False):
        total += format_of(setup.format).count(setup, before) * setup.matches_a_deal
    for (match,) in store.select("SELECT match FROM matches WHERE match >= ? LIMIT 1", (total,)):
        raise UsageError(
            f"{store.name} is damaged: table matches, match {match}: only {total} exist"
        )
    return total
