"""The decisions of a driver, each alone: a driver is made without a match or a bot.

At the end of this file, a driver plays a short case with an object that gives certain replies.
"""

from __future__ import annotations

import codecs
import contextlib
import json
from collections import deque
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from referee.bots.bot import Failure
from referee.bots.command import BotCommand, PythonBot
from referee.bots.in_process import InProcessBot
from referee.bots.process_report import TimeoutObservation
from referee.conformance import verdict
from referee.conformance.case import Case, Close, Insert
from referee.conformance.driver import _MOST_REST, ConformanceLimits, Driver, _Missing
from referee.conformance.verdict import Observed
from referee.games.dominion import RULES
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
    ("own", "seats"),
    [(0, {1: "big_money", 2: "minimal", 3: "big_money"}), (1, {0: "big_money", 2: "minimal"})],
)
def test_the_other_seats_have_the_opponents_in_their_order(own: int, seats: dict[int, str]) -> None:
    made = driver({"opponents": ["big_money", "minimal"]}, _seat=own, _definition=RULES)
    made._start = lambda source: source.argument
    assert {seat: made._other(seat) for seat in seats} == seats


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
@pytest.mark.parametrize("in_handshake", [False, True])
async def test_why_a_reply_is_missing(
    code: str, had: float, late: str, actual: str, hung: bool, in_handshake: bool
) -> None:
    async def look(seconds: float, rest: float) -> TimeoutObservation:
        return TimeoutObservation(late=late)

    async def over() -> None:
        await trio.lowlevel.checkpoint()

    limits = SimpleNamespace(line_limit=65536)
    match = SimpleNamespace(in_handshake=in_handshake)
    made = driver(_match=match, _bot_limits=limits, _over=over, _dialects=lambda: "; a hint")
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
    if code == "timeout" and not hung:
        assert violation.section == ("3.4" if in_handshake else "8.1")
    assert violation.expected.endswith("; a hint") == (in_handshake and code != "timeout")


# --- Whole cases ----------------------------------------------------------------------------------

PLAYS = b'{"type":"play-reply","phase":"cleanup"}'
OTHER = b'{"type":"attack-reply"}'


class Says:
    """A bot that gives these replies, and then only passes. `lines` is what it was sent."""

    def __init__(self, *replies: bytes) -> None:
        self._replies = [*replies]
        self.lines: list[bytes] = []

    def reply(self, lines: Sequence[bytes]) -> bytes:
        self.lines += lines
        return self._replies.pop(0) if self._replies else PLAYS

    def notify(self, lines: Sequence[bytes]) -> None:
        self.lines += lines


def playing(case: dict[str, Any], *replies: bytes) -> tuple[Any, Says]:
    bot = Says(*replies)
    source = PythonBot("bot", lambda: InProcessBot(bot))
    return Driver(Case("3.1/1", "-", **case), source, RULES, 1, ConformanceLimits(), {}, {}), bot


def named(**fields: Any) -> bytes:
    """Return a reply to the handshake in which these fields are changed, or left out (`...`)."""
    reply = {"type": "player-name-reply", "player_number": "player1", "name": "x", "version": 1}
    return json.dumps({name: v for name, v in (reply | fields).items() if v is not ...}).encode()


@pytest.mark.parametrize(
    ("fields", "mistakes"),
    [
        ({}, []),
        ({"keep_alive": False}, []),
        ({"keep_alive": 0}, ["keep-alive 3.1 `keep_alive`, true or false: 0"]),
        ({"player_number": "player2"}, ['name-player 3.1 "player_number":"player1": "player2"']),
        ({"player_number": ...}, ['name-player 3.1 "player_number":"player1": missing']),
        ({"name": None}, ["name-name 3.1 `name`, a string: null"]),
        ({"name": ""}, []),
        ({"version": ...}, ['no-version 3.1 "version":1: no `version`']),
        ({"version": 2}, ['other-version 3.3 "version":1: 2']),
        ({"version": True}, ['other-version 3.3 "version":1: true']),
        (
            {"version": "1", "name": 3},
            ["name-name 3.1 `name`, a string: 3", 'other-version 3.3 "version":1: "1"'],
        ),
    ],
)
async def test_each_field_of_the_handshake_is_judged(
    fields: dict[str, Any], mistakes: list[str]
) -> None:
    case, bot = playing({"until": "handshake"}, named(**fields))
    observed = await case.run()
    assert mistakes == [
        f"{found.kind} {found.section} {found.expected}: {found.actual}"
        for found in observed.violations
    ]
    assert observed.complete
    assert len(bot.lines) == 1


NAMES = '"type":"player-name-reply"'
JSON = "a line of UTF-8 with one JSON object"


