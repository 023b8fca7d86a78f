"""Running the suite: timeouts, opponents that fail, and bots that don't start."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import trio
import trio.testing

from referee.bots.bot import Answer, Failure
from referee.bots.command import BotAddress, BotCommand, BotSource, PythonBot
from referee.bots.from_python import bundled_here
from referee.bots.in_process import InProcessBot
from referee.conformance.case import Case, Close, load_cases
from referee.conformance.driver import ConformanceLimits, Driver
from referee.conformance.suite import Suite, why_skipped
from referee.conformance.verdict import (
    OF_A_PROCESS,
    OF_A_SERVER,
    Observed,
    Report,
    Result,
    Status,
    Violation,
)
from referee.games import GAMES
from referee.games.dominion import RULES
from referee.games.interface.faults import Disqualification
from tests.conformance.test_bots import InProcess

CASES = load_cases(RULES).cases


def suite(cases: Iterable[Case], bot: BotSource, timeout: float = 10.0) -> Suite:
    limits = ConformanceLimits(timeout=timeout, quiet=0.05)
    return Suite(list(cases), bot, GAMES["dominion"], seed=1, limits=limits)


def python(*arguments: str) -> BotCommand:
    return BotCommand("bot", (sys.executable, "-I", "-S", *arguments))


def wrong(mode: str) -> PythonBot:
    return PythonBot(mode, lambda: InProcessBot(InProcess(mode)))


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
    cases = [Case(f"3.4/{number}", "A reply.") for number in (1, 2, 3)]
    report = await suite(cases, bot, timeout=0.5).run()
    assert set(statuses(report).values()) == {Status.FAILED}
    assert len(starts.read_text()) == 4


@pytest.mark.slow
async def test_a_hang_that_was_waited_for_twice_is_the_same_failure_in_later_cases() -> None:
    """After two timeouts, later cases wait neither for the reply nor for the bot's exit."""
    code = HANGS.format(type="attack-request")
    run = suite(chosen("7.1/1", "7.2/1", "8.4/9"), python("-c", code), timeout=4.0)
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
    run = suite([first, *again], python("-c", HANGS.format(type="attack-request")), timeout=4.0)
    run.jobs = 1
    before, _, later = (await run.run()).cases
    (violation,) = later.violations
    assert "within 0.5 s, as in case 7.1/1, which waited for it twice" in violation.actual
    assert violation.key == before.violations[0].key
    assert violation.expected == before.violations[0].expected


async def test_a_run_that_ends_at_its_first_failure() -> None:
    told: list[Result] = []
    (fails,) = chosen("7.1/1")
    cases = [Case("1.1/1", "A.", "SHOULD", until="handshake"), fails]
    cases.append(msgspec.structs.replace(fails, id="7.1/9"))

    class Silent(InProcess):
        def reply(self, lines: Sequence[bytes]) -> Answer:
            if b"attack-request" in lines[-1]:
                return Failure(Disqualification.TIMEOUT, "no reply in time")
            return super().reply(lines)

    run = suite(cases, PythonBot("silent", lambda: InProcessBot(Silent("empty-name"))))
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
    leaves = "/bin/true"
    cases = [
        Case("4.1/1", "One.", players=3, seat="player2", opponents=["minimal", leaves]),
        Case("4.1/2", "Two.", opponents=[leaves]),
    ]
    sound = bundled_here("big_money", "dominion")
    assert sound is not None
    report = await suite(cases, sound).run()
    assert set(statuses(report).values()) == {Status.PASSED}


async def test_a_wrong_bot_in_a_whole_match() -> None:
    bot = wrong("counts-one-coin-too-many")
    cases = [Case("4.1/2", "Two.", opponents=["minimal"])]
    report = await suite(cases, bot).run()
    ((violation,),) = [result.violations for result in report.cases]
    assert (violation.kind, violation.section) == ("cannot-buy", "5.2")
    assert '"type":"play-turn"' in violation.request
    assert '"cards_to_buy"' in violation.reply
    assert violation.conversation[-1].startswith("< ")


async def test_a_control_that_was_not_chosen_masks_nothing() -> None:
    bot = wrong("crashes-on-three-players")
    report = await suite(chosen("2.13/1"), bot).run()
    assert statuses(report) == {"2.13/1": Status.FAILED}
    report = await suite(chosen("4.4/2", "2.13/1"), bot).run()
    assert statuses(report) == {"2.13/1": Status.NOT_JUDGED, "4.4/2": Status.FAILED}
    assert report.cases[0].because == ["4.4/2"]
    assert not report.conforms


