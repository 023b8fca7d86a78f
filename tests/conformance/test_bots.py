"""Bots with one mistake must fail exactly the expected cases. Odd but correct bots must pass.

The table has the expected results over all cases. By default a test only runs one case that the bot
fails, with its controls. If it is marked `slow`, it runs the basic cases and those of the sections
that the bot gets wrong. To run all cases against all bots, or against the given ones, use
`python -m tests.conformance.test_bots [MODE...]`. That takes minutes.

Bots whose output and exit are as usual run as Python objects. The others are processes.
"""

from __future__ import annotations

import py_compile
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from msgspec import Struct

from referee.bots.bot import Answer, Failure
from referee.bots.command import BotCommand, BotSource, PythonBot
from referee.bots.in_process import InProcessBot
from referee.conformance.case import Case, load_cases
from referee.conformance.driver import ConformanceLimits
from referee.conformance.suite import Suite
from referee.conformance.verdict import Report, Status
from referee.games import GAMES
from referee.games.dominion import RULES
from referee.games.interface.faults import Disqualification
from tests.conformance import wrong_bot

CASES = {case.id: case for case in load_cases(RULES).cases}
BOT = Path(__file__).parent / "wrong_bot.py"
ARGUMENTS = {"starts-slowly": "6.0", "thinks-too-long": "6.0", "exits-slowly": "1.5"}
AT_ONCE = 16
"""How many bots of `WAITING` run at the same time."""

PATIENT = ConformanceLimits(timeout=60.0, grace=10.0, quiet=0.05)
"""For bots that never time out. Long limits don't slow them down and help on a busy machine."""
LISTENING = ConformanceLimits(timeout=60.0, grace=10.0, quiet=10.0)
"""For bots that write without a request. We stop waiting as soon as the line arrives."""
BRIEF = ConformanceLimits(timeout=4.0, grace=1.0, quiet=0.05)
"""For bots that run into the timeout."""
STAYING = ConformanceLimits(timeout=10.0, grace=0.5, quiet=0.05, rest=0.05)
"""For bots that exit after the grace period but before the timeout."""
ENDING = ConformanceLimits(timeout=4.0, grace=1.0, quiet=0.05, rest=0.05)
"""For bots that never exit. They write nothing at the end, so we don't listen for long."""
WAITING = (BRIEF, STAYING, ENDING)


class Wrong(Struct, frozen=True):
    """The expected results of a wrong bot over all cases.

    Attributes:
        failed: Ids of the failed cases, with wildcards.
        unjudged: Ids of the cases that couldn't be judged, with wildcards.
        passed: Ids of the cases that pass, if all others are unjudged. Replaces `unjudged`.
        run: Cases that a test adds to the basic ones, if the bot runs into timeouts.
        limits: Time limits for its runs.
    """

    failed: str
    unjudged: str = ""
    passed: str | None = None
    run: str = ""
    limits: ConformanceLimits = PATIENT


def ids(patterns: str) -> set[str]:
    found = {id for id in CASES for pattern in patterns.split() if fnmatchcase(id, pattern)}
    for pattern in patterns.split():
        assert any(fnmatchcase(id, pattern) for id in CASES), f"{pattern} names no case"
    return found


# These pass even if the bot can't play: the handshake, and simple cases about play-turn.
NAMED = "1.1/1 1.1/2 1.2/1 3.1/1 3.1/2 3.1/4 3.1/5 3.1/6 3.3/1 3.4/1"
PLAYED = "1.1/6 1.1/7 1.2/2 1.2/3 1.2/4 1.3/1 5.1/6 5.4/1 5.5/1 5.5/2"
# All cases that a bot can't finish if it doesn't answer an attack.
ATTACKS = "1.5/4 2.9/1 4.1/* 7.1/2 7.1/3 7.1/4 7.1/5 7.2/* 7.3/*"


def vital(failed: str, passed: str = "", limits: ConformanceLimits = PATIENT) -> Wrong:
    return Wrong(failed, passed=passed, limits=limits)


