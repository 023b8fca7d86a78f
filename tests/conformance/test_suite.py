"""Running the suite: timeouts, opponents that fail, and bots that don't start."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
import trio

from referee.bots.command import BotCommand, resolve_bot
from referee.conformance.case import Case, load_cases
from referee.conformance.driver import ConformanceLimits
from referee.conformance.suite import Suite
from referee.conformance.verdict import Report, Result, Status
from referee.games import GAMES
from referee.games.dominion import RULES

CASES = load_cases(RULES).cases
BOT = Path(__file__).parent / "wrong_bot.py"


def suite(cases: Iterable[Case], bot: BotCommand, timeout: float = 10.0) -> Suite:
    limits = ConformanceLimits(timeout=timeout, quiet=0.05)
    return Suite(list(cases), bot, GAMES["dominion"], seed=1, limits=limits)


def python(*arguments: str) -> BotCommand:
    return BotCommand("bot", (sys.executable, "-I", "-S", *arguments))


def chosen(*ids: str) -> list[Case]:
    return [case for case in CASES if case.id in ids]


def statuses(report: Report) -> dict[str, Status]:
    return {result.id: result.status for result in report.cases}


async def test_a_program_that_cannot_be_started() -> None:
    told: list[Result] = []
    run = suite(CASES, BotCommand("bot", ("/no/such/program",)))
    run.on_result = told.append
    report = await run.run()
    assert [result.id for result in report.cases] == [case.id for case in CASES]
    assert told == report.cases
    assert run.done == len(CASES)
    assert (report.passed, report.failed) == (0, 1)
    (failed,) = [result for result in report.cases if result.status == Status.FAILED]
    assert failed.id == "3.4/1"
    (violation,) = failed.violations
    assert (violation.kind, violation.expected) == ("not-started", "a program that starts")


LATE_ONCE = """
import json, os, sys
late = not os.path.exists({mark!r})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == {type!r} and late:
        open({mark!r}, "w").close()
        continue
    match message["type"]:
        case "player-name-request":
            me = message["player_number"]
            reply = {{"type": "player-name-reply", "player_number": me, "name": "", "version": 1}}
        case "play-turn":
            reply = {{"type": "play-reply", "phase": "cleanup"}}
        case "attack-request":
            reply = {{"type": "attack-reply", "discard": message["options"][: message["discard"]]}}
        case _:
            continue
    print(json.dumps(reply), flush=True)
"""


HANGS = """
import json, signal, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == {type!r}:
        signal.pause()
    match message["type"]:
        case "player-name-request":
            me = message["player_number"]
            reply = {{"type": "player-name-reply", "player_number": me, "name": "", "version": 1}}
        case "play-turn":
            reply = {{"type": "play-reply", "phase": "cleanup"}}
        case _:
            continue
    print(json.dumps(reply), flush=True)
"""


@pytest.mark.slow
async def test_what_the_clock_fails_once_is_no_failure(tmp_path: Path) -> None:
    """A busy machine can make a bot late, so any case that times out is run a second time."""

    async def run(kind: str, id: str) -> None:
        mark = tmp_path / id.replace("/", "-")
        bot = python("-c", LATE_ONCE.format(mark=str(mark), type=kind))
        report = await suite(chosen(id), bot, timeout=3.0).run()
        assert statuses(report) == {id: Status.PASSED}
        assert mark.exists()

    async with trio.open_nursery() as nursery:  # they mostly sleep
        nursery.start_soon(run, "player-name-request", "3.4/1")
        nursery.start_soon(run, "play-turn", "1.2/3")
        nursery.start_soon(run, "play-turn", "5.1/3")


async def test_what_is_waited_for_in_vain_twice_is_not_asked_a_third_time(tmp_path: Path) -> None:
    """Three cases need a reply that never comes. Only one is repeated, so there are four starts."""
    starts = tmp_path / "starts"
    code = 'printf x >> "$0"; while read line; do :; done'
    bot = BotCommand("bot", ("/bin/sh", "-c", code, str(starts)))
    cases = [Case(f"3.4/{number}", "MUST", "A reply.") for number in (1, 2, 3)]
    report = await suite(cases, bot, timeout=0.5).run()
    assert set(statuses(report).values()) == {Status.FAILED}
    assert len(starts.read_text()) == 4


async def test_a_hang_that_was_waited_for_twice_is_the_same_failure_in_later_cases() -> None:
    """After two timeouts, later cases wait neither for the reply nor for the bot's exit."""
    code = HANGS.format(type="attack-request")
    run = suite(chosen("7.1/1", "7.2/1", "8.4/9"), python("-c", code), timeout=1.0)
    run.jobs = 1
    report = await run.run()
    first, second, stays = report.cases
    assert second.status == Status.NOT_JUDGED
    assert second.because == ["7.1/1"]
    assert first.violations[0].kind == "timeout"
    assert stays.violations[0].kind == "stays"
    assert "never answers this request: see case 7.1/1" in stays.violations[0].actual


