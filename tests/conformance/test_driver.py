"""The decisions of a driver, each alone: a driver is made without a match or a bot."""

from __future__ import annotations

import json
from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from referee.bots.bot import Failure
from referee.bots.command import BotCommand
from referee.bots.process_report import TimeoutObservation
from referee.conformance import verdict
from referee.conformance.case import Case, Close
from referee.conformance.driver import _MOST_REST, ConformanceLimits, Driver, _Missing
from referee.conformance.verdict import Observed
from referee.games.interface.faults import Disqualification

LATE = _Missing("timeout", "8.1", "a reply")
TURN = b'{"type":"play-turn"}\n'


def driver(case: dict[str, Any] | None = None, **fields: Any) -> Any:
    made: Any = object.__new__(Driver)
    made._case = Case("8.1/1", "Something.", **(case or {}))
    made._conversation = deque(maxlen=verdict.LAST_LINES)
    made._observed, made._limits = Observed(counts={}, violations=[]), ConformanceLimits()
    made._dialect = made._adapter = made._process = None
    made._hung, made._known = {}, {}
    made._request = made._asked = TURN
    made._again = False
    for name, value in fields.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    ("case", "fields", "names"),
    [
        ({"fields": {"x": 1}}, {"type": "news", "a": 2}, ["type", "a", "x"]),
        ({"fields": {"x": 1, "y": 1}}, {"type": "news"}, ["x", "type", "y"]),
        ({"reverse": True}, {"type": "news", "a": 2}, ["a", "type"]),
        ({"replace": {"news": {"a": 3}}}, {"type": "news", "a": 2}, ["type", "a"]),
    ],
)
def test_a_message_is_changed_as_the_case_says(
    case: dict[str, Any], fields: dict[str, Any], names: list[str]
) -> None:
    changed = json.loads(driver(case)._changed(dict(fields)))
    assert [*changed] == names
    assert changed.get("a") == (3 if "replace" in case else fields.get("a"))


@pytest.mark.parametrize(
    ("case", "data", "sent"),
    [
        ({}, b"abc\n", [b"abc\n"]),
        ({"pieces": 3}, b"abc\n", [b"abc", b"\n"]),
        ({}, b"", []),
    ],
)
async def test_a_line_is_sent_whole_or_in_pieces(
    case: dict[str, Any], data: bytes, sent: list[bytes], autojump_clock: MockClock
) -> None:
    pushed: list[bytes] = []
    made = driver(case, wrapped=SimpleNamespace(push=pushed.append))
    await made._push(data)
    assert pushed == sent
    assert [*made._conversation] == (["> abc"] if data else [])


@pytest.mark.parametrize(
    ("case", "outcome", "code", "mistake", "ended"),
    [
        ({}, "won", 0, False, True),
        ({}, "won", None, False, True),
        ({}, "won", 1, False, True),
        ({}, "won", -9, False, False),
        ({}, "won", 0, True, False),
        ({}, None, 0, False, False),
        ({"close": Close("first")}, "won", 0, False, False),
    ],
)
def test_what_a_bot_says_at_its_end_counts_after_a_whole_match(
    case: dict[str, Any], outcome: str | None, code: int | None, mistake: bool, ended: bool
) -> None:
    made = driver(case, _match=SimpleNamespace(outcome=outcome))
    made.wrapped = SimpleNamespace(exit_code=code)
    if mistake:
        made._violate("exited", "8.2", "this", "that")
    assert made._ran_to_its_end() == ended


def test_a_mistake_is_kept_once_but_counted() -> None:
    made = driver()
    for request in (TURN, TURN, b'{"type":"other"}'):
        made._violate("exited", "8.2", "this", "that", request=request.decode())
    assert [violation.key[1] for violation in made._observed.violations] == ["play-turn", "other"]
    assert made._observed.counts == {"exited": 3}


def test_a_request_is_shown_on_one_line_and_a_note_is_cut() -> None:
    assert driver(_request=b"a\n  b\n")._shown_request() == "a b"
    made = driver()
    made._note("x" * (verdict.MOST_LINE + 1))
    assert made._conversation.pop() == "! " + "x" * verdict.MOST_LINE


@pytest.mark.parametrize(
    ("adapter", "silence", "kind"),
    [
        (None, TimeoutObservation(), "timeout"),
        (None, TimeoutObservation(unfinished=b"{"), "no-line-end"),
        (None, TimeoutObservation(at_end="{}"), "no-flush"),
        (None, TimeoutObservation(unfinished=b"{", at_end="{}"), "no-line-end"),
        ("adapter", TimeoutObservation(unfinished=b"{", at_end="{}"), "timeout"),
    ],
)
def test_a_silent_bot_has_written_half_a_line_or_not_flushed_it(
    adapter: str | None, silence: TimeoutObservation, kind: str
) -> None:
    assert driver(_adapter=adapter)._missing_in(silence, LATE).kind == kind