def grouped(run: str, bots: dict[str, Wrong]) -> Iterator[tuple[str, Wrong]]:
    """Give bots that get the same section wrong the same `run`, unless they have their own."""
    for name, wrong in bots.items():
        yield (
            name,
            Wrong(wrong.failed, wrong.unjudged, wrong.passed, wrong.run or run, wrong.limits),
        )


OUTPUT = {
    "no-flush": vital("1.1/1", limits=BRIEF),
    "flushes-the-name-only": vital("1.1/6", NAMED, BRIEF),
    "no-line-end": vital("1.1/2", limits=BRIEF),
    "no-line-end-in-play": vital("1.1/7", NAMED, BRIEF),
    "single-quotes": vital("1.1/2"),
    "single-quotes-in-play": vital("1.1/7", NAMED),
    "latin-1": vital("1.1/2"),
    "byte-order-mark": vital("1.1/2"),
    "nan": vital("1.1/2"),
    "null-for-a-name": vital("1.1/2"),
    "arrays-in-play": vital("1.1/7", NAMED),
    "two-objects-in-a-line": vital("1.1/2"),
    "pretty-printed": vital("1.1/2"),
    "pretty-printed-in-play": vital("1.1/7", NAMED),
    "banner": vital("1.2/1"),
    "prompts": vital("1.2/1"),
    "replies-twice": vital("1.2/2", NAMED),
    "plays-twice": vital("1.2/2", NAMED, LISTENING),
    "prints-debug-lines": vital("1.2/2", NAMED),
    "prints-debug-objects": vital("1.2/2", NAMED),
    "answers-news": vital("1.2/2", NAMED),
    "answers-news-with-clean-up": vital("1.2/2", NAMED, LISTENING),
    "answers-gains": vital("1.2/2", NAMED),
    "says-goodbye": Wrong("1.2/4"),
    "floods-at-the-end": Wrong("1.2/4"),
    "long-lines": vital("1.3/1"),
    "floods-blank-lines": vital("1.3/1", NAMED),
}

READING = {
    "reads-ascii": Wrong("1.1/3"),
    "reads-pieces-as-lines": Wrong("1.1/4", "8.1/1"),
    "depends-on-the-order-of-fields": Wrong("1.1/5 1.5/4", limits=BRIEF),
    "reads-slowly": Wrong("8.1/1", run="1.5/2 2.5/1 8.1/1", limits=BRIEF),
    "crashes-on-unknown-types": Wrong("1.5/1 1.5/2 1.5/3"),
    "answers-unknown-types": Wrong("1.5/1 1.5/2 1.5/3"),
    "crashes-on-what-comes-before-the-handshake": Wrong("1.5/1"),
    "crashes-on-long-lines": Wrong("1.5/3"),
    "crashes-on-unknown-fields": Wrong("1.5/4"),
}

NEWS = {
    "crashes-on-three-players": Wrong(
        "4.1/3 4.1/4 4.1/5 4.4/2", "1.1/3 1.5/4 2.7/1 2.9/1 2.13/1 7.1/5 8.3/1 8.3/3 9/1"
    ),
    "crashes-on-four-players": Wrong("4.1/6 4.1/7 4.1/8 4.1/9 4.4/3", "2.2/1 6.3/1 7.1/4 8.3/2"),
    "crashes-on-empty-names": Wrong("2.2/1"),
    "crashes-when-others-gain": vital("2.5/1", f"{NAMED} {PLAYED}"),
    "crashes-when-others-trash": Wrong("2.7/1 4.1/1 4.1/[3-9]"),
    "crashes-when-others-reveal": Wrong("2.9/1 4.1/1 4.1/3 4.1/4 4.1/[6-9] 6.3/1"),
    "crashes-when-others-shuffle": Wrong(
        "2.10/1 4.1/* 4.4/1", "2.6/1 2.7/1 4.4/2 4.4/3 5.3/5 7.1/5 8.3/1"
    ),
    "crashes-on-disqualification": Wrong("2.13/1 8.3/1 8.3/2 8.3/3", "9/1"),
    "answers-disqualifications-with-clean-up": Wrong("2.13/1 8.3/1 8.3/2 8.3/3"),
    "crashes-on-unknown-codes": Wrong("9/1"),
}

