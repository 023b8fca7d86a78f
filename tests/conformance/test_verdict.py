"""Verdicts: which violations count in which case, and how a report sums them up."""

from __future__ import annotations

from typing import Any

import pytest

from referee.conformance.case import Case
from referee.conformance.verdict import (
    Observed,
    Report,
    Result,
    Status,
    Violation,
    judge,
    request_type,
    shown,
    summarize,
)

PLAY = '{"type":"play-turn"}'
ATTACK = '{"type":"attack-request"}'


def case(**changes: Any) -> Case:
    return Case(**{"id": "5.2/3", "level": "MUST", "requirement": "Something.", **changes})


def found(kind: str, section: str = "8.2", request: str = PLAY) -> Violation:
    return Violation(kind, section, "this", "that", request)


def seen(*violations: Violation, complete: bool = True) -> Observed:
    counts = {violation.kind: 3 for violation in violations}
    return Observed(list(violations), counts, ["last words"], complete, 0.5)


def brief(result: Result) -> tuple[Status, list[str], list[str]]:
    return result.status, [violation.kind for violation in result.violations], result.because


def test_a_case_without_violations_has_passed() -> None:
    result = judge(case(), seen(), {}, {})
    assert brief(result) == (Status.PASSED, [], [])
    assert (result.id, result.section, result.seconds) == ("5.2/3", "5.2", 0.5)
    assert (result.counts, result.stderr) == ({}, [])


def test_a_case_that_ended_early_without_a_mistake_has_passed() -> None:
    assert brief(judge(case(), seen(complete=False), {}, {})) == (Status.PASSED, [], [])


def test_what_a_case_failed_for_is_shown_with_counts_and_stderr() -> None:
    result = judge(
        case(), seen(found("exited"), found("cannot-buy", "5.2"), complete=False), {}, {}
    )
    assert brief(result) == (Status.FAILED, ["exited", "cannot-buy"], [])
    assert (result.counts, result.stderr) == ({"exited": 3, "cannot-buy": 3}, ["last words"])


def test_a_case_that_is_about_something_overlooks_the_rest() -> None:
    about = case(about=["stays", "exited"])
    assert brief(judge(about, seen(found("cannot-buy", "5.2")), {}, {}))[0] == Status.PASSED
    both = seen(found("cannot-buy", "5.2"), found("exited"))
    assert brief(judge(about, both, {}, {})) == (Status.FAILED, ["exited"], [])


@pytest.mark.parametrize(
    "kind", ["name-player", "name-name", "other-version", "no-version", "keep-alive"]
)
def test_a_wrong_name_counts_only_in_cases_about_it(kind: str) -> None:
    wrong = seen(found(kind, "3.1", ""))
    assert brief(judge(case(), wrong, {}, {}))[0] == Status.PASSED
    assert brief(judge(case(about=[kind]), wrong, {}, {}))[0] == Status.FAILED


def test_a_case_that_does_not_apply_is_skipped_unless_it_failed_before() -> None:
    observed = seen()
    observed.inapplicable = "only for bots that say `keep_alive`"
    assert judge(case(), observed, {}, {}).status == Status.SKIPPED
    observed = seen(found("exited"))
    observed.inapplicable = "only for bots that say `keep_alive`"
    assert judge(case(), observed, {}, {}).status == Status.FAILED


def test_what_is_known_is_not_counted_again() -> None:
    known = {("exited", "play-turn"): ["1.2/3"]}
    assert brief(judge(case(), seen(found("exited")), known, {})) == (Status.PASSED, [], [])
    stopped = seen(found("exited"), complete=False)
    assert brief(judge(case(), stopped, known, {})) == (Status.NOT_JUDGED, [], ["1.2/3"])


def test_the_same_to_another_request_is_another_mistake() -> None:
    known = {("exited", "play-turn"): ["1.2/3"]}
    attacked = seen(found("exited", request=ATTACK), complete=False)
    assert brief(judge(case(), attacked, known, {})) == (Status.FAILED, ["exited"], [])


def test_a_basic_case_counts_what_is_known() -> None:
    known = {("exited", "play-turn"): ["1.2/3"]}
    basic = case(basic=True)
    assert brief(judge(basic, seen(found("exited")), known, {}))[0] == Status.FAILED


