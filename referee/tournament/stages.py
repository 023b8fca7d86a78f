"""Computes the schedule of a tournament from its setups and earlier results, stage by stage.

A stage has one line-up per deal. The line-ups are computed as they're needed. 2,000 bots have two
million pairs, which we don't want to keep in memory. Most tournaments have one stage. Swiss
tournaments and knockouts have one per round, and each extension of a store adds more.
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
from referee.tournament.schedule.pairing import MAX_LISTED, deal_seed
from referee.tournament.schedule.sprt import Sequential, sequential
from referee.tournament.store import Store


class Stage(Struct, frozen=True):
    """Deals that can be played in any order.

    Attributes:
        first_deal, first_match: numbers of the first deal and match, counted from the beginning of
            the tournament.
        line_ups: the line-up of each deal.
        seeds: the seed of each deal, or None if we derive them from the tournament's seed.
    """

    setup: TournamentSetup
    first_deal: int
    first_match: int
    line_ups: Sequence[tuple[int, ...]]
    seeds: Sequence[int] | None = None

    @property
    def matches(self) -> int:
        """Number of matches in this stage."""
        return len(self.line_ups) * self.setup.matches_a_deal

    @property
    def end(self) -> int:
        """Number of the first match that comes after this stage."""
        return self.first_match + self.matches

    def plans(self, position: int) -> list[Plan]:
        """Return the matches of a deal.

        Args:
            position: index of the deal in this stage, from 0.
        """
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
        """Return the match with this number."""
        position, number = divmod(match - self.first_match, self.setup.matches_a_deal)
        return self.plans(position)[number]

    def missing(self, there: Container[int], out: Set[int] = frozenset()) -> Iterator[Plan]:
        """Yield the matches that are not in `there`. Matches of bots that are out are skipped."""
        for position in range(len(self.line_ups)):
            first = self.first_match + position * self.setup.matches_a_deal
            # In a long tournament most deals are complete, so we check this first, without creating
            # plans.
            if all(first + number in there for number in range(self.setup.matches_a_deal)):
                continue
            for plan in self.plans(position):
                if plan.match not in there and out.isdisjoint(plan.players):
                    yield plan


class Rounds(NamedTuple):
    """The rounds of a Swiss tournament or knockout.

    Attributes:
        table: the table of results (`Format.table`) after the last complete round.
        first_matches: for each round that's already paired, the number of its first match.
        playing: the first round that is not complete, or None.
    """

    table: Any
    first_matches: list[int]
    playing: Stage | None


def rounds_of(store: Store) -> Rounds:
    """Return the rounds of a tournament. If the format has no rounds, the table is None."""
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
    return Rounds(table, first_matches, playing)


def bots_with_matches_left(store: Store, setups: Sequence[TournamentSetup]) -> set[int]:
    """Return the numbers of the bots that still have matches to play.

    In a knockout, these are all bots that haven't lost. In a Swiss tournament, we don't know the
    pairs of later rounds yet, so we return all bots that can still play.

    Args:
        setups: the setups to play, which may not be in the store yet. A setup that is listed twice
            adds no matches.
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
            if table is not None:  # the pairs of later rounds aren't known yet
                return everyone.difference(table.finished_bots())
            left.update(plan.players)
            if left == everyone:
                return everyone
    return left


def first_missing(store: Store, bot: int) -> int:
    """Return the number of a bot's first match that isn't in the store.

    If none is missing in the stages that we know, this is the number after their last match.
    """
    there, end = set(store.played()), 0
    for stage in stages(store):
        end = stage.end
        for plan in stage.missing(there):
            if bot in plan.players:
                return plan.match
    return end


def depends_on_results(setup: TournamentSetup) -> bool:
    """True if the pairs of later rounds depend on earlier results."""
    return format_of(setup.format).table() is not None


def stages(
    store: Store, table: Any = None, *, setups: Sequence[TournamentSetup] = ()
) -> Iterator[Stage]:
    """Yield the stages of a tournament. Play each stage before you ask for the next one.

    Args:
        table: an empty table, as `Format.table` creates it. We add the results of each stage.
        setups: the setups. By default, we use the setups in the store.
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
    """Choose seeds for these line-ups from the setup's list, or return None if it has no list.

    Each pair of bots goes through the list in order, and starts again after the last seed. A
    line-up of more than two bots gets the next seed of the pair that has met most often.

    Args:
        met: number of deals per pair. This adds the new line-ups.

    Raises:
        UsageError: there are more line-ups than `MAX_LISTED`.
    """
    if setup.deal_seeds is UNSET:
        return None
    if len(line_ups) > MAX_LISTED:
        raise UsageError(
            f"{len(line_ups):,} deals have seeds from a list (--deal-seeds), which is possible for "
            f"at most {MAX_LISTED:,}: take fewer seeds or bots, or no list"
        )
    seeds = []
    for line_up in line_ups:
        pairs = list(combinations(sorted(line_up), 2))
        seeds.append(setup.deal_seeds[max(met[pair] for pair in pairs) % len(setup.deal_seeds)])
        met.update(pairs)
    return seeds


def check_schedule(store: Store) -> None:
    """Raise `UsageError` if the matches in the store differ from the schedule.

    This only happens to matches of three or more bots, because other versions of the referee
    generated other line-ups for them.
    """
    there = set(store.played())
    for stage in stages(store):
        if stage.setup.players == 2:
            return
        # Only look at deals that have been played, because a store may claim any number of them.
        numbers = (match - stage.first_match for match in there)
        deals = {n // stage.setup.matches_a_deal for n in numbers if 0 <= n < stage.matches}
        for plan in chain.from_iterable(map(stage.plans, sorted(deals))):
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
    """Return the number of matches in the whole schedule."""
    total = 0
    setups = store.stages
    for before, setup in zip([None, *setups], setups, strict=False):
        total += format_of(setup.format).count(setup, before) * setup.matches_a_deal
    for (match,) in store.select("SELECT match FROM matches WHERE match >= ? LIMIT 1", (total,)):
        raise UsageError(
            f"{store.name} is damaged: table matches, match {match}: only {total} exist"
        )
    return total


def is_finished(store: Store, test: Sequential | None = None) -> bool:
    """Whether a run of this store would have nothing left to do.

    The store must have at least one stage.

    Args:
        test: the state of its sequential test, if it's already known.

    Normally this means that no match is missing. If the tournament ended early, it means that the
    store has no matches after the end.
    """
    setup, withdrawn = store.stages[-1], store.withdrawn
    test = test or sequential(setup, store.matches())
    end = None
    if withdrawn and setup.ends_with_withdrawal:
        end = 1 + min(withdrawal.match for withdrawal in withdrawn.values())
    elif test is not None and test.verdict is not None:
        end = test.deals * setup.matches_a_deal
    if end is not None:  # a run may have been killed before it deleted them
        later = store.select("SELECT 1 FROM matches WHERE match >= ? LIMIT 1", (end,))
        return next(later, None) is None
    if store.count()[0] >= planned(store):
        return True
    there, out = set(store.played()), store.bots_out()
    return not any(True for stage in stages(store) for _ in stage.missing(there, out))


def expected(store: Store, test: Sequential | None = None) -> int:
    """Return the number of matches that the tournament will have, as far as we know.

    If it's finished, these are its matches. If bots were withdrawn, there may be fewer of them than
    in the whole schedule. Takes the same arguments as `is_finished`.
    """
    return store.count()[0] if is_finished(store, test) else planned(store)