HANDSHAKE = {
    "always-player-1": Wrong("3.1/3"),
    "no-player-number": Wrong("3.1/2 3.1/3"),
    "player-number-as-integer": Wrong("3.1/2 3.1/3"),
    "no-name": Wrong("3.1/4"),
    "name-null": Wrong("3.1/4"),
    "name-list": Wrong("3.1/4"),
    "no-type": vital("3.1/1"),
    "type-of-the-news": vital("3.1/1"),
    "no-version": Wrong("3.1/5"),
    "version-2": vital("3.3/1", NAMED.replace("3.3/1", "")),
    "version-as-string": vital("3.3/1", NAMED.replace("3.3/1", "")),
    "version-true": vital("3.3/1", NAMED.replace("3.3/1", "")),
    "exits-at-once": vital("3.4/1"),
    "starts-slowly": vital("3.4/1", limits=BRIEF),
    "never-answers": vital("3.4/1", limits=BRIEF),
}

TURNS = {
    "exits-after-its-first-turn": vital("1.2/3", NAMED),
    "thinks-too-long": vital("1.2/3", NAMED, BRIEF),
    "overlooks-the-last-question": vital("1.2/3", NAMED, BRIEF),
    "no-type-in-play": vital("5.5/1", NAMED),
    "unknown-phase": Wrong("5.5/2"),
    "no-phase": Wrong("5.5/2"),
    "keeps-buying": Wrong("5.1/1"),
    "top-discard-not-held": Wrong("5.1/6"),
    "plays-without-actions": Wrong("5.3/2"),
    "plays-what-it-does-not-hold": Wrong("5.4/1"),
    "plays-copper-as-an-action": Wrong("5.4/1"),
    "treasures-null": Wrong("4.1/* 4.4/1 5.2/*"),
    "buys-null": Wrong("4.1/* 4.4/1 5.2/*"),
    "buys-an-unknown-card": Wrong("4.1/* 4.4/1 5.2/*"),
    "plays-a-copper-too-many": Wrong("4.1/* 4.4/1 5.2/*"),
    "plays-the-whole-hand-as-treasures": Wrong("4.1/* 4.4/1 5.2/1 5.2/2 5.2/3 5.2/6 5.2/8"),
    "counts-one-coin-too-many": Wrong("4.1/* 4.4/1 5.2/1 5.2/6 5.2/8"),
    "counts-every-card-as-a-coin": Wrong("4.1/* 4.4/1 5.2/1 5.2/2 5.2/6 5.2/8"),
    "ignores-the-number-of-buys": Wrong("4.1/1 4.1/5 4.1/6 5.2/4 5.2/5"),
    "buys-from-empty-piles": Wrong("2.4/1 4.1/8 5.2/3 5.2/4 5.2/7"),
    "buys-the-last-card-twice": Wrong("5.2/4 5.2/7"),
    "crashes-on-an-empty-hand": Wrong("5.1/3", "6.1/2 6.6/3"),
    "crashes-on-a-long-hand": Wrong("5.1/4"),
    "crashes-on-large-numbers": Wrong("5.2/7"),
}