# --- the order of cases, with made-up observations ------------------------------------------------

PLAY = '{"type":"play-turn"}'
Seen = Mapping[str, Sequence[Observed]]


def made(kind: str = "", section: str = "8.2", request: str = PLAY) -> Observed:
    """Return what is observed of a bot that makes one mistake, which ends the case, or none."""
    violations = [Violation(kind, section, "this", "that", request)] if kind else []
    return Observed(violations, {kind: 1}, [], complete=not kind)


def must(id: str, **fields: Any) -> Case:
    return Case(id, "Something.", **fields)


class MadeUp(Suite):
    """A suite that observes what `seen` has for each case. The last observation is repeated."""

    def __init__(self, seen: Seen, cases: list[Case], **fields: Any) -> None:
        super().__init__(cases, BotCommand("bot", ("bot",)), GAMES["dominion"], 1, **fields)
        self.seen = {id: list(observed) for id, observed in seen.items()}
        self.ran: list[str] = []

    async def _observe(self, case: Case, *, look: bool = True) -> Observed:
        self.ran.append(case.id)
        await trio.lowlevel.checkpoint()
        left = self.seen.get(case.id, [made()])
        return left.pop(0) if len(left) > 1 else left[0]


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
async def test_a_mistake_of_a_controls_control_is_not_the_cases_own(order: slice) -> None:
    """A case waits for all of its controls, also for those that come after it."""
    cases = [must("4.1/1"), must("4.2/1", control="4.1/1"), must("4.3/1", control="4.2/1")]
    cases.append(must("4.4/1", control="4.1/9"))  # not chosen
    wrong = [made("exited")]
    seen = {"4.1/1": wrong, "4.3/1": wrong, "4.4/1": wrong}
    report = await MadeUp(seen, cases[order], jobs=1).run()
    assert [(r.id, r.status, r.because) for r in report.cases[order]] == [
        ("4.1/1", "failed", []),
        ("4.2/1", "passed", []),
        ("4.3/1", "not-judged", ["4.1/1"]),
        ("4.4/1", "failed", []),
    ]
    both = await MadeUp(seen | {"4.2/1": [made("exited", "4.2")]}, cases[order]).run()
    assert [(r.status, r.because) for r in both.cases[order]][1:3] == [
        ("failed", []),  # it is about its own section, whatever the control shows
        ("not-judged", ["4.2/1", "4.1/1"]),
    ]


async def test_a_control_that_could_not_be_judged_excuses_nothing() -> None:
    cases = [must("4.1/1", about=["stays"]), must("4.2/1", control="4.1/1")]
    wrong = [made("exited")]
    report = await MadeUp({"4.1/1": wrong, "4.2/1": wrong}, cases).run()
    assert [result.status for result in report.cases] == ["not-judged", "failed"]


async def test_mistakes_of_basic_cases_are_known_to_all_cases() -> None:
    cases = [
        must("4.4/1", basic=True, about=["stays"], seed=1),
        must("4.2/1", basic=True, seed=2),
        must("4.3/1", basic=True, seed=2),  # the same match as the case before
        must("4.1/1", seed=3),
        must("5.1/1"),
    ]
    wrong = [made("exited")]
    run = MadeUp({"4.4/1": wrong, "4.2/1": wrong, "4.1/1": wrong}, cases)
    report = await run.run()
    assert run.ran == ["4.4/1", "4.2/1", "4.1/1", "5.1/1"]
    assert [(result.status, result.because) for result in report.cases] == [
        ("not-judged", ["4.2/1", "4.3/1"]),
        ("failed", []),
        ("failed", []),
        ("not-judged", ["4.2/1", "4.3/1"]),
        ("passed", []),
    ]


async def test_after_a_vital_failure_nothing_else_runs() -> None:
    cases = [
        must("4.1/1", seed=1),
        must("4.2/1", basic=True, vital=True, seed=2),
        must("4.3/1", basic=True, vital=True, seed=3),
        must("4.4/1", basic=True, seed=4),
        must("4.5/1", seed=5, pieces=3, speaks="other"),
    ]
    run = MadeUp({"4.3/1": [made("exited")]}, cases)
    report = await run.run()
    assert run.ran == ["4.2/1", "4.3/1"]
    assert [(result.status, result.because) for result in report.cases] == [
        ("not-judged", ["4.3/1"]),
        ("passed", []),
        ("failed", []),
        ("not-judged", ["4.3/1"]),
        ("skipped", []),
    ]
    assert report.cases[4].why == "only for bots that speak other"


