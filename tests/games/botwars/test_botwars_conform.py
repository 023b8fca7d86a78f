"""The conformance cases of Bot Wars: right bots pass them, and each wrong bot fails its own."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from helpers import ROOT

from referee.bots.command import resolve_bot
from referee.conformance.case import load_cases, select
from referee.conformance.driver import Limits
from referee.conformance.suite import Suite
from referee.conformance.verdict import Status
from referee.games import GAMES

RULES = GAMES["botwars"]
CASES = load_cases(RULES).cases
BOTS = sorted((ROOT / "example_bots" / "botwars").glob("*.py"))
CANONICAL = [
    bot for bot in BOTS if "player-name-reply" in bot.read_text() and "http" not in bot.stem
]
WRONG = Path(__file__).with_name("wrong_wars_bot.py")
PATIENT = Limits(timeout=30.0, grace=10.0)
"""No bot needs so long, however busy the machine is."""
HASTY = Limits(timeout=1.0, grace=0.2)
"""For a bot that is known not to answer."""


async def failed(argument: str, patterns: list[str], limits: Limits = PATIENT) -> list[str]:
    """The ids of the cases that a bot does not pass."""
    cases = select(CASES, patterns)
    suite = Suite(cases, resolve_bot(argument), RULES, seed=1, limits=limits)
    report = await suite.run(strict=True)
    return [result.id for result in report.cases if result.status != Status.PASSED]


@pytest.mark.parametrize(
    "bot",
    [
        pytest.param(bot, id=bot.stem, marks=[pytest.mark.all_cases] if place else [])
        for place, bot in enumerate(CANONICAL)
    ],
)
async def test_an_example_bot_conforms(bot: Path) -> None:
    assert await failed(str(bot), []) == []


SOME = [case.id for case in CASES if case.basic or case.section[0] in "45" or case.id[-2:] == "/1"]


async def test_a_classic_bot_conforms() -> None:
    assert len(SOME) > 45
    walker = ROOT / "example_bots" / "botwars" / "classic_walker.py"
    adapter = Path(__file__).with_name("classic_adapter.py")
    words = [sys.executable, str(adapter), sys.executable, "-I", "-S", str(walker)]
    assert await failed(shlex.join(words), SOME) == []


MODES = {
    "talks first": ["1.2/1"],
    "says it twice": ["1.2/2", "1.2/4"],
    "answers news": ["1.2/2", "2.5/2"],
    "thanks at the end": ["1.2/4"],
    "knows all types": ["1.5/1", "1.5/2", "1.5/3"],
    "always player 1": ["3.1/3"],
    "exits after a turn": ["1.2/3", "4.4/1"],
    "bare array": ["5.1/1", "5.1/2"],
    "other type": ["5.1/1"],
    "strings": ["5.1/1", "5.1/2", "5.1/3"],
    "pairs": ["5.1/1", "5.1/2", "5.1/3"],
    "needs energy": ["4.2/1", "4.3/4"],
    "needs a botlet": ["4.2/1", "4.2/2"],
    "moves its spawn point": ["4.2/3"],
    "always red": ["2.4/2"],
    "moves everybody": ["2.4/1", "2.4/2"],
    "20 columns": ["5.2/1"],
    "out of the grid": ["5.2/1", "5.2/2"],
    "moves twice": ["5.2/3", "5.2/4", "5.2/5"],
}


@pytest.mark.parametrize("mode", MODES)
async def test_a_wrong_bot_fails_its_cases(mode: str) -> None:
    wrong = shlex.join([sys.executable, "-I", "-S", str(WRONG), mode])
    for case in MODES[mode]:
        assert await failed(wrong, [case]) == [case]


async def test_a_bot_that_does_not_answer_or_exit_fails() -> None:
    silent = shlex.join([sys.executable, "-I", "-S", str(WRONG), "silent without moves"])
    assert await failed(silent, ["4.2/1"], HASTY) == ["4.2/1"]
    stays = shlex.join([sys.executable, "-I", "-S", str(WRONG), "stays"])
    assert await failed(stays, ["8.4/1", "8.4/3"], HASTY) == ["8.4/1", "8.4/3"]


async def test_the_bot_without_a_mistake_passes() -> None:
    right = shlex.join([sys.executable, "-I", "-S", str(WRONG), "none"])
    assert await failed(right, []) == []


def test_every_case_is_about_a_section_that_there_is() -> None:
    page = (ROOT / "spec" / "botwars" / "protocol.md").read_text()
    sections = set(re.findall(r"^### (\d+\.\d+) ", page, flags=re.MULTILINE))
    assert len(CASES) > 60
    assert len({case.id for case in CASES}) == len(CASES)
    assert {case.section for case in CASES} <= sections
    order = [[int(part) for part in re.split("[./]", case.id)] for case in CASES]
    assert order == sorted(order)


def test_controls_are_there() -> None:
    ids = {case.id for case in CASES}
    assert {case.control for case in CASES} - {""} <= ids


def test_the_situations_are_of_the_size_of_their_options() -> None:
    file = json.loads(RULES.cases())  # type: ignore[misc]
    for case in file["cases"]:
        if "situation" in case:
            options = file["options"] | case.get("options", {})
            grid = case["situation"]["grid"]
            assert len(grid) == options["rows"], case["id"]
            assert {len(row) for row in grid} == {options["cols"]}, case["id"]