CARDS = {
    "cellar-discards-null": Wrong("5.3/1 5.3/3 6.1/1 6.1/2 6.1/3"),
    "cellar-discards-itself": Wrong("5.3/1 5.3/3 6.1/1 6.1/2 6.1/3"),
    "cellar-discards-a-card-twice": Wrong("5.3/1 5.3/3 6.1/1"),
    "mine-without-wish": Wrong("5.3/3 6.4/1 6.4/3"),
    "mine-gains-no-treasure": Wrong("5.3/3 6.4/1 6.4/3"),
    "mine-trashes-estate": Wrong("5.3/3 6.4/1 6.4/3"),
    "mine-always-wants-gold": Wrong("5.3/3 6.4/1 6.4/3"),
    "mine-overlooks-empty-piles": Wrong("6.4/3"),
    "plays-a-mine-without-treasures": Wrong("6.4/2"),
    "remodel-trashes-itself": Wrong("5.3/3 6.6/1 6.6/4"),
    "remodel-without-trash": Wrong("5.3/3 6.6/1 6.6/3 6.6/4"),
    "remodel-always-adds-three": Wrong("6.6/1"),
    "plays-a-remodel-alone": Wrong("6.6/2"),
    "workshop-without-parameters": Wrong("5.3/3 6.10/1 6.10/2"),
    "workshop-gains-market": Wrong("5.3/3 6.10/1 6.10/2"),
    "workshop-always-wants-silver": Wrong("6.10/2"),
}

UNDER_ATTACK = {
    "never-answers-attacks": Wrong("7.1/1", ATTACKS, run="1.5/4 7.1/4 7.2/*", limits=BRIEF),
    "crashes-on-attacks": Wrong("7.1/1", ATTACKS),
    "answers-attacks-by-a-clean-up": Wrong("7.1/1", ATTACKS),
    "answers-attacks-by-a-list": Wrong("7.1/1", ATTACKS),
    "discards-too-few": Wrong("4.1/* 7.1/[2-5] 7.2/* 7.3/*"),
    "discards-too-many": Wrong("4.1/* 7.1/[2-5] 7.2/* 7.3/*"),
    "discards-null": Wrong("4.1/* 7.1/[2-5] 7.2/* 7.3/*"),
    "discards-curses": Wrong("4.1/* 7.1/[2-5] 7.2/* 7.3/*"),
    "discards-victory-cards-only": Wrong("4.1/* 7.1/[3-5] 7.2/1 7.2/2 7.2/4 7.3/*"),
    "discards-one-card-twice": Wrong("4.1/[2-9] 7.1/3 7.2/2 7.2/4"),
    "discards-always-two": Wrong("7.1/2 7.1/3"),
    "always-reveals-a-moat": Wrong("4.1/* 7.1/[3-5] 7.2/*"),
    "reveals-by-another-word": Wrong("4.1/2 4.1/4 4.1/[6-9] 7.1/2 7.3/*"),
}

END = {
    "ignores-the-end-of-its-input": Wrong("8.4/[3-9]", limits=ENDING, run="8.4/[3-5] 9/2"),
    "never-exits": Wrong("8.4/[1-9]", limits=ENDING, run="8.4/[1-3] 9/2"),
    "exits-slowly": Wrong("8.4/2", limits=STAYING, run="8.4/1 8.4/2 8.4/8 9/2"),
    "stays-when-it-is-alone": Wrong("8.3/4", limits=ENDING),
    "stays-on-unknown-reasons": Wrong("9/2", limits=ENDING),
    "keep-alive-as-a-word": Wrong("3.1/6"),
    "says-keep-alive-and-exits": Wrong("8.4/10"),
    "keeps-its-first-seat": Wrong("8.4/10"),
    "says-hello-again": Wrong("8.4/10"),
}

WRONG = dict(
    [
        *grouped("1.*", OUTPUT),
        *grouped("1.* 8.1/1", READING),
        *grouped("2.* 4.4/* 8.3/* 9/*", NEWS),
        *grouped("3.*", HANDSHAKE),
        *grouped("2.4/1 5.1/1 5.1/3 5.2/1 5.2/4 5.3/2 5.3/3", TURNS),
        *grouped("5.3/3 6.1/1 6.3/1 6.4/1 6.6/1 6.10/1", CARDS),
        *grouped("7.*", UNDER_ATTACK),
        *grouped("8.* 9/*", END),
    ]
)
ODD = sorted(wrong_bot.ODD)