async def test_two_failures_by_the_clock_are_confirmed_and_later_ones_believed() -> None:
    """What is late only once has passed, and doesn't count as a confirmation."""
    late = made("timeout")
    other = made("timeout", request='{"type":"attack-request"}')
    third = made("timeout", request='{"type":"other"}')
    cases = [must(f"4.{number}/1", seed=number) for number in range(1, 7)]
    run = MadeUp(
        {
            "4.1/1": [late, made()],
            "4.2/1": [late],
            "4.3/1": [late],
            "4.4/1": [made("exited")],
            "4.5/1": [other],
            "4.6/1": [third],
        },
        cases,
        jobs=1,
    )
    report = await run.run()
    assert [result.status for result in report.cases] == ["passed", *["failed"] * 5]
    assert [run.ran.count(case.id) for case in cases] == [2, 2, 1, 1, 2, 1]
    assert {asked: id for asked, (id, _) in run._hung.items()} == {
        "play-turn": "4.2/1",
        "attack-request": "4.5/1",
    }


@pytest.mark.parametrize(
    ("kind", "times"),
    [("no-reply", 2), ("timeout", 2), ("stays", 2), ("not-kept", 2), ("no-flush", 1)],
)
async def test_only_what_the_clock_decides_is_tried_twice(kind: str, times: int) -> None:
    run = MadeUp({"4.1/1": [made(kind), made()]}, [must("4.1/1")])
    assert (await run.run()).passed == times - 1
    assert len(run.ran) == times


async def test_what_a_basic_case_knows_is_not_tried_twice() -> None:
    cases = [must("4.1/1", basic=True), must("4.2/1")]
    run = MadeUp({case.id: [made("stays")] for case in cases}, cases)
    await run.run()
    assert run.ran == ["4.1/1", "4.1/1", "4.2/1"]


async def test_a_server_plays_one_match_at_a_time() -> None:
    run = MadeUp({}, [must("4.1/1")], jobs=3)
    await run.run()
    assert run._at_once == 3
    run.bot = BotAddress("http://127.0.0.1:9/", "http://127.0.0.1:9/")
    await run.run()
    assert run._at_once == 1


async def test_cases_of_one_match_end_at_the_first_failure_too() -> None:
    cases = [must(f"4.{number}/1", basic=True) for number in (1, 2)]
    told: list[Result] = []
    run = MadeUp({"4.1/1": [made("exited")]}, cases, stop_first=True, on_result=told.append)
    report = await run.run()
    assert [result.id for result in told] == ["4.1/1"]
    assert [result.status for result in report.cases] == ["failed", "skipped"]


@pytest.mark.parametrize(
    ("kinds", "hung"),
    [
        ({"timeout": PLAY}, True),
        ({"timeout": PLAY, "exited": "{}"}, True),
        ({"timeout": PLAY, "stays": "{}"}, False),
    ],
)
def test_a_hang_is_known_if_all_that_the_clock_decides_is(
    kinds: dict[str, str], hung: bool
) -> None:
    run = MadeUp({}, [])
    run._hung = {"play-turn": ("4.1/1", Violation("timeout", "8.1", "", ""))}
    violations = [Violation(kind, "8.1", "", "", request) for kind, request in kinds.items()]
    assert run._is_hung(Observed(violations)) == hung


async def test_only_a_missing_reply_to_the_same_request_is_a_hang() -> None:
    for again, hung in (
        (made("stays"), {"play-turn"}),
        (made("timeout", request='{"type":"other"}'), set()),
    ):
        run = MadeUp({"4.1/1": [made("timeout"), again]}, [must("4.1/1")])
        await run.run()
        assert run._hung.keys() == hung
    run = MadeUp({"4.1/1": [made("stays")]}, [must("4.1/1")])
    assert (await run.run()).failed == 1
    assert run._hung == {}