@pytest.mark.parametrize(
    ("line", "rest", "kind", "section", "expected"),
    [
        (b"x", [], "no-json", "1.1", JSON),
        (b"[1]", [], "no-json", "1.1", JSON),
        (b"{}", [], "name-type", "3.1", f"an object with {NAMES}"),
        (PLAYS, [], "name-type", "3.1", f"an object with {NAMES}"),
        (b"hello", [named()], "early-output", "1.2", None),
        (PLAYS, [PLAYS, named()], "early-output", "1.2", None),
        (b"hello", [PLAYS], "no-json", "1.1", JSON),
        (b"> " + named(), [], "early-output", "1.2", None),
        (codecs.BOM_UTF8 + named(), [], "no-json", "1.1", JSON),
    ],
)
async def test_a_first_line_that_is_no_name_may_come_before_the_reply(
    line: bytes, rest: list[bytes], kind: str, section: str, expected: str | None
) -> None:
    async def over(*, planned: bool = False) -> None:
        await trio.lowlevel.checkpoint()
        assert not planned
        raise EndOfCaseError

    async def read_rest() -> list[bytes]:
        await trio.lowlevel.checkpoint()
        return [*rest]

    made = driver(_seat=0, _definition=RULES, _rest=read_rest, _over=over, _process=object())
    made._dialects = str
    with pytest.raises(EndOfCaseError):
        await made._judge_name(line)
    (found,) = made._observed.violations
    assert (found.kind, found.section) == (kind, section)
    assert found.expected == (expected or "player-name-reply, and no other standard output")


class EndOfCaseError(Exception):
    pass


async def test_a_prompt_before_the_name_counts_only_for_a_process() -> None:
    """An object can't write anything but its reply."""
    case, _ = playing({"until": "handshake"}, b"> " + named())
    observed = await case.run()
    assert observed.counts == {"no-json": 1}
    assert not observed.complete


BAD_PHASE = b'{"type":"play-reply","phase":"x"}'


@pytest.mark.parametrize(
    ("reply", "then", "mistakes"),
    [
        (OTHER, BAD_PHASE, {"wrong-type": 1}),
        (BAD_PHASE, OTHER, {"bad-phase": 1, "wrong-type": 1}),
    ],
)
async def test_a_case_ends_when_replies_and_requests_may_not_fit(
    reply: bytes, then: bytes, mistakes: dict[str, int]
) -> None:
    """A line of a wrong type may be extra output, so that all later replies belong elsewhere."""
    case, bot = playing({}, named(), reply, then)
    observed = await case.run()
    assert observed.counts == mistakes
    assert not observed.complete
    found = observed.violations[0]
    assert found.reply == reply.decode()
    assert found.request.encode() in bot.lines
    assert found.conversation[-1] == f"< {reply.decode()}"
    assert found.expected == 'a legal reply, such as {"type":"play-reply","phase":"cleanup"}'
    assert found.rule.startswith(f"`{found.kind}`")


def fault(section: str, code: str = "wrong-type") -> Any:
    return SimpleNamespace(section=section, code=code, seat=0, detail="", line=OTHER)


async def judged(case: Any, fault: Any, rest: list[bytes]) -> None:
    """Let a driver judge a fault of the reply `OTHER`, if this is the rest of the output."""

    async def read_rest() -> list[bytes]:
        await trio.lowlevel.checkpoint()
        return rest

    async def over(*, planned: bool = False) -> None:
        await trio.lowlevel.checkpoint()
        case._observed.complete = planned
        raise EndOfCaseError

    case._rest, case._over = read_rest, over
    case._reply = case._canonical = OTHER
    case._asked = case._request = TURN
    case._kind = None
    await case._judge_fault(fault)


@pytest.mark.parametrize("rest", [[PLAYS], [OTHER, PLAYS]])
async def test_a_wrong_line_before_a_reply_is_unrequested_output(rest: list[bytes]) -> None:
    case, _ = playing({})
    with pytest.raises(EndOfCaseError):
        await judged(case, fault("5.5"), rest)
    assert case._observed.counts == {"unasked-output": 1}
    (found,) = case._observed.violations
    assert found.expected == "the reply to play-turn, and no other standard output"
    assert found.actual.endswith("; it comes before the reply, without a request")
    assert (found.section, found.reply) == ("1.2", OTHER.decode())


async def test_a_fault_of_the_handshake_is_judged_with_the_name() -> None:
    case, _ = playing({})
    await judged(case, fault("3.2"), [])
    assert case._observed.violations == []


