"""Run conformance cases on a bot, for Dominion either a part of them or the rest."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest

from referee.bots.command import BotSource, PythonBot
from referee.conformance.case import Case, load_cases, select
from referee.conformance.driver import ConformanceLimits
from referee.conformance.suite import Suite
from referee.conformance.verdict import Result, Status
from referee.games import GAMES
from referee.games.dominion import RULES
from tests.support.live import ROOT

CASES = load_cases(RULES).cases
_FIRST = {case.id[0]: case for case in reversed(CASES)}
_BASIC = [case for case in CASES if case.basic]
SOME = [case for case in CASES if case in _BASIC[::2] or case in _FIRST.values()]
REST = [case for case in CASES if case not in SOME]


def some_and_rest(mark: pytest.MarkDecorator) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "cases", [SOME, pytest.param(REST, marks=mark)], ids=["some", "rest"]
    )


def situation_of_the_page(game: str) -> dict[str, Any]:
    """Return the example of a situation in tests/conformance/README.md, for a game."""
    text = (ROOT / "tests" / "conformance" / "README.md").read_text()
    part = text[text.index(f"(`{game}`)\n") :]
    situation: dict[str, Any] = json.loads(re.findall(r"```json\n(.*?)```", part, re.DOTALL)[0])
    return situation


# Longer than any bot needs, even on a busy machine.
PATIENT = ConformanceLimits(timeout=60.0, grace=10.0)


async def failed(
    bot: BotSource, game: str, patterns: Sequence[str] = (), limits: ConformanceLimits = PATIENT
) -> list[str]:
    """Return the ids of the game's cases that a bot fails. Skipped cases don't count."""
    definition = GAMES[game]
    cases = select(load_cases(definition).cases, patterns)
    report = await Suite(cases, bot, definition, seed=1, limits=limits).run(strict=True)
    fine = (Status.PASSED, Status.SKIPPED)
    return [result.id for result in report.cases if result.status not in fine]


async def failures(bot: BotSource, cases: list[Case]) -> list[Result]:
    """Run these Dominion cases, including those for SHOULD, and return the failures.

    Some cases can't be run with a Python object as the bot, so they may be skipped for objects.
    """
    report = await Suite(cases, bot, RULES, seed=1, limits=PATIENT).run(strict=True)
    assert len(report.cases) == len(cases)
    fine = {Status.PASSED}
    if isinstance(bot, PythonBot):
        assert report.passed > len(cases) * 0.8
        fine.add(Status.SKIPPED)
    return [result for result in report.cases if result.status not in fine]