def test_what_a_control_shows_counts_only_in_cases_of_its_section() -> None:
    control = {"bad-parameters": ["4.4/1"], "cannot-buy": ["4.4/1"]}
    overspent = seen(found("cannot-buy", "5.2"))
    assert brief(judge(case(id="5.2/3"), overspent, {}, control))[0] == Status.FAILED
    assert brief(judge(case(id="5.20/3"), overspent, {}, control))[0] == Status.PASSED
    assert brief(judge(case(id="6.1/3"), overspent, {}, control))[0] == Status.PASSED
    # Section 6 has rules for all cards, so 6.4/1 fails as well.
    parameters = seen(found("bad-parameters", "6"))
    assert brief(judge(case(id="6.4/1"), parameters, {}, control))[0] == Status.FAILED
    assert brief(judge(case(id="5.3/1"), parameters, {}, control))[0] == Status.PASSED


def test_what_ended_a_case_says_why_it_was_not_judged() -> None:
    known = {("no-buys", "play-turn"): ["5.1/1"]}
    control = {"exited": ["4.4/2", "4.4/1"]}
    observed = seen(found("no-buys", "5.5"), found("exited"), complete=False)
    result = judge(case(), observed, known, control)
    assert brief(result) == (Status.NOT_JUDGED, [], ["4.4/2", "4.4/1"])


def test_where_no_case_can_be_named_the_violation_is_shown() -> None:
    observed = seen(found("timeout", "8.1"), complete=False)
    result = judge(case(about=["cannot-buy"]), observed, {}, {})
    assert brief(result) == (Status.NOT_JUDGED, ["timeout"], [])
    assert (result.counts, result.stderr) == ({"timeout": 3}, ["last words"])


@pytest.mark.parametrize("kind", ["unreachable", "http-status", "http-error"])
def test_a_failure_of_a_server_is_an_exit_in_cases_that_are_not_basic(kind: str) -> None:
    failed = seen(found(kind))
    for about, basic, status in (
        ("exited", False, Status.FAILED),
        ("exited", True, Status.PASSED),
        (kind, True, Status.FAILED),
        (kind, False, Status.PASSED),
    ):
        assert judge(case(about=[about], basic=basic), failed, {}, {}).status == status


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        (PLAY, "play-turn"),
        (b'{"type":"news"}\n{"type":"play-turn"}\n', "play-turn"),
        ("", ""),
        ("play", ""),
        ("{}", ""),
        ("[]", ""),
    ],
)
def test_the_type_of_a_request_is_that_of_its_last_line(request_: str | bytes, kind: str) -> None:
    assert request_type(request_) == kind


def test_a_line_is_cut_and_made_safe_to_print() -> None:
    assert shown(b"x" * 2000 + b"y") == "x" * 2000
    assert shown(b"\x1b\xff") == "?\\xff"


def result(status: Status, level: Any = "MUST") -> Result:
    return Result("1.1/1", level, "1.1", "Something.", status, [], {}, [], [], 0.1)


def report(*results: Result, strict: bool = False) -> Report:
    return summarize(
        list(results),
        tested="bot",
        command="./bot.py",
        game="dominion",
        protocol=1,
        seed=3,
        strict=strict,
        seconds=1.23456,
    )


@pytest.mark.parametrize(
    ("results", "conforms", "strictly"),
    [
        ([], True, True),
        ([result(Status.PASSED)], True, True),
        ([result(Status.PASSED), result(Status.FAILED, "SHOULD")], True, False),
        ([result(Status.PASSED), result(Status.NOT_JUDGED, "SHOULD")], True, False),
        ([result(Status.PASSED), result(Status.FAILED)], False, False),
        ([result(Status.PASSED), result(Status.NOT_JUDGED)], False, False),
    ],
)
def test_a_bot_conforms_if_nothing_that_must_be_is_open(
    results: list[Result], conforms: bool, strictly: bool
) -> None:
    assert report(*results).conforms is conforms
    assert report(*results, strict=True).conforms is strictly


def test_a_report_counts_and_keeps_the_order() -> None:
    results = [result(Status.FAILED), result(Status.PASSED), result(Status.NOT_JUDGED, "SHOULD")]
    summary = report(*results, result(Status.PASSED))
    assert (summary.passed, summary.failed, summary.not_judged) == (2, 1, 1)
    assert summary.cases == [*results, result(Status.PASSED)]
    assert (summary.command, summary.seed, summary.seconds) == ("./bot.py", 3, 1.235)