def is_waited_for(mode: str) -> bool:
    return mode in wrong_bot.ALONE and mode in WRONG and WRONG[mode].limits in WAITING


PASSES = Wrong("")


def with_controls(chosen: Iterable[str]) -> set[str]:
    """Add the control cases of these cases, and their control cases, and so on."""
    found = set(chosen)
    todo = list(found)
    while todo:
        control = CASES[todo.pop()].control
        if control and control not in found:
            found.add(control)
            todo.append(control)
    return found


def cases_for(mode: str) -> list[Case]:
    """Return the cases for a test: the basic ones, and the bot's own sections or its `run`."""
    wrong = WRONG[mode]
    chosen = {case.id for case in CASES.values() if case.basic}
    if is_waited_for(mode):  # these are slow in every case
        chosen |= ids(wrong.run)
    else:
        sections = {CASES[id].section for id in ids(wrong.failed)} - {"4.1"}
        chosen |= {case.id for case in CASES.values() if case.section in sections}
    chosen = with_controls(chosen)
    return [case for case in CASES.values() if case.id in chosen]


CODE = compile(BOT.read_text(), str(BOT), "exec")
CRASHED = Failure(Disqualification.EXITED, "its process ended with exit code 1")
LATE = Failure(Disqualification.TIMEOUT, "no reply in time")


class InProcess:
    """Runs a mode of wrong_bot.py as a Python object, with its own copy of the module's globals."""

    def __init__(self, mode: str) -> None:
        self._globals: dict[str, Any] = {"__name__": "wrong_bot"}
        exec(CODE, self._globals)
        self._written: list[bytes] = []
        self._slept: list[float] = []
        self._globals |= {"MODE": mode, "write": self._written.append, "sleep": self._slept.append}

    def reply(self, lines: Sequence[bytes]) -> Answer:
        self._written.clear()
        self._slept.clear()
        try:
            for line in lines:
                assert not self._written, "it answers what is no request"
                self._globals["hear"](msgspec.json.decode(line))
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return CRASHED
        if not self._written or sum(self._slept) > BRIEF.timeout:
            return LATE
        (reply,) = self._written
        assert reply.endswith(b"\n")
        assert reply.count(b"\n") == 1
        return reply[:-1]


async def check(mode: str, program: Path, cases: Sequence[Case]) -> Report:
    bot: BotSource = PythonBot(mode, lambda: InProcessBot(InProcess(mode)))
    if mode in wrong_bot.ALONE:
        arguments = [ARGUMENTS[mode]] if mode in ARGUMENTS else []
        argv = (sys.executable, "-I", "-S", str(program), mode, *arguments)
        bot = BotCommand(mode, argv)
    limits = WRONG.get(mode, PASSES).limits
    jobs = 4 if limits in WAITING else 2
    suite = Suite(list(cases), bot, GAMES["dominion"], seed=1, jobs=jobs, limits=limits)
    return await suite.run()


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("bot"))


def compiled(folder: Path) -> Path:
    """Compile the bot once. That takes longer than everything else it does."""
    program = folder / "wrong_bot.pyc"
    py_compile.compile(str(BOT), cfile=str(program), doraise=True)
    return program


def outcome(report: Report, status: Status) -> set[str]:
    return {result.id for result in report.cases if result.status == status}


def expected(wrong: Wrong) -> tuple[set[str], set[str]]:
    """Return the ids of the cases that must fail, and of those that can't be judged."""
    failed = ids(wrong.failed)
    if wrong.passed is None:
        return failed, ids(wrong.unjudged)
    return failed, CASES.keys() - failed - ids(wrong.passed)


def test_every_way_to_be_wrong_is_here() -> None:
    modes = [mode for table in wrong_bot.TABLES for mode in table]
    assert len(modes) == len(set(modes))
    assert {*WRONG, *ODD} == set(modes)
    assert not WRONG.keys() & ODD
    assert len(WRONG) > 100


