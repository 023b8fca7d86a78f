"""All cases against one bot.

The basic cases come first, one after the other: without a handshake nothing else can be judged, and
what fails there is not counted again. Then those with which others are compared, then the others,
side by side. What the clock fails is run once more, with nothing beside it: a busy machine is no
reason to blame a bot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import trio

from referee.bots.command import BotCommand
from referee.conformance.case import Case
from referee.conformance.driver import Limits, run_case
from referee.conformance.verdict import (
    BY_THE_CLOCK,
    UNPLAYABLE,
    Observed,
    Report,
    Result,
    Status,
    judge,
    summarize,
)
from referee.game import Rules

Tell = Callable[[Result], None]
"""Is told each result, in the order of the cases."""


@dataclass
class Suite:
    """A run of the cases.

    Attributes:
        cases: in the order in which they are reported.
        bot: how the bot is started.
        rules: the game.
        seed: of all matches.
        jobs: how many cases at once.
        limits: for each of them.
        tell: is told each result.
    """

    cases: list[Case]
    bot: BotCommand
    rules: Rules
    seed: int
    jobs: int = 2
    limits: Limits = field(default_factory=Limits)
    tell: Tell = lambda result: None
    _results: dict[str, Result] = field(default_factory=dict, init=False)

    @property
    def done(self) -> int:
        """How many cases have come out."""
        return len(self._results)

    async def run(self, *, strict: bool = False) -> Report:
        """Run all cases; nothing that a bot does makes this fail.

        Args:
            strict: whether SHOULD counts for the verdict.
        """
        started = trio.current_time()
        self._told = 0
        self._known: dict[str, list[str]] = {}
        basic = [case for case in self.cases if case.basic]
        kinds = {kind for case in basic for kind in case.about}
        self._about = {kind: [it.id for it in basic if kind in it.about] for kind in kinds}
        self._slots = trio.CapacityLimiter(self.jobs)
        self._alone = trio.Lock()
        self._confirmed = 0
        for case in basic:
            await self._run(case)
        blocked = sorted({id for kind in UNPLAYABLE for id in self._known.get(kind, ())})
        rest = [case for case in self.cases if not case.basic]
        if blocked:
            for case in rest:
                self._put(_not_run(case, blocked))
        else:
            controls = {case.control for case in rest}
            await self._side_by_side(case for case in rest if case.id in controls)
            await self._side_by_side(case for case in rest if case.id not in controls)
        return summarize(
            [self._results[case.id] for case in self.cases],
            tested="bot",
            command=self.bot.argument,
            game=self.rules.name,
            protocol=self.rules.protocol,
            seed=self.seed,
            strict=strict,
            seconds=trio.current_time() - started,
        )

    async def _side_by_side(self, cases: Iterable[Case]) -> None:
        async with trio.open_nursery() as nursery:
            for case in cases:
                await self._slots.acquire_on_behalf_of(case.id)
                nursery.start_soon(self._run_in_slot, case)

    async def _run_in_slot(self, case: Case) -> None:
        try:
            observed = await self._observe(case)
        finally:
            self._slots.release_on_behalf_of(case.id)
        if self._is_doubtful(case, observed):
            async with self._alone:
                others = [object() for _ in range(self.jobs)]
                for other in others:
                    await self._slots.acquire_on_behalf_of(other)
                try:
                    observed = await self._confirm(case, observed)
                finally:
                    for other in others:
                        self._slots.release_on_behalf_of(other)
        self._put(judge(case, observed, self._known, self._control(case)))

    async def _run(self, case: Case) -> None:
        """Run a basic case, alone as they are."""
        observed = await self._observe(case)
        if self._is_doubtful(case, observed):
            observed = await self._confirm(case, observed)
        result = judge(case, observed, self._about, {})
        if result.status == Status.FAILED:
            for violation in result.violations:
                self._known.setdefault(violation.kind, []).append(case.id)
        self._put(result)

    async def _observe(self, case: Case) -> Observed:
        return await run_case(case, self.bot, self.rules, seed=self.seed, limits=self.limits)

    def _control(self, case: Case) -> dict[str, list[str]]:
        """What shows without what the case is about; empty if that was not run."""
        control = self._results.get(case.control)
        violations = control.violations if control is not None else []
        return {violation.kind: [case.control] for violation in violations}

    def _is_doubtful(self, case: Case, observed: Observed) -> bool:
        seen = self._known.keys() | self._control(case).keys()
        if any(violation.kind in seen for violation in observed.violations):
            return False
        return any(violation.kind in BY_THE_CLOCK for violation in observed.violations)

    async def _confirm(self, case: Case, observed: Observed) -> Observed:
        """Run it again; what showed twice is no accident, and not asked for a third time."""
        if self._confirmed >= _CONFIRMATIONS:
            return observed
        again = await self._observe(case)
        self._confirmed += self._is_doubtful(case, again)
        return again

    def _put(self, result: Result) -> None:
        """Keep a result, and tell all that can be told in order."""
        self._results[result.id] = result
        while self._told < len(self.cases):
            following = self._results.get(self.cases[self._told].id)
            if following is None:
                return
            self._told += 1
            self.tell(following)


_CONFIRMATIONS = 2
"""After so many failures that showed twice the clock of this machine is believed."""


def _not_run(case: Case, because: list[str]) -> Result:
    return Result(
        case.id,
        case.level,
        case.section,
        case.requirement,
        Status.NOT_JUDGED,
        [],
        {},
        because,
        [],
        0.0,
    )
