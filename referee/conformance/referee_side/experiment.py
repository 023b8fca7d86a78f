"""All matches with one referee, side by side, and what they say together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import trio
from msgspec.structs import replace

from referee.conformance.referee_side.cases import RefereeCase, load_referee_cases
from referee.conformance.referee_side.comparing import Compared, Departure, compare, text
from referee.conformance.referee_side.playing import run_probe_match
from referee.conformance.referee_side.processes import check_processes
from referee.conformance.referee_side.recording import RecordedMatch
from referee.conformance.referee_side.template import Template
from referee.conformance.referee_side.verdicts import is_for, results
from referee.conformance.verdict import Report, Result, Violation, summarize
from referee.errors import UsageError
from referee.games.interface.probing import ProbeMatch
from referee.games.interface.rules import Rules
from referee.games.interface.seats import seat_id
from referee.match.pages import load_page

_ENOUGH_DEALS = 8
_MOST_HANGS = 3
"""Matches that did not end, after which no more are played."""
_SEED_CASES = {"4.7/2", "4.7/3"}


async def check_referee(
    command: str,
    rules: Rules,
    cases: Sequence[RefereeCase],
    *,
    seed: int,
    jobs: int,
    timeout: float,  # noqa: ASYNC109 (for each match, not for this call)
    strict: bool = False,
    on_result: Callable[[Result], None] = lambda result: None,
    on_match: Callable[[], None] = lambda: None,
    only: Collection[str] = (),
    covers: Collection[str] = (),
    rounds: int = 4,
    keep: Path | None = None,
) -> Report:
    """Check a referee; nothing that it does makes this fail.

    Args:
        command: its command line, with placeholders (`Template`).
        rules: the game.
        cases: what to judge; those that it cannot be asked about are left out.
        seed: of the matches.
        jobs: how many matches at once.
        timeout: seconds for one match.
        strict: whether SHOULD counts for the verdict.
        on_result: is given each result, in the order of the cases, when all matches are over.
        on_match: is called at the end of each match.
        only: ids of the matches to play, or patterns of them; all if empty.
        covers: ids of cases: only the matches that are there for them are played; all if empty, or
            if there is none for one of them.
        rounds: matches whose cases were not seen are played again with other seeds, so often all
            in all; not if most matches depart.
        keep: a folder for the conversations of all probes.

    Raises:
        UsageError: the command cannot be used, or there is no such match for it.
    """
    template = Template(command, rules.max_seats)
    every = rules.probes().matches
    if any(not any(is_for(match, [id]) for match in every) for id in covers):
        covers = ()
    matches = [
        match
        for match in every
        if len(match.seats) in template.seats
        and (not only or any(fnmatchcase(match.id, pattern) for pattern in only))
        and (not covers or is_for(match, covers))
    ]
    if not matches:
        raise UsageError(f"COMMAND has no place for the players of the match {', '.join(only)}")
    slots = trio.CapacityLimiter(jobs)
    run = _Experiment(template, rules, cases, seed, slots, timeout, on_match)
    started = trio.current_time()
    await run.play(matches, rounds)
    seconds = trio.current_time() - started
    compared = sorted(run.compared, key=lambda each: matches.index(each.match))
    found = results(
        load_referee_cases(rules).cases,
        cases,
        template,
        compared,
        load_page(rules.specification),
        seconds,
    )
    if keep is not None:
        for each in compared:
            each.recorded.keep(keep)
    for result in found:
        on_result(result)
    return summarize(
        found,
        tested="referee",
        command=command,
        game=rules.name,
        protocol=rules.protocol,
        seed=seed,
        strict=strict,
        seconds=seconds,
    )


@dataclass
class _Experiment:
    template: Template
    rules: Rules
    cases: Sequence[RefereeCase]
    seed: int
    slots: trio.CapacityLimiter
    limit: float
    on_match: Callable[[], None]
    compared: list[Compared] = field(default_factory=list)
    hangs: int = 0

    async def play(self, matches: Sequence[ProbeMatch], rounds: int) -> None:
        """Play all matches, and those again that brought nothing about of what they are for."""
        await self._play(matches[0], self.seed)
        first = self.compared[0]
        if "2.1/1" not in first.held:
            return  # not even a first request came: there is nothing to wait for
        await self._all(matches[1:], self.seed)
        check_deals(self.compared)
        # Those with a seed come at the end.
        cases = [c.id for c in self.cases if c.applies(self.template) and not c.seeded]
        for number in range(1, rounds):
            if sum(bool(each.stopped) for each in self.compared) > len(self.compared) / 2:
                break  # it is no accident that keeps most cases from being seen
            seen = {case for each in self.compared for case in each.held}
            seen |= {case for each in self.compared for d in each.departures for case in d.cases}
            unseen = [case for case in cases if case not in seen]
            await self._all([m for m in matches if is_for(m, unseen)], self.seed + number)
        if self.template.seeded and self.hangs < _MOST_HANGS:
            again = await self._record(matches[0], self.seed)
            if not compare_twins(first, again):
                # Then it is no news that a match is not what its seed says.
                for each in self.compared:
                    each.departures = [d for d in each.departures if not _SEED_CASES & {*d.cases}]
                    each.held -= _SEED_CASES

    async def _all(self, matches: Sequence[ProbeMatch], seed: int) -> None:
        async with trio.open_nursery() as nursery:
            for match in matches:
                token = object()
                await self.slots.acquire_on_behalf_of(token)
                nursery.start_soon(self._in_slot, match, seed, token)

    async def _in_slot(self, match: ProbeMatch, seed: int, token: object) -> None:
        try:
            if self.hangs < _MOST_HANGS:
                await self._play(match, seed)
        finally:
            self.slots.release_on_behalf_of(token)

    async def _play(self, match: ProbeMatch, seed: int) -> None:
        recorded = await self._record(match, seed)
        if seed != self.seed:
            recorded.id = f"{match.id} {seed}"
        self.hangs += recorded.exit_code is None
        self.compared.append(judge(recorded, self.rules, match, seeded=self.template.seeded))
        self.on_match()

    async def _record(self, match: ProbeMatch, seed: int) -> RecordedMatch:
        return await run_probe_match(self.template, self.rules, match, seed=seed, limit=self.limit)


def judge(recorded: RecordedMatch, rules: Rules, match: ProbeMatch, *, seeded: bool) -> Compared:
    """All that one match says by itself.

    Args:
        seeded: the referee takes a seed: the match must be the one that it makes, too (4.7).
    """
    compared = compare(recorded, rules, match)
    if compared.stopped:
        return compared
    check_processes(compared)
    if seeded and not compared.departures:
        chosen = "7.4/3" in compared.held  # by the referee's stream, and not a seat's alone
        case = "4.7/3" if chosen else "4.7/2"
        for departure in compare(recorded, rules, match, seeded=True).departures:
            compared.departures.append(replace(departure, cases=(case,), signature=("seed",)))
        if not compared.departures:
            compared.held |= _SEED_CASES if chosen else {case}
    return compared


def check_deals(compared: Sequence[Compared]) -> None:
    """See that not everybody always begins with the same (4.1)."""
    dealt = [opening for each in compared for opening in each.openings]
    if len(set(dealt)) > 1:
        compared[0].held.add("4.1/3")
    elif len(dealt) >= _ENOUGH_DEALS:
        what = f"{len(dealt)} times the same: {dealt[0]}"
        violation = Violation("deal", "", "a shuffled deck for everybody", what)
        compared[0].departures.append(Departure(("4.1/3",), ("deal",), violation))


def compare_twins(one: Compared, two: RecordedMatch) -> bool:
    """Compare two matches with the same seed and the same probes (4.7)."""
    for seat, (first, second) in enumerate(zip(one.recorded.seats, two.seats, strict=True)):
        pairs = zip(first.received, second.received, strict=False)
        for place, (line, other) in enumerate(pairs):
            if line.message != other.message:
                to = f"to {seat_id(seat)}"
                expected = f"{to}, with the seed {two.seed}: {text(line.message)}"
                actual = f"{to}: {text(other.message)}"
                violation = two.violation("seed", seat, place, expected, actual)
                one.departures.append(Departure(("4.7/1",), ("seed", "4.7/1"), violation))
                return False
    one.held.add("4.7/1")
    return True
