"""Reports of `conform` in the JUnit format."""

from __future__ import annotations

from typing import Any, Literal
from xml.etree import ElementTree

import pytest

from referee.conformance.case import Case
from referee.conformance.junit import _case, _outcome, junit
from referee.conformance.verdict import Status, Violation, result_of, summarize

VIOLATION = Violation(
    "exited", "8.2", "a reply", "it ended", "", "{}", ["> hello", "< {}"], "Rule."
)


@pytest.mark.parametrize(
    ("status", "level", "outcome", "strictly"),
    [
        (Status.PASSED, "MUST", "passed", "passed"),
        (Status.PASSED, "SHOULD", "passed", "passed"),
        (Status.SKIPPED, "MUST", "skipped", "skipped"),
        (Status.FAILED, "MUST", "failure", "failure"),
        (Status.FAILED, "SHOULD", "skipped", "failure"),
        (Status.NOT_JUDGED, "MUST", "error", "error"),
        (Status.NOT_JUDGED, "SHOULD", "skipped", "error"),
    ],
)
def test_what_does_not_affect_the_verdict_is_skipped(
    status: Status, level: Literal["MUST", "SHOULD"], outcome: str, strictly: str
) -> None:
    result = result_of(Case("8.2/1", "Stay.", level), status)
    assert [_outcome(result, strict=strict) for strict in (False, True)] == [outcome, strictly]


def test_the_message_says_why() -> None:
    case = Case("8.2/1", "Stay.")
    told = {
        "8.2: expected a reply; it ended": result_of(case, Status.FAILED, violations=[VIOLATION]),
        "not judged: see 1.1/1, 1.1/2": result_of(
            case, Status.NOT_JUDGED, because=["1.1/1", "1.1/2"]
        ),
        "only for processes": result_of(case, Status.SKIPPED, why="only for processes"),
    }
    for message, result in told.items():
        assert _case(result, "page", strict=False).message == message


def test_the_details_leave_out_what_is_not_known() -> None:
    result = result_of(
        Case("8.2/1", "Stay."),
        Status.FAILED,
        violations=[VIOLATION],
        note="A note.",
        stderr=["one", "two"],
        seconds=0.5,
    )
    made = _case(result, "page", strict=False)
    details = """section:  8.2, exited
rule:     Rule.
expected: a reply
actual:   it ended
reply:    {}
last lines:
> hello
< {}

A note."""
    assert made[:2] == ("page 8.2", "8.2/1 MUST Stay.")
    assert made[2:] == ("failure", "8.2: expected a reply; it ended", details, 0.5, "one\ntwo")


def test_of_many_violations_the_message_has_the_first() -> None:
    violations = [VIOLATION, Violation("timeout", "8.1", "a reply", "none came")]
    result = result_of(Case("8.2/1", "Stay."), Status.FAILED, violations=violations)
    made = _case(result, "page", strict=False)
    assert made.message == "8.2: expected a reply; it ended"


def test_each_chapter_is_a_suite_and_so_are_the_notes() -> None:
    results = [result_of(Case(id, "Stay."), Status.PASSED) for id in ("8.2/1", "8.3/1", "9/1")]
    run: dict[str, Any] = {"tested": "bot", "command": "bot", "game": "dominion", "protocol": 1}
    for notes, more in (([], []), (["Odd."], [("notes", ["note 1, which breaks no rule"])])):
        report = summarize(results, strict=False, seconds=2.0, seed=1, notes=notes, **run)
        root = ElementTree.fromstring(junit(report, {"8": "Ends"}))
        assert (root.get("name"), root.get("time")) == ("referee conform bot", "2.0")
        assert [(suite.get("name"), [case.get("name") for case in suite]) for suite in root] == [
            ("8 Ends", ["8.2/1 MUST Stay.", "8.3/1 MUST Stay."]),
            ("9", ["9/1 MUST Stay."]),
            *more,
        ]