@pytest.mark.parametrize(
    ("code", "in_handshake", "again", "kind"),
    [
        ("timeout", False, False, "timeout"),
        ("timeout", True, True, "not-kept"),
        ("timeout", False, True, "timeout"),
        ("failed-to-start", True, False, "not-started"),
        ("exited", True, False, "not-started"),
        ("exited", False, False, "exited"),
        ("memory-limit", False, False, "memory-limit"),
        ("step-limit", False, False, "step-limit"),
        ("http-status", False, False, "http-status"),
    ],
)
def test_a_code_may_say_why_there_is_no_reply(
    code: str, in_handshake: bool, again: bool, kind: str
) -> None:
    limits = SimpleNamespace(line_limit=65536, memory_limit=2**30)
    match = SimpleNamespace(in_handshake=in_handshake)
    made = driver(_match=match, _bot_limits=limits, _again=again)
    assert made._missing(Disqualification(code), LATE).kind == kind


@pytest.mark.parametrize(
    ("code", "said"), [("output-limit", ["<<", "(too much)"]), ("timeout", ["<<"])]
)
async def test_the_rest_of_the_output_may_end_with_too_much(code: str, said: list[str]) -> None:
    answers = [b"<<", Failure(Disqualification(code), "too much")]

    async def reply(deadline: float) -> Any:
        return answers.pop(0)

    made = driver(_process=SimpleNamespace(end_input=ends(0.0), reply=reply))
    assert [line.decode() for line in await made._rest()] == said
    assert made._conversation[0] == "! the end of its input"


async def test_the_rest_of_the_output_has_at_most_50_lines() -> None:
    async def reply(deadline: float) -> bytes:
        return b"more"

    made = driver({"exits": "grace"}, _process=SimpleNamespace(end_input=ends(0.0), reply=reply))
    assert len(await made._rest()) == _MOST_REST


async def test_the_end_of_the_input_is_noted_once_in_a_case_about_the_exit() -> None:
    """It was noted when the case waited for the exit."""

    async def reply(deadline: float) -> Failure:
        return Failure(Disqualification.TIMEOUT, "no more")

    made = driver({"exits": "grace"}, _process=SimpleNamespace(end_input=ends(0.0), reply=reply))
    assert await made._rest() == []
    assert "! the end of its input" not in made._conversation


def ends(after: float) -> Any:
    """Return a method of a process that ends so many seconds after its input."""

    async def end_input(seconds: float) -> bool:
        return after <= seconds

    return end_input


@pytest.mark.parametrize(
    ("case", "after", "actual"),
    [
        ({"exits": "timeout"}, 2.0, []),
        ({"exits": "timeout"}, 2.1, ["it is still running"]),
        ({"close": Close("play-turn")}, 0.5, []),
        (
            {"close": Close("play-turn")},
            0.6,
            ["it is still running after 0.5 s, and never answers this request: see case 4.1/1"],
        ),
    ],
)
async def test_a_bot_that_hangs_has_less_time_to_exit(
    case: dict[str, Any], after: float, actual: list[str]
) -> None:
    made = driver(case, _process=SimpleNamespace(end_input=ends(after)))
    made._hung = {"play-turn": ("4.1/1", None)}
    await made._await_end(2.0, "after `game-end`")
    assert [violation.actual for violation in made._observed.violations] == actual


async def test_a_driver_judges_only_the_faults_of_its_own_bot() -> None:
    judged: list[Any] = []

    async def judge(fault: Any) -> None:
        judged.append(fault.seat)

    faults = [SimpleNamespace(seat=seat) for seat in (0, 1)]
    made = driver(_match=SimpleNamespace(unjudged=faults), _lines=[], _seat=1, _judge_fault=judge)
    await made._catch_up()
    await trio.lowlevel.checkpoint()
    assert judged == [1]


@pytest.mark.parametrize(
    ("code", "had", "late", "actual"),
    [
        ("timeout", 10.0, "{}", "no reply within 10 s: silent"),
        ("timeout", 10.0, "", "no reply within 10 s, and not in the 3 s after them: silent"),
        ("timeout", 2.0, "", "no reply within 2 s, and not in the 2 s after them: silent"),
        ("output-limit", 2.0, "", "the detail"),
    ],
)
@pytest.mark.parametrize("hung", [False, True])
async def test_why_a_reply_is_missing(
    code: str, had: float, late: str, actual: str, hung: bool
) -> None:
    async def look(seconds: float, rest: float) -> TimeoutObservation:
        return TimeoutObservation(late=late)

    async def over() -> None:
        await trio.lowlevel.checkpoint()

    limits = SimpleNamespace(line_limit=65536)
    made = driver(_match=SimpleNamespace(in_handshake=False), _bot_limits=limits, _over=over)
    made._source, made._why_silent = BotCommand("bot", ("bot",)), lambda silence: "silent"
    if hung:
        before = verdict.Violation("no-flush", "1.3", "a flush", "")
        made._hung = {"play-turn": ("4.1/1", before)}
        if code == "timeout":
            actual = f"no reply within {had:g} s, as in case 4.1/1, which waited for it twice"
    failure = Failure(Disqualification(code), "the detail")
    await made._judge_failure(failure, "timeout", had, SimpleNamespace(look=look))
    (violation,) = made._observed.violations
    assert violation.actual == actual
    assert (violation.kind == "no-flush") == ("as in case" in actual)