async def test_no_other_case_runs_while_a_failure_is_confirmed() -> None:
    class Noting(MadeUp):
        running = 0

        async def _observe(self, case: Case, *, look: bool = True) -> Observed:
            self.running += 1
            assert look or self.running == 1
            for _ in range(3 if look else 9):
                await trio.testing.wait_all_tasks_blocked()
            assert look or self.running == 1
            self.running -= 1
            return await super()._observe(case, look=look)

    cases = [must(f"4.{number}/1", seed=number) for number in range(1, 7)]
    run = Noting({"4.2/1": [made("timeout")], "4.3/1": [made("stays")]}, cases, jobs=3)
    report = await run.run()
    assert (report.passed, report.failed) == (4, 2)
    assert run.ran.count("4.2/1") + run.ran.count("4.3/1") >= 3


@pytest.mark.parametrize(
    ("strict", "ids"), [(False, ["4.1/1", "4.2/1", "4.3/1"]), (True, ["4.1/1", "4.2/1"])]
)
async def test_a_run_ends_at_the_first_failure_that_counts(strict: bool, ids: list[str]) -> None:
    cases = [must(f"4.{n}/1", seed=n, level="SHOULD" if n == 2 else "MUST") for n in range(1, 5)]
    seen = {id: [made("exited")] for id in ("4.2/1", "4.3/1", "4.4/1")}
    told: list[Result] = []
    run = MadeUp(seen, cases, stop_first=True, on_result=told.append)
    report = await run.run(strict=strict)
    assert [result.id for result in told] == ids
    assert [r.id for r in report.cases if r.status == Status.SKIPPED] == [
        case.id for case in cases if case.id not in ids
    ]
    assert (report.strict, report.conforms) == (strict, False)


@pytest.mark.parametrize(
    ("fields", "dialect", "kinds"),  # which kinds of bots play it: a process, HTTP, a rule file
    [
        ({}, "", "pha"),
        ({"close": Close("play-turn")}, "", "p"),
        ({"exits": "grace"}, "", "p"),
        ({"again": "player2"}, "", "p"),
        ({"pieces": 1}, "", "p"),
        ({"about": ["stays"]}, "", "p"),
        ({"about": ["not-kept"]}, "", "p"),
        ({"about": ["stays", "exited"]}, "", "pha"),
        ({"about": ["http-status"]}, "", "h"),
        ({"about": ["http-status", "exited"]}, "", "pha"),
        ({"about": sorted(OF_A_SERVER)}, "", "h"),
        ({"about": sorted(OF_A_PROCESS)}, "", "p"),
        ({"speaks": "original"}, "", ""),
        ({"speaks": "original"}, "original", "pha"),
        ({"speaks": "orig*"}, "original", "pha"),
        ({"speaks": "*"}, "", "pha"),
        ({}, "original", ""),
    ],
)
def test_a_case_is_skipped_if_it_is_for_other_bots(
    fields: dict[str, Any], dialect: str, kinds: str
) -> None:
    bots = {
        "p": BotCommand("bot", ("bot",)),
        "h": BotAddress("http://127.0.0.1:9/", "http://127.0.0.1:9/"),
        "a": PythonBot("human", lambda: None),  # type: ignore[arg-type,return-value]
    }
    found = ""
    for kind, bot in bots.items():
        spoken = bot._replace(dialect=dialect)  # type: ignore[attr-defined]
        found += kind if not why_skipped(must("4.1/1", **fields), spoken) else ""
    assert found == kinds


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (BotCommand("bot", ("bot",)), "at most 64 KiB per line, and no unrequested output"),
        (BotAddress("http://a/", "http://a/"), "an answer of at most 64 KiB"),
    ],
)
def test_too_much_output_is_called_by_what_the_bot_is(source: BotSource, expected: str) -> None:
    driver: Any = object.__new__(Driver)
    driver._match = SimpleNamespace(in_handshake=False)
    driver._source, driver._bot_limits = source, SimpleNamespace(line_limit=65536)
    assert driver._missing(Disqualification.OUTPUT_LIMIT, None).expected == expected


@pytest.mark.parametrize(
    ("dialect", "why"), [(None, "the line `hello` is not JSON"), (object(), "the line hello;")]
)
def test_a_line_of_another_dialect_is_not_judged_as_json(dialect: Any, why: str) -> None:
    driver: Any = object.__new__(Driver)
    driver._dialect, driver._definition = dialect, RULES
    driver._shown_request = str
    said: list[str] = []
    driver._violate = lambda kind, section, expected, actual, **_: said.append(actual)
    driver._violate_unasked("early", b"hello", "one line")
    (text,) = said
    assert text.startswith(why)
