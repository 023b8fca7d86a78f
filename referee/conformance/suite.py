"""Runs all cases against one bot.

The basic cases run first, one after the other. If the bot fails a vital one such as the handshake,
we can't judge anything else. Otherwise, the remaining cases run in parallel, and ignore mistakes
that we know from the basic cases. Before we judge a case, we wait for the result of its control.

On a busy machine, any bot may look slow. If a case fails because of the clock, we run it once more
while nothing else is running. If the reply is missing again, later cases only wait half a second
for replies to that type of request.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import trio

from referee.bots.command import BotAddress, BotCommand, BotSource
from referee.conformance import verdict
from referee.conformance.case import OTHER_DIALECT, Case
from referee.conformance.driver import ConformanceLimits, Driver
from referee.conformance.verdict import (
    Hung,
    Key,
    Observed,
    Report,
    Result,
    Status,
    judge,
    request_type,
    result_of,
)
from referee.games.interface.definition import GameDefinition


@dataclass
class Suite:
    """Runs cases against a bot.

    Attributes:
        jobs: how many cases to run at the same time. We always use 1 for a bot behind HTTP.
        on_result: called with each result, in the order of `cases`.
        stop_first: if True, stop after the first failure that affects the verdict.
    """

    cases: list[Case]
    bot: BotSource
    definition: GameDefinition
    seed: int
    jobs: int = 2
    limits: ConformanceLimits = field(default_factory=ConformanceLimits)
    on_result: Callable[[Result], None] = lambda result: None
    stop_first: bool = False
    _results: dict[str, Result] = field(default_factory=dict, init=False)

    @property
    def done(self) -> int:
        """Number of finished cases."""
        return len(self._results)

    async def run(self, *, strict: bool = False) -> Report:
        """Run all cases. No behaviour of the bot makes this raise an exception.

        Args:
            strict: if True, a failed SHOULD affects the verdict, too.
        """
        started = trio.current_time()
        self._reported = 0
        self._stopped_at = ""
        self._strict = strict
        self._scope = trio.CancelScope()
        self._hung: Hung = {}
        self._known: dict[Key, list[str]] = defaultdict(list)
        # Requests don't say which match they belong to, so a server can only play one match at a
        # time.
        self._at_once = 1 if isinstance(self.bot, BotAddress) else self.jobs
        self._slots = trio.CapacityLimiter(self._at_once)
        self._alone = trio.Lock()
        self._confirmed = 0
        self._doubtful = 0
        self._notes: dict[str, None] = {}
        self._judged = {case.id: trio.Event() for case in self.cases}
        tried = []
        for case in self.cases:
            if why := why_skipped(case, self.bot):
                self._put(result_of(case, Status.SKIPPED, why=why))
            else:
                tried.append(case)
        with self._scope:
            await self._run_cases(tried)
        for case in self.cases[self._reported :]:
            why = f"-x ended the run at {self._stopped_at}"
            self._results[case.id] = result_of(case, Status.SKIPPED, why=why)
        return verdict.summarize(
            [self._results[case.id] for case in self.cases],
            tested="bot",
            command=self.bot.argument,
            game=self.definition.name,
            protocol=self.definition.protocol,
            seed=self.seed,
            strict=strict,
            seconds=trio.current_time() - started,
            notes=list(self._notes),
            sandbox=self.limits.sandbox.kind,
        )

    async def _run_cases(self, cases: Sequence[Case]) -> None:
        blocked = await self._run_basic([case for case in cases if case.basic])
        rest = [case for case in cases if not case.basic]
        if blocked:
            for case in rest:
                self._put(result_of(case, Status.NOT_JUDGED, because=blocked))
            return
        async with trio.open_nursery() as nursery:
            for case in rest:
                await self._take_slot(case)
                nursery.start_soon(self._run_in_slot, case)

    async def _run_basic(self, cases: Iterable[Case]) -> list[str]:
        """Run the basic cases in order, and return the ids of the vital cases that failed.

        Cases with the same script share one run.
        """
        groups: dict[bytes, list[Case]] = defaultdict(list)
        for case in cases:
            groups[case.script].append(case)
        unclear: list[tuple[Case, Observed]] = []
        blocked: list[str] = []
        for group in groups.values():
            if blocked:
                for case in group:
                    self._put(result_of(case, Status.NOT_JUDGED, because=blocked))
                continue
            observed = await self._observe(group[0])
            if self._is_doubtful(observed):
                observed = await self._confirm(group[0], observed)
            for case in group:
                result = judge(case, observed, self._known, {})
                if result.status == Status.NOT_JUDGED:
                    # we'll try again when we know more of the bot's mistakes
                    unclear.append((case, observed))
                    continue
                if result.status == Status.FAILED:
                    for violation in result.violations:
                        self._known[violation.key].append(case.id)
                    if case.vital:
                        blocked.append(case.id)
                self._put(result)
        for case, observed in unclear:
            self._put(judge(case, observed, self._known, {}))
        return blocked

    async def _take_slot(self, case: Case) -> None:
        # While a failure is being confirmed, don't start another case. It may hang in the same way,
        # and we can save the wait once we know.
        await self._slots.acquire_on_behalf_of(case.id)
        while self._doubtful:
            self._slots.release_on_behalf_of(case.id)
            async with self._alone:
                pass
            await self._slots.acquire_on_behalf_of(case.id)

    async def _run_in_slot(self, case: Case) -> None:
        is_doubtful = False
        try:
            observed = await self._observe(case)
            is_doubtful = self._is_doubtful(observed)
            self._doubtful += is_doubtful
        finally:
            self._slots.release_on_behalf_of(case.id)
        # Confirm the failure before we wait for the control. Until it's confirmed, other cases may
        # be waiting for the same reply.
        if is_doubtful:
            async with self._alone:
                others = [object() for _ in range(self._at_once)]
                for other in others:
                    await self._slots.acquire_on_behalf_of(other)
                try:
                    observed = await self._confirm(case, observed)
                finally:
                    self._doubtful -= 1
                    for other in others:
                        self._slots.release_on_behalf_of(other)
        self._put(judge(case, observed, self._known, await self._control(case)))

    async def _observe(self, case: Case, *, look: bool = True) -> Observed:
        driver = Driver(
            case,
            self.bot,
            self.definition,
            self.seed,
            self.limits,
            self._known,
            self._hung,
            look=look,
        )
        observed = await driver.run()
        self._notes.update(dict.fromkeys(observed.notes))
        return observed

    async def _control(self, case: Case) -> dict[str, list[str]]:
        # A mistake that the bot also makes in the control, or in the control's own control, has
        # nothing to do with this case.
        found: dict[str, list[str]] = defaultdict(list)
        while case.control in self._judged:
            await self._judged[case.control].wait()
            control = self._results[case.control]
            for violation in control.violations if control.status == Status.FAILED else []:
                found[violation.kind].append(control.id)
            case = next(other for other in self.cases if other.id == control.id)
        return found

    def _is_doubtful(self, observed: Observed) -> bool:
        """Return True if the bot may have failed only because the machine is slow."""
        found = observed.violations
        if any(violation.key in self._known for violation in found):
            return False
        return any(violation.kind in verdict.BY_THE_CLOCK for violation in found)

    async def _confirm(self, case: Case, observed: Observed) -> Observed:
        # Run the case again. If a reply is missing both times, the bot really hangs, and later
        # cases don't wait for replies to the same type of request.
        if self._confirmed >= _CONFIRMATIONS or self._is_hung(observed):
            return observed
        again = await self._observe(case, look=False)
        if not self._is_doubtful(again):
            return again
        self._confirmed += 1
        missing = {request_type(violation.request) for violation in again.violations}
        for violation in observed.violations:
            asked = request_type(violation.request)
            if violation.kind in verdict.UNANSWERED and asked in missing:
                self._hung[asked] = (case.id, violation)
        return observed

    def _is_hung(self, observed: Observed) -> bool:
        return all(
            request_type(violation.request) in self._hung
            for violation in observed.violations
            if violation.kind in verdict.BY_THE_CLOCK
        )

    def _put(self, result: Result) -> None:
        if self._stopped_at:
            return
        self._results[result.id] = result
        self._judged[result.id].set()
        while self._reported < len(self.cases):
            following = self._results.get(self.cases[self._reported].id)
            if following is None:
                return
            self._reported += 1
            self.on_result(following)
            counts = self._strict or following.level == "MUST"
            if self.stop_first and following.status == Status.FAILED and counts:
                self._stopped_at = following.id
                self._scope.cancel()
                return


# We only run a case again until this many failures are confirmed. After that, we believe the clock,
# because it would take forever to confirm every failure of a bot that always hangs.
_CONFIRMATIONS = 2


def why_skipped(case: Case, bot: BotSource) -> str:
    """Explain why we can't run a case with this bot. Returns "" if we can."""
    if not fnmatchcase(bot.dialect, case.speaks):
        spoken = case.speaks.rstrip("*") or "the game's own messages"
        return f"{OTHER_DIALECT} {spoken}"
    about = set(case.about)
    if about and about <= verdict.OF_A_SERVER and not isinstance(bot, BotAddress):
        return "only for bots behind HTTP"
    of_a_process = case.close or case.exits or case.again or case.pieces
    if not (of_a_process or (about and about <= verdict.OF_A_PROCESS)):
        return ""
    return "" if isinstance(bot, BotCommand) else "only for processes"