def differences(mode: str, report: Report) -> list[str]:
    """Compare a report with the expected results, as far as the cases were run."""
    run = {result.id for result in report.cases} - outcome(report, Status.SKIPPED)
    failed, unjudged = expected(WRONG.get(mode, PASSES))
    found = []
    for name, status, ids in (
        ("failed", Status.FAILED, failed),
        ("unjudged", Status.NOT_JUDGED, unjudged),
    ):
        right, came = ids & run, outcome(report, status)
        if right != came:
            found.append(f"{name}: not {sorted(right - came)}, but {sorted(came - right)}")
    return found


def check_report(mode: str, report: Report) -> None:
    assert differences(mode, report) == [], mode
    failed, _ = expected(WRONG[mode])
    assert outcome(report, Status.FAILED)
    assert not failed & outcome(report, Status.SKIPPED)
    for result in report.cases:
        if result.status == Status.NOT_JUDGED:  # the reason must be one of the failures
            assert set(result.because) & failed, (mode, result.id)


APART = wrong_bot.ALONE | {"reads-slowly"}
"""They are processes, or fail only among other cases."""


def one_of_a_kind(mark: pytest.MarkDecorator, *, alone: bool) -> Iterator[Any]:
    """Yield the modes without timeouts. If several fail the same cases, all but one have a mark."""
    kinds: set[str] = set()
    for mode, wrong in WRONG.items():
        if not is_waited_for(mode) and (alone or mode not in APART):
            yield pytest.param(mode, marks=[mark] if wrong.failed in kinds else [])
            kinds.add(wrong.failed)


@pytest.mark.parametrize("mode", [*one_of_a_kind(pytest.mark.slow, alone=False)])
async def test_a_wrong_bot_fails_a_case_that_it_should(mode: str, program: Path) -> None:
    failed, _ = expected(WRONG[mode])
    # Chapter 4 has whole matches.
    one = min(failed, key=lambda id: (id[0] == "4", len(with_controls({id})), id))
    cases = [case for case in CASES.values() if case.id in with_controls({one})]
    check_report(mode, await check(mode, program, cases))


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize("mode", [*one_of_a_kind(pytest.mark.all_cases, alone=True)])
async def test_a_wrong_bot_fails_what_it_should_and_nothing_else(mode: str, program: Path) -> None:
    check_report(mode, await check(mode, program, cases_for(mode)))


@pytest.mark.slow
async def test_wrong_bots_that_are_waited_for_fail_what_they_should(program: Path) -> None:
    """A single test for all of them, because they can wait at the same time."""
    reports: dict[str, Report] = {}
    limiter = trio.CapacityLimiter(AT_ONCE)

    async def run(mode: str) -> None:
        async with limiter:
            reports[mode] = await check(mode, program, cases_for(mode))

    async with trio.open_nursery() as nursery:
        for mode in filter(is_waited_for, WRONG):
            nursery.start_soon(run, mode)
    assert len(reports) > 10
    for mode, report in reports.items():
        check_report(mode, report)


@pytest.mark.parametrize(
    "mode",
    [
        pytest.param(mode, marks=[pytest.mark.slow] if mode in wrong_bot.ALONE else [])
        for mode in ODD
    ],
)
async def test_an_odd_bot_passes(mode: str, program: Path) -> None:
    basic = [case for case in CASES.values() if case.basic]
    report = await check(mode, program, basic)
    fits = outcome(report, Status.PASSED)
    if mode not in wrong_bot.ALONE:
        fits |= outcome(report, Status.SKIPPED)
    assert fits == {result.id for result in report.cases}
    assert report.conforms


def main(modes: list[str]) -> int:
    """Run all cases and print where they differ from the expected results."""
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        for mode in modes or [*WRONG, *ODD]:
            report = trio.run(check, mode, program, list(CASES.values()))
            found = differences(mode, report)
            different += len(found)
            text = "; ".join(found) or "as expected"
            print(f"{mode}: {text}, {report.seconds:.1f} s", flush=True)
    return min(different, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
