"""What a bot fails; all cases of Dominion, parted in those that the tests run and the rest."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from referee.bots.command import BotSource, PythonBot
from referee.conformance.case import Case, load_cases, select
from referee.conformance.driver import ConformanceLimits
from referee.conformance.suite import Suite
from referee.conformance.verdict import Result, Status
from referee.games import GAMES
from referee.games.dominion import RULES

CASES = load_cases(RULES).cases
_FIRST = {case.id[0]: case for case in reversed(CASES)}
_BASIC = [case for case in CASES if case.basic]
SOME = [case for case in CASES if case in _BASIC[::2] or case in _FIRST.values()]
REST = [case for case in CASES if case not in SOME]


def some_and_rest(mark: pytest.MarkDecorator) -> pytest.MarkDecorator:
    """Run a test with some cases, and with this mark with the rest."""
    return pytest.mark.parametrize(
        "cases", [SOME, pytest.param(REST, marks=mark)], ids=["some", "rest"]
    )


PATIENT = ConformanceLimits(timeout=60.0, grace=10.0)
"""No bot needs so long, however busy the machine is."""


async def failed(
    bot: BotSource, game: str, patterns: Sequence[str] = (), limits: ConformanceLimits = PATIENT
) -> list[str]:
    """The ids of the cases of a game that a bot does not pass, of those that can be tried."""
    rules = GAMES[game]
    cases = select(load_cases(rules).cases, patterns)
    report = await Suite(cases, bot, rules, seed=1, limits=limits).run(strict=True)
    fine = (Status.PASSED, Status.SKIPPED)
    return [result.id for result in report.cases if result.status not in fine]


async def failures(bot: BotSource, cases: list[Case]) -> list[Result]:
    """The cases that a bot does not pass, SHOULD among them.

    Some cannot be tried with an object in this process; they are few, and no failures.
    """
    report = await Suite(cases, bot, RULES, seed=1, limits=PATIENT).run(strict=True)
    assert len(report.cases) == len(cases)
    fine = {Status.PASSED}
    if isinstance(bot, PythonBot):
        assert report.passed > len(cases) * 0.8
        fine.add(Status.SKIPPED)
    return [result for result in report.cases if result.status not in fine]
