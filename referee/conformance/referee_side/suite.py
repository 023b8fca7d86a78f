"""All matches with one referee, side by side, and what they say together."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Collection, Sequence

import trio

from referee.conformance.referee_side.cases import RefereeCase, load_referee_cases
from referee.conformance.referee_side.process import check_processes
from referee.conformance.referee_side.recording import Played
from referee.conformance.referee_side.retelling import Found, Retold, retell
from referee.conformance.referee_side.running import play_match
from referee.conformance.referee_side.seeds import SEED_CASES, check_seed, compare_twins
from referee.conformance.referee_side.template import Template
from referee.conformance.referee_side.verdicts import results
from referee.conformance.verdict import Report, Result, Violation, summarize
from referee.game import ProbeMatch, Rules

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

    Raises:
        UsageError: the command cannot be used.
    """
    template = Template(command)
    if any(not any(_is_about(match, [id]) for match in rules.probes.matches) for id in about):
        about = ()
    suite = _Suite(template, rules, cases, seed, jobs, timeout, tell_match)
    started = trio.current_time()
    await suite.play(
        [
            match
            for match in rules.probes.matches
            if len(match.seats) in template.seats
            and (not only or any(fnmatch.fnmatchcase(match.id, pattern) for pattern in only))
            and (not about or _is_about(match, about))
        ],
        rounds,
    )
    seconds = trio.current_time() - started
    judged = {case.id for case in cases if case.applies(template)}
    found = results(load_referee_cases().cases, judged, suite.retold, suite.played, seconds)
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
        self.retold: list[Retold] = []
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
        if not matches:
            return
        await self._one(matches[0], self._seed)
        if self._is_hopeless():
            return
        await self._all(matches[1:], 0)
        for number in range(1, rounds):
            if self._departs_everywhere():
                break
            unseen = self._unseen()
            await self._all([match for match in matches if _is_about(match, unseen)], number)
        self._check_deals()
        if self._template.seeded and self._hangs < _MOST_HANGS:
            await self._check_seeds(matches[0])

    def _is_hopeless(self) -> bool:
        """Whether not even a first request came: then there is nothing to wait for."""
        return not any(each.passed["2.1/1"] for each in self.retold)

    def _departs_everywhere(self) -> bool:
        """Whether it is a departure, and not chance, that keeps most cases from being seen."""
        return sum(each.departure is not None for each in self.retold) > len(self.retold) / 2

    def _unseen(self) -> list[str]:
        """The cases that were neither right nor broken so far."""
        seen = {case for each in self.retold for case, count in each.passed.items() if count}
        for each in self.retold:
            if each.departure is not None:
                seen.update(each.departure.candidates)
        return [case.id for case in self._cases if case.id not in seen]

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
        played = await play_match(
            self._template, self._rules, match, seed=seed, limit=self._timeout
        )
        if seed != self._seed:
            played.id = f"{match.id} {seed}"
        self._hangs += played.exit_code is None
        self._judge(played)
        self._tell_match()

    def _judge(self, played: Played) -> None:
        told = retell(played, self._rules)
        self.played[played.id] = played
        self.retold.append(told)
        if told.departure is None:
            for check in check_processes(played):
                if check.problem is None:
                    told.passed[check.case] += 1
                else:
                    told.noted.append(check.problem)
        if self._template.seeded and told.departure is None:
            check_seed(played, told, self._rules)

    async def _check_seeds(self, match: ProbeMatch) -> None:
        """Play a match once more (4.7)."""
        played = await play_match(
            self._template, self._rules, match, seed=self._seed, limit=self._timeout
        )
        if not compare_twins(self.played[match.id], played, self.retold[0], self._rules):
            # Then it is no news that a match is not what its seed says.
            for told in self.retold:
                told.noted = [f for f in told.noted if f.candidates[-1] not in SEED_CASES]
                for case in SEED_CASES:
                    del told.passed[case]

    def _check_deals(self) -> None:
        """See that not everybody always begins with the same (4.1)."""
        openings = [opening for told in self.retold for opening in told.openings]
        if len(set(openings)) > 1:
            self.retold[0].passed["4.1/3"] += 1
        elif len(openings) >= _ENOUGH_DEALS:
            what = f"{len(openings)} times the same: {openings[0]}"
            violation = Violation("deal", "", "a shuffled deck for everybody", what)
            self.retold[0].noted.append(Found(["4.1/3"], violation))
