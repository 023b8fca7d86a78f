"""All matches with one referee, side by side, and what they say together."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import trio

from referee.conformance.referee_side.cases import RefereeCase, load_referee_cases
from referee.conformance.referee_side.comparing import Compared, Finding, compare
from referee.conformance.referee_side.process import check_processes
from referee.conformance.referee_side.recording import Played
from referee.conformance.referee_side.running import play_match
from referee.conformance.referee_side.seeds import SEED_CASES, check_seed, compare_twins
from referee.conformance.referee_side.template import Template
from referee.conformance.referee_side.verdicts import results
from referee.conformance.verdict import Report, Result, Violation, summarize
from referee.errors import UsageError
from referee.seam.probing import ProbeMatch
from referee.seam.rules import Rules

_ENOUGH_DEALS = 8
_MOST_HANGS = 3
"""After so many matches that did not end no more are played."""


async def check_referee(
    command: str,
    rules: Rules,
    cases: Sequence[RefereeCase],
    *,
    seed: int,
    jobs: int,
    timeout: float,  # noqa: ASYNC109 (for each match, not for this call)
    strict: bool = False,
    tell: Callable[[Result], None] = lambda result: None,
    tell_match: Callable[[], None] = lambda: None,
    only: Collection[str] = (),
    about: Collection[str] = (),
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
        tell: is told each result, in the order of the cases, when all matches are over.
        tell_match: is told of the end of each match.
        only: ids of the matches to play, or patterns of them; all if empty.
        about: ids of cases: only the matches that are there for them are played; all if empty, or
            if there is none for one of them.
        rounds: matches whose cases were not seen are played again with other seeds, so often all
            in all; not if most matches depart.
        keep: a folder for the conversations of all probes.

    Raises:
        UsageError: the command cannot be used, or there is no such match for it.
    """
    template = Template(command)
    if any(not any(_is_about(match, [id]) for match in rules.probes().matches) for id in about):
        about = ()
    matches = [
        match
        for match in rules.probes().matches
        if len(match.seats) in template.seats
        and (not only or any(fnmatch.fnmatchcase(match.id, pattern) for pattern in only))
        and (not about or _is_about(match, about))
    ]
    if not matches:
        raise UsageError(f"COMMAND has no place for the players of the match {', '.join(only)}")
    suite = _Suite(template, rules, cases, seed, jobs, timeout, tell_match)
    started = trio.current_time()
    await suite.play(matches, rounds)
    seconds = trio.current_time() - started
    order = [match.id for match in matches]
    ids = sorted(suite.played, key=lambda id: order.index(id.split()[0]))
    found = results(
        load_referee_cases().cases,
        cases,
        template,
        rules.probes(),
        {id: suite.compared[id] for id in ids},
        suite.played,
        seconds,
    )
    for played in suite.played.values() if keep else ():
        assert keep is not None
        played.keep(keep)
    for result in found:
        tell(result)
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


def _is_about(match: ProbeMatch, ids: Collection[str]) -> bool:
    """Whether a match is there for one of these cases."""
    return any(fnmatch.fnmatchcase(id, pattern) for id in ids for pattern in match.about)


class _Suite:
    def __init__(
        self,
        template: Template,
        rules: Rules,
        cases: Sequence[RefereeCase],
        seed: int,
        jobs: int,
        timeout: float,
        tell_match: Callable[[], None],
    ) -> None:
        self.compared: dict[str, Compared] = {}
        self.played: dict[str, Played] = {}
        self._template = template
        self._rules = rules
        self._cases = [case for case in cases if case.applies(template)]
        self._seed = seed
        self._slots = trio.CapacityLimiter(jobs)
        self._timeout = timeout
        self._tell_match = tell_match
        self._hangs = 0

    async def play(self, matches: Sequence[ProbeMatch], rounds: int) -> None:
        """Play all matches, and those again that brought nothing about of what they are for."""
        await self._one(matches[0], self._seed)
        if not self.compared[matches[0].id].held["2.1/1"]:
            return  # not even a first request came: there is nothing to wait for
        await self._all(matches[1:], 0)
        check_deals(self.compared.values())
        for number in range(1, rounds):
            if sum(bool(each.stopped) for each in self.compared.values()) > len(self.compared) / 2:
                break  # it is no accident that keeps most cases from being seen
            seen = {case for each in self.compared.values() for case in each.held}
            seen |= {c for e in self.compared.values() for f in e.findings for c in f.cases}
            cases = [case.id for case in self._cases if not case.seeded]  # those come at the end
            unseen = [case for case in cases if case not in seen]
            await self._all([m for m in matches if _is_about(m, unseen)], number)
        if self._template.seeded and self._hangs < _MOST_HANGS:
            await self._check_seeds(matches[0])

    async def _all(self, matches: Sequence[ProbeMatch], number: int) -> None:
        async with trio.open_nursery() as nursery:
            for match in matches:
                token = object()
                await self._slots.acquire_on_behalf_of(token)
                nursery.start_soon(self._in_slot, match, self._seed + number, token)

    async def _in_slot(self, match: ProbeMatch, seed: int, token: object) -> None:
        try:
            if self._hangs < _MOST_HANGS:
                await self._one(match, seed)
        finally:
            self._slots.release_on_behalf_of(token)

    async def _one(self, match: ProbeMatch, seed: int) -> None:
        played = await self._play(match, seed)
        if seed != self._seed:
            played.id = f"{match.id} {seed}"
        self._hangs += played.exit_code is None
        self.played[played.id] = played
        self.compared[played.id] = judge(played, self._rules, match, seeded=self._template.seeded)
        self._tell_match()

    async def _play(self, match: ProbeMatch, seed: int) -> Played:
        return await play_match(self._template, self._rules, match, seed=seed, limit=self._timeout)

    async def _check_seeds(self, match: ProbeMatch) -> None:
        """Play a match once more (4.7)."""
        again = await self._play(match, self._seed)
        first = self.compared[match.id]
        if not compare_twins(self.played[match.id], again, first):
            # Then it is no news that a match is not what its seed says.
            for each in self.compared.values():
                each.findings = [f for f in each.findings if f.cases[0] not in SEED_CASES]
                for case in SEED_CASES:
                    del each.held[case]


def check_deals(compared: Collection[Compared]) -> None:
    """See that not everybody always begins with the same (4.1)."""
    first = next(iter(compared))
    openings = [opening for each in compared for opening in each.openings]
    if len(set(openings)) > 1:
        first.held["4.1/3"] += 1
    elif len(openings) >= _ENOUGH_DEALS:
        what = f"{len(openings)} times the same: {openings[0]}"
        violation = Violation("deal", "", "a shuffled deck for everybody", what)
        first.add(Finding(("4.1/3",), ("deal",), violation))


def judge(played: Played, rules: Rules, match: ProbeMatch, *, seeded: bool) -> Compared:
    """All that one match says by itself."""
    compared = compare(played, rules, match)
    for case, members in rules.probes().common.items():
        compared.held[case] += sum(compared.held[member] for member in members)
    if not compared.stopped:
        for check in check_processes(played):
            if check.problem is None:
                compared.held[check.case] += 1
            else:
                compared.add(check.problem)
        if seeded and not compared.findings:
            check_seed(played, compared, rules)
    return compared