@pytest.mark.parametrize(
    ("known", "hung", "seconds"),
    [({}, {}, 10.0), ({("timeout", "play-turn"): ["1"]}, {}, 0.5), ({}, {"play-turn": ()}, 0.5)],
)
@pytest.mark.parametrize("look", [True, False])
async def test_a_reply_that_was_missing_before_is_not_waited_for(
    known: Any, hung: Any, seconds: float, look: bool, autojump_clock: MockClock
) -> None:
    async def reply(deadline: float) -> Failure:
        await trio.sleep_until(deadline)
        return Failure(Disqualification.TIMEOUT, "late")

    async def judge(failure: Failure, kind: str, had: float, process: object) -> None:
        await trio.lowlevel.checkpoint()
        seen.append((kind, had, process is not None))
        raise EndOfCaseError

    seen: list[tuple[str, float, bool]] = []
    made = driver(_match=SimpleNamespace(in_handshake=False), _look=look, _judge_failure=judge)
    made._known, made._hung, made._process = known, hung, object()
    made.wrapped = SimpleNamespace(reply=reply, quick_reply=lambda s: None, stdout_fd=-1)
    began = trio.current_time()
    with pytest.raises(EndOfCaseError):
        await made._read()
    assert seen == [("timeout", seconds, look and seconds == 10.0)]
    assert trio.current_time() - began == pytest.approx(seconds)


@pytest.mark.parametrize("answer", [b"more", Failure(Disqualification.TIMEOUT, "")])
@pytest.mark.parametrize("process", [object(), None])
async def test_after_the_last_request_a_line_without_one_is_looked_for(
    answer: Any, process: object
) -> None:
    async def reply(deadline: float) -> Any:
        await trio.lowlevel.checkpoint()
        return answer

    async def over() -> None:
        await trio.lowlevel.checkpoint()

    made = driver({"listen": True}, _process=process, _over=over)
    made.wrapped = SimpleNamespace(reply=reply)
    await made._look_for_unasked()
    found = [(each.kind, each.section, each.reply) for each in made._observed.violations]
    is_found = process is not None and answer == b"more"
    assert found == ([("unasked-output", "1.2", "more")] if is_found else [])
    assert [*made._conversation] == (["< more"] if is_found else [])


@pytest.mark.parametrize(
    ("before", "repeat", "sent"),
    [
        ("news", 1, ["extra", "news", "extra", "news"]),
        (["news", "other"], 2, ["extra", "extra", "news", "extra", "extra", "news"]),
        ("first", 1, ["extra", "news", "news"]),
        ("other", 1, ["news", "news"]),
    ],
)
async def test_extra_lines_come_before_messages_of_a_type_or_before_the_first(
    before: Any, repeat: int, sent: list[str]
) -> None:
    pushed: list[bytes] = []
    made = driver({"insert": [Insert(before, [{"type": "extra"}], repeat)]}, _first=True)
    made.wrapped = SimpleNamespace(push=pushed.append)
    for _ in range(2):
        await made._send(b'{"type":"news"}\n', is_request=False)
    assert [json.loads(line)["type"] for line in pushed] == sent
    assert made._request == TURN