@pytest.mark.slow
async def test_a_later_case_says_where_the_reply_was_waited_for() -> None:
    (basic,) = chosen("7.1/1")
    first = msgspec.structs.replace(basic, basic=False)
    again = [msgspec.structs.replace(first, id=id) for id in ("7.1/8", "7.1/9")]
    run = suite([first, *again], python("-c", HANGS.format(type="attack-request")), timeout=1.0)
    run.jobs = 1
    before, _, later = (await run.run()).cases
    (violation,) = later.violations
    assert "within 0.5 s, as in case 7.1/1, which waited for it twice" in violation.actual
    assert violation.key == before.violations[0].key
    assert violation.expected == before.violations[0].expected


async def test_a_run_that_ends_at_its_first_failure() -> None:
    told: list[Result] = []
    (fails,) = chosen("7.1/1")
    cases = [Case("1.1/1", "SHOULD", "A.", until="handshake"), fails]
    cases.append(msgspec.structs.replace(fails, id="7.1/9"))
    run = suite(cases, python("-c", HANGS.format(type="attack-request")), timeout=0.5)
    run.stop_first, run.on_result = True, told.append
    report = await run.run()
    assert statuses(report) == {
        "1.1/1": Status.PASSED,
        "7.1/1": Status.FAILED,
        "7.1/9": Status.SKIPPED,
    }
    assert [result.id for result in told] == ["1.1/1", "7.1/1"]
    assert report.cases[2].why == "-x ended the run at 7.1/1"
    assert not report.conforms


async def test_a_whole_match_against_opponents_that_play_or_leave() -> None:
    leaves = f"{sys.executable} -c pass"
    cases = [
        Case("4.1/1", "MUST", "One.", players=3, seat="player2", opponents=["minimal", leaves]),
        Case("4.1/2", "MUST", "Two.", opponents=[leaves]),
    ]
    report = await suite(cases, resolve_bot("big_money")).run()
    assert set(statuses(report).values()) == {Status.PASSED}


async def test_a_wrong_bot_in_a_whole_match() -> None:
    bot = python(str(BOT), "counts-one-coin-too-many")
    report = await suite(chosen("4.1/2"), bot).run()
    ((violation,),) = [result.violations for result in report.cases]
    assert (violation.kind, violation.section) == ("cannot-buy", "5.2")
    assert '"type":"play-turn"' in violation.request
    assert '"cards_to_buy"' in violation.reply
    assert violation.conversation[-1].startswith("< ")


async def test_a_control_that_was_not_chosen_masks_nothing() -> None:
    bot = python(str(BOT), "crashes-on-three-players")
    report = await suite(chosen("2.13/1"), bot).run()
    assert statuses(report) == {"2.13/1": Status.FAILED}
    report = await suite(chosen("4.4/2", "2.13/1"), bot).run()
    assert statuses(report) == {"2.13/1": Status.NOT_JUDGED, "4.4/2": Status.FAILED}
    assert report.cases[0].because == ["4.4/2"]
    assert not report.conforms
