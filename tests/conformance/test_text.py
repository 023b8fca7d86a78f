"""The text of a report of `conform`: counts of cases, with each part only if there is a case."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from referee.conformance.case import OTHER_DIALECT, Case
from referee.conformance.text import TextReport
from referee.conformance.verdict import Result, Status, Violation, result_of, summarize

TEXT = TextReport({"1": "Lines", "2": "Messages"}, width=200, colour=False)
RUN: dict[str, Any] = {
    "tested": "bot",
    "command": "bot",
    "game": "dominion",
    "protocol": 1,
    "seed": 1,
}


def result(
    status: Status, id: str = "1.1/1", level: Literal["MUST", "SHOULD"] = "MUST", why: str = ""
) -> Result:
    return result_of(Case(id, "Something.", level), status, why=why)


OTHER = result(Status.SKIPPED, why=OTHER_DIALECT)


@pytest.mark.parametrize(
    ("results", "text"),
    [
        ([result(Status.PASSED)], "conforms: 1 of 1 cases passed"),
        (
            [result(Status.PASSED), OTHER],
            "conforms: 1 of 1 cases that apply to its dialect passed",
        ),
        (
            [result(Status.SKIPPED), OTHER],
            "conforms: 0 of 1 cases that apply to its dialect passed, 1 skipped",
        ),
        (
            [result(Status.FAILED)],
            "does not conform: 0 of 1 cases passed, 1 that must pass failed",
        ),
        (
            [result(Status.FAILED, level="SHOULD")],
            "conforms: 0 of 1 cases passed, 1 that should pass failed",
        ),
        (
            [result(Status.NOT_JUDGED)],
            "does not conform: 0 of 1 cases passed, 1 could not be judged",
        ),
    ],
)
def test_the_verdict_counts_what_there_is(results: list[Result], text: str) -> None:
    report = summarize(results, strict=False, seconds=1.0, **RUN)
    assert [*TEXT.verdict(report)] == [f"bot {text}, in 1.0 s."]


def test_the_counts_of_a_chapter() -> None:
    results = [result(Status.PASSED), result(Status.FAILED), OTHER, result(Status.PASSED, "2.1/1")]
    one, two = TEXT.counts(results)
    assert one == "1 Lines     1 of 2 passed, 1 failed, 1 does not apply"
    assert two == "2 Messages  1 of 1 passed"


def test_a_mistake_of_many_cases_is_shown_once() -> None:
    text = TextReport({"8": "Ends"}, width=200, colour=False)
    wrong = Violation("exited", "8.2", "a reply", "it ended")
    first, again = (
        result_of(Case(id, "Stay."), Status.FAILED, violations=[wrong]) for id in ("8.2/1", "8.2/2")
    )
    assert any("it ended" in line for line in text.new_failures(first))
    assert [*text.new_failures(again)] == []
