"""Plays all matches with one referee in parallel, and combines their results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import trio
from msgspec import Struct
from msgspec.structs import replace

from referee.conformance.referee_side.cases import (
    RefereeCase,
    is_any,
    load_referee_cases,
    results,
)
from referee.conformance.referee_side.comparing import Compared, Deviation, compare
from referee.conformance.referee_side.playing import run_probe_match
from referee.conformance.referee_side.processes import check_processes
from referee.conformance.referee_side.recording import RecordedMatch, request_types
from referee.conformance.referee_side.template import Template
from referee.conformance.verdict import Report, Violation, shown, summarize
from referee.errors import UsageError
from referee.games.interface.definition import GameDefinition
from referee.games.interface.probing import ProbeMatch
from referee.match.pages import game_page

_ENOUGH_DEALS = 8
# If this many matches don't end, we give up, because each of them takes the full timeout.
_MOST_HANGS = 3


async def check_referee(
    command: str,
    definition: GameDefinition,
    cases: Sequence[RefereeCase],
    *,
    seed: int,
    jobs: int,
    timeout: float,  # noqa: ASYNC109 (for each match, not for this call)
    strict: bool = False,
    on_match: Callable[[], None] = lambda: None,
    only: Collection[str] = (),
    covers: Collection[str] = (),
    rounds: int = 4,
    keep: Path | None = None,
) -> Report:
    """Test another referee. No behaviour of the referee makes this raise an exception.

    Args:
        command: the command line of the referee, with placeholders (see `Template`).
        cases: the cases to judge. We skip a case if it needs a seed or more seats, and the command
            line has no place for them.
        jobs: number of matches at the same time.
        timeout: seconds for one match.
        on_match: called at the end of each match.
        only: ids or patterns of the matches to play. If it's empty, we play all of them.
        covers: ids of cases. We only play the matches that test these cases. If it's empty, or if
            one of the cases has no match, we play all of them.
        rounds: maximum number of times to play a case's matches, with a new seed each time, until
            the case comes up. If the referee often deviates, we stop earlier.
        keep: folder for transcripts of all conversations.

    Raises:
        UsageError: the command can't be used, or `only` names no match.
    """
    template = Template(command, definition.max_seats)
    experiment = _Experiment(
        template,
        definition,
        _selected(template, definition, only, covers),
        seed,
        timeout,
        trio.CapacityLimiter(jobs),
        on_match,
    )
    started = trio.current_time()
    await experiment.run(rounds, [case for case in cases if case.applies(template)])
    found = results(
        load_referee_cases(definition).cases,
        cases,
        template,
        sorted(experiment.compared, key=lambda each: experiment.matches.index(each.match)),
        game_page(definition),
        trio.current_time() - started,
    )
    if keep is not None:
        for each in experiment.compared:
            each.recorded.keep(keep)
    return summarize(
        found,
        tested="referee",
        command=command,
        game=definition.name,
        protocol=definition.protocol,
        seed=seed,
        strict=strict,
        seconds=trio.current_time() - started,
    )


def _selected(
    template: Template, definition: GameDefinition, only: Collection[str], covers: Collection[str]
) -> list[ProbeMatch]:
    every = definition.probes().matches
    if not all(any(is_any(id, match.covers) for match in every) for id in covers):
        covers = ()
    matches = [
        match
        for match in every
        if len(match.seats) in template.seats
        and (not only or is_any(match.id, only))
        and (not covers or any(is_any(id, match.covers) for id in covers))
    ]
    if not matches:
        chosen = f"the match {', '.join(only)}" if only else "any match"
        raise UsageError(f"COMMAND has no place for the players of {chosen}")
    return matches


class _Experiment(Struct):
    """Plays the matches of one test. Adds the result of each match to `compared` when it ends."""

    template: Template
    definition: GameDefinition
    matches: list[ProbeMatch]
    seed: int
    timeout: float
    slots: trio.CapacityLimiter
    on_match: Callable[[], None]
    compared: list[Compared] = []

    async def run(self, rounds: int, cases: Iterable[RefereeCase]) -> None:
        await self._play(self.matches[0], self.seed)
        # If not even the first request arrived, the other matches would be pointless.
        waiting = self.matches[1:] if self.compared[0].held else []
        judged = [case.id for case in cases if not case.seeded]
        for number in range(rounds):
            async with trio.open_nursery() as nursery:
                for match in waiting:
                    nursery.start_soon(self._play, match, self.seed + number)
            if number == 0:
                check_deals(self.compared, self.definition)
            if sum(bool(each.stopped) for each in self.compared) > len(self.compared) / 2:
                break  # the referee is simply wrong, so other seeds wouldn't tell us more
            broken = {id for each in self.compared for d in each.deviations for id in d.cases}
            unseen = set(judged) - broken.union(*(each.held for each in self.compared))
            waiting = [m for m in self.matches if any(is_any(id, m.covers) for id in unseen)]

    async def _play(self, match: ProbeMatch, seed: int) -> None:
        async with self.slots:
            if sum(each.recorded.exit_code is None for each in self.compared) >= _MOST_HANGS:
                return
            recorded = await run_probe_match(
                self.template, self.definition, match, seed=seed, limit=self.timeout
            )
            recorded.id += f" {seed}" * (seed != self.seed)
            compared = judge(recorded, self.definition, match, seeded=self.template.seeded)
            self.compared.append(compared)
            self.on_match()


def judge(
    recorded: RecordedMatch, definition: GameDefinition, match: ProbeMatch, *, seeded: bool
) -> Compared:
    """Judge a single match. If the command takes a seed, also check that the referee used it."""
    compared = compare(recorded, definition, match)
    if compared.stopped:
        return compared
    probes = definition.probes()
    check_processes(compared, probes)
    if seeded and not compared.deviations:
        cases = probes.seeded(compared.held)
        wrong = compare(recorded, definition, match, seeded=True).deviations
        compared.deviations += [replace(each, cases=cases[:1], signature="seed") for each in wrong]
        compared.held |= set() if wrong else {*cases}
    return compared


def check_deals(compared: Sequence[Compared], definition: GameDefinition) -> None:
    """Check that not all players in all matches started with the same cards.

    We can't check anything else about another referee's shuffling. We need enough deals, because in
    games with few different hands, the same hand may come up several times by chance.
    """
    cases, requests = definition.probes().named("shuffled"), request_types(definition)
    seats = [seat for each in compared for seat in each.recorded.seats]
    asked = [[line.text for line in seat.received if line.kind in requests] for seat in seats]
    dealt = [lines[0] for lines in asked if lines]
    if len(set(dealt)) > 1:
        compared[0].held.update(cases)
    elif len(dealt) >= _ENOUGH_DEALS:
        what = f"{len(dealt)} times the same: {shown(dealt[0])}"
        violation = Violation("deal", "", "a shuffled deck for everybody", what)
        compared[0].deviations.append(Deviation(cases, "deal", violation))