@pytest.mark.parametrize(
    ("close", "pushed"),
    [
        (Close("first"), []),
        (Close("play-turn"), [TURN]),
        (Close("play-turn", cut=True), [TURN[: len(TURN) // 2]]),
        (Close("other"), [TURN]),
    ],
)
async def test_the_input_ends_before_the_first_line_or_after_a_message_or_in_its_middle(
    close: Close, pushed: list[bytes]
) -> None:
    async def end() -> None:
        await trio.lowlevel.checkpoint()
        raise EndOfCaseError

    lines: list[bytes] = []
    made = driver({"close": close}, _first=True, _close_input=end, _request=b"")
    made.wrapped = SimpleNamespace(push=lines.append)
    with contextlib.suppress(EndOfCaseError):
        await made._send(TURN, is_request=True)
    assert lines == pushed
    assert made._request == (b"" if close.at == "first" else TURN)


@pytest.mark.parametrize(("kind", "noted"), [("player-disqualified", True), ("news", False)])
async def test_a_seat_that_leaves_is_noted(kind: str, noted: bool) -> None:
    made = driver(_first=True)
    made.wrapped = SimpleNamespace(push=lambda line: None)
    line = {"type": kind, "player_number": "player2", "reason": "exited"}
    await made._send(json.dumps(line).encode() + b"\n", is_request=False)
    assert ("! player2 leaves the match: exited" in made._conversation) == noted


@pytest.mark.parametrize("listen", [True, False])
@pytest.mark.parametrize("kind", ["game-end", "news"])
async def test_before_the_end_of_the_match_lines_are_looked_for(listen: bool, kind: str) -> None:
    async def look() -> None:
        await trio.lowlevel.checkpoint()
        pushed.append(b"look")

    pushed: list[bytes] = []
    made = driver({"listen": listen}, _first=True, _look_for_unasked=look)
    made.wrapped = SimpleNamespace(push=pushed.append)
    line = f'{{"type":"{kind}"}}\n'.encode()
    await made._send(line, is_request=False)
    assert pushed == ([b"look"] if listen and kind == "game-end" else []) + [line]


@pytest.mark.parametrize(
    ("case", "sent"),
    [
        ({}, b'{ "type": "news" }\n'),
        ({"replace": {"news": {"a": 1}}}, b'{"type":"news","a":1}\n'),
        ({"fields": {"a": 1}}, b'{"type":"news","a":1}\n'),
        ({"reverse": True}, b'{"type":"news"}\n'),
    ],
)
async def test_only_a_changed_line_is_encoded_again(case: dict[str, Any], sent: bytes) -> None:
    pushed: list[bytes] = []
    made = driver(case, _first=True)
    made.wrapped = SimpleNamespace(push=pushed.append)
    await made._send(b'{ "type": "news" }\n', is_request=False)
    assert pushed == [sent]


@pytest.mark.parametrize(
    ("dialect", "adapter", "hint"),
    [(None, None, "; a hint"), ("classic", None, ""), (None, "botwars", "")],
)
def test_a_dialect_is_suggested_to_a_bot_that_speaks_none(
    dialect: str | None, adapter: str | None, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.conformance.driver.sentence", lambda name, *given: "a hint")
    made = driver(_dialect=dialect, _adapter=adapter, _definition=RULES)
    made._source = SimpleNamespace(argument="bot")
    assert made._dialects() == hint


def play_case(case: dict[str, Any], output: Sequence[bytes] = ()) -> tuple[Any, list[Any]]:
    """Return a driver whose matches only note that they are played, and what it did.

    Args:
        output: what the bot has written after its last reply.
    """
    done: list[Any] = []

    async def play_match() -> None:
        await trio.lowlevel.checkpoint()
        done.append(("match", made._seat, made._seed, made._again))

    async def over(*, planned: bool = False) -> None:
        await trio.lowlevel.checkpoint()
        done.append(("over", planned))
        raise EndOfCaseError

    async def rest(share: float) -> list[bytes]:
        await trio.lowlevel.checkpoint()
        done.append(("rest", share))
        return [*output]

    async def await_end(within: float, when: str) -> None:
        await trio.lowlevel.checkpoint()
        done.append(("exit", within, when))

    made, _ = playing(case)
    made._play_match, made._over, made._rest, made._await_end = play_match, over, rest, await_end
    return made, done


@pytest.mark.parametrize("keeps", [True, False])
async def test_the_same_process_plays_again_if_it_has_said_so(
    keeps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, done = play_case({"again": "player2"})
    made._match.keep_alive = {0} if keeps else set()
    monkeypatch.setattr(
        "referee.conformance.driver._CaseMatch",
        lambda case, definition, seed: SimpleNamespace(shuffled=seed, outcome=None),
    )
    with contextlib.nullcontext() if keeps else pytest.raises(EndOfCaseError):
        await made._play()
    assert done[0] == ("match", 0, 1, False)
    if keeps:
        assert done[1:] == [("match", 1, 1, True), ("rest", 0.25)]
        assert made._match.shuffled == 2
        assert made._observed.inapplicable == ""
        assert "second match" in made._conversation[-1]
    else:
        assert done[1:] == [("over", True)]
        assert made._observed.inapplicable == "only for bots that say `keep_alive`"


@pytest.mark.parametrize(
    ("case", "done"),
    [
        ({}, [("rest", 0.25)]),
        ({"listen": True}, [("rest", 1.0)]),
        ({"exits": "grace"}, [("exit", 1.0, "after `game-end`"), ("rest", 0.25)]),
        ({"exits": "timeout"}, [("exit", 10.0, "after `game-end`"), ("rest", 0.25)]),
    ],
)
async def test_after_a_match_a_bot_may_have_to_exit(case: dict[str, Any], done: list[Any]) -> None:
    made, did = play_case(case)
    await made._play()
    assert did[1:] == done
    assert made._observed.violations == []


async def test_lines_after_the_last_request_are_too_many() -> None:
    made, _ = play_case({}, [b"first", b"second"])
    await made._play()
    (found,) = made._observed.violations
    assert (found.kind, found.section) == ("surplus-output", "1.2")
    assert found.actual == "2 more than requested, the first: first"


@pytest.mark.parametrize(
    ("reason", "ended"), [("invalid-fields", True), ("most-points", False), (None, False)]
)
async def test_a_match_that_the_bot_ended_is_not_complete(reason: str | None, ended: bool) -> None:
    made, done = play_case({})
    made._match.outcome = reason and SimpleNamespace(reason=reason)
    made._observed.counts = {"invalid-fields": 1}
    with pytest.raises(EndOfCaseError) if ended else contextlib.nullcontext():
        await made._play()
    assert (done[-1] == ("over", False)) == ended
