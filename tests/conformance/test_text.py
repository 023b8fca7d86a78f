"""The text of a report of `conform`: counts of cases, with each part only if there is a case."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import pytest

from referee.conformance.case import OTHER_DIALECT, Case
from referee.conformance.text import TextReport, some, why_unjudged
from referee.conformance.verdict import Report, Result, Status, Violation, result_of, summarize

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


# --- each part alone ------------------------------------------------------------------------------

PLAY = Violation("exited", "8.2", "a reply", "it ended", '{"type":"play-turn"}')
DISCARD = Violation("bad-discard", "7.2", "legal", "1 card", '{"type":"attack-request"}', "{}")


def failed(id: str, *violations: Violation, **fields: Any) -> Result:
    level = fields.pop("level", "MUST")
    return result_of(Case(id, "Stay.", level), Status.FAILED, violations=[*violations], **fields)


def report(*results: Result, **fields: Any) -> Report:
    made = summarize([*results], strict=False, seconds=1.0, **RUN)
    return msgspec.structs.replace(made, **fields)


def labels(lines: Any) -> list[str]:
    return [line[6:16].strip() for line in lines if line[:6] == " " * 6]


def heads(lines: Any) -> list[str]:
    return [line for line in lines if line.startswith(("FAIL", "warn"))]


def test_nine_ids_are_one_too_many() -> None:
    ids = list("abcdefghi")
    assert some(ids[:8]) == "a, b, c, d, e, f, g, h"
    assert some(ids) == "a, b, c, d, e, f, g, h and 1 more"


def test_no_text_is_narrower_than_60_columns_or_wider_than_120() -> None:
    note = report(notes=["x " * 200])
    for width, most in ((1, 60), (60, 60), (61, 61), (119, 119), (120, 119), (140, 119)):
        lines = [*TextReport({}, width=width, colour=False).notes(note)]
        assert max(map(len, lines)) in (most, most - 1)


def test_a_report_of_no_cases_is_empty() -> None:
    assert [*TEXT.listed([]), *TEXT.failures([]), *TEXT.counts([])] == []
    assert [*TEXT.commands(report())] == []


def test_a_list_of_cases_has_titles_and_results_have_a_word() -> None:
    text = TextReport({"1": "Lines"}, width=60, colour=False)
    rule = Case("1.1/1", "It must be well-known to everybody, and for all time to come.")
    assert [*text.listed([rule, Case("2/1", "")])] == [
        "1 Lines",
        "  1.1/1  MUST    It must be well-known to everybody, and for",
        " " * 17 + "all time to come.",
        "",
        "2",
        "  2/1    MUST    ",
    ]
    (_, line) = text.listed([result(Status.PASSED)])
    assert line == "  ok    1.1/1  MUST    Something."
    slow = failed("1.1/1", PLAY, level="SHOULD")
    strict = TextReport({}, width=60, colour=False, strict=True)
    assert [[*each.listed([slow])][1][:6] for each in (text, strict)] == ["  warn", "  FAIL"]


def test_a_requirement_is_broken_at_a_space_two_columns_before_the_margin() -> None:
    text = TextReport({}, width=60, colour=False)
    for words, first in (("x" * 44 + " y", "x" * 44), ("x" * 36 + " well-known", "x" * 36)):
        _, line, _ = text.listed([Case("2/1", words)])
        assert line == f"  2/1  MUST    {first}"


def test_a_case_with_two_mistakes_has_one_head() -> None:
    text = TextReport({}, width=80, colour=False)
    both = failed("8.2/1", DISCARD, PLAY)
    assert heads(text.failures([both])) == ["FAIL  8.2/1  MUST    Stay."]
    assert heads(text.new_failures(both)) == ["FAIL  8.2/1  MUST    Stay."]
    assert heads(text.failures([both, failed("8.2/2", DISCARD)])) == [
        "FAIL  2 cases: 1 card",
        "FAIL  8.2/1  MUST    Stay.",
    ]


def test_a_mistake_of_many_cases_lists_them() -> None:
    one, two, three = (failed(f"8.2/{number}", PLAY) for number in (1, 2, 3))
    assert [*TEXT.repeated([one])] == []
    assert [*TEXT.repeated([one, two, three])] == [
        "FAIL  3 cases: it ended",
        "      first     8.2/1, shown above",
        "      also      8.2/2, 8.2/3",
        "",
    ]
    assert "also" not in labels(TEXT.failures([one]))
    assert "also" in labels(TEXT.failures([one, two]))


def test_stderr_is_shown_in_each_list_of_failures_if_there_is_any() -> None:
    loud = [failed("8.2/1", PLAY, stderr=["oh"])]
    assert [labels(TEXT.failures(loud)).count("stderr") for _ in range(2)] == [1, 1]
    assert "stderr" not in labels(TEXT.failures([failed("8.2/1", PLAY)]))


@pytest.mark.parametrize(
    ("reply", "conversation", "verbose", "shown"),
    [
        ("", ["> a"], False, True),
        ("{}", ["> a"], False, False),
        ("{}", ["> a"], True, True),
        ("", [], True, False),
    ],
)
def test_the_conversation_is_shown_if_there_is_no_reply(
    reply: str, conversation: list[str], verbose: bool, shown: bool
) -> None:
    found = msgspec.structs.replace(PLAY, reply=reply, conversation=conversation)
    lines = TEXT.failures([failed("8.2/1", found)], verbose=verbose)
    assert ("last lines" in labels(lines)) == shown


def test_a_line_of_the_conversation_ends_at_the_margin() -> None:
    text = TextReport({}, width=60, colour=False)
    found = msgspec.structs.replace(PLAY, conversation=["> " + "x" * 90])
    lines = [line for line in text.failures([failed("8.2/1", found)]) if "xxx" in line]
    assert [len(line) for line in lines] == [60]


def test_a_mistake_shows_only_what_is_known() -> None:
    def section(counts: dict[str, int]) -> str:
        return [*TEXT.failures([failed("8.2/1", PLAY, counts=counts)])][1]

    assert section({}) == section({"exited": 1}) == "      section   8.2: exited"
    assert section({"exited": 2}).endswith("exited (2 times, this is the first)")
    plain = ["section", "expected", "actual", "request"]
    assert labels(TEXT.failures([failed("7.2/1", DISCARD)])) == [*plain, "reply"]
    assert labels(TEXT.failures([failed("8.2/1", PLAY)])) == [*plain, "to write"]
    assert labels(TEXT.failures([failed("8.2/1", PLAY, again=["--seed", "1"])])) == plain
    ruled = msgspec.structs.replace(DISCARD, rule="Rule.")
    assert labels(TEXT.failures([failed("7.2/1", ruled, note="A note.")])) == [
        *("section", "rule", "expected", "actual", "request", "reply", "note"),
    ]


def test_long_json_is_broken_after_a_comma_or_space_of_the_second_half() -> None:
    text = TextReport({}, width=60, colour=False)  # 44 columns are left

    def lines(request: str) -> list[str]:
        return [line.strip() for line in text._json("request", request)]

    assert lines("x" * 44) == ["request   " + "x" * 44]
    assert lines("x," * 22) == ["request   " + "x," * 22]
    assert lines("x" * 30 + "," + "y" * 30) == ["request   " + "x" * 30 + ",", "y" * 30]
    assert lines("x" * 30 + "," + "y" * 13) == ["request   " + "x" * 30 + "," + "y" * 13]
    assert lines("x" * 30 + " " + "y" * 30) == ["request   " + "x" * 30, "y" * 30]
    assert lines("x," + "y" * 50) == ["request   x," + "y" * 42, "y" * 8]
    assert lines("\u65e5" * 23) == ["request   " + "\u65e5" * 22, "\u65e5"]
    assert lines("a," + "y" * 40) == ["request   a," + "y" * 40]
    assert lines("x" * 1001)[-1].endswith("x...")


def test_why_a_case_was_not_judged() -> None:
    unjudged = result_of(Case("1/1", ""), Status.NOT_JUDGED, because=["1.1/1"])
    other = result_of(Case("1/2", ""), Status.NOT_JUDGED, violations=[PLAY, DISCARD])
    results = [result(Status.PASSED), OTHER, unjudged, other]
    assert [reason for _, reason in why_unjudged(results)] == [
        OTHER_DIALECT,
        "see 1.1/1",
        "it ended; 1 card",
    ]
    assert [*TEXT.unjudged(results)] == [
        f"1 does not apply, {OTHER_DIALECT}: 1.1/1",
        "1/1 not judged: see 1.1/1",
        "1/2 not judged: it ended; 1 card",
    ]
    text = TextReport({}, width=60, colour=False)
    assert [line[:2] for line in text.unjudged([result(Status.SKIPPED, why="x " * 40)])][1] == "  "
    assert [*TEXT.counts([OTHER, OTHER])] == ["1 Lines  2 do not apply"]


def test_the_verdict_has_a_colour_and_names_a_sandbox() -> None:
    text = TextReport({}, width=200, colour=True)
    (right,) = text.verdict(report(sandbox="bwrap"))
    assert right.startswith("\x1b[32m")
    assert right.endswith("in 1.0 s, sandbox bwrap.\x1b[0m")
    (wrong,) = text.verdict(report(failed("8.2/1", PLAY)))
    assert wrong.startswith("\x1b[31m")


def test_the_commands_play_each_kind_of_failure_again() -> None:
    text = TextReport({}, width=200, colour=False, options=["--timeout", "5"])
    kinds = [msgspec.structs.replace(PLAY, kind=f"kind-{n}") for n in range(9)]
    results = [failed(f"8.2/{n}", kind) for n, kind in enumerate(kinds)]
    *_, again = text.commands(report(*results))
    cases = " ".join(f"--case 8.2/{n}" for n in range(8))
    assert again == f"  referee conform bot --timeout 5 --seed 1 {cases}"
    *_, again = text.commands(report(failed("8.2/1", *kinds[:2])))
    assert again.endswith("--seed 1 --case 8.2/1")


def test_matches_of_a_referee_are_played_again_by_seed() -> None:
    results = [
        failed(f"8.2/{n}", msgspec.structs.replace(PLAY, actual=str(n)), again=again)
        for n, again in enumerate(
            (
                ["--seed", "1", "--match", "pass"],
                ["--seed", "1", "--match", "buys"],
                ["--seed", "2", "--match", "pass"],
                ["--seed", "3"],
            )
        )
    ]
    text = TextReport({}, width=200, colour=False, options=["--time-limit", "5"])
    commands = [*text.commands(report(*results, tested="referee"))]
    assert commands[-3:] == [
        "  referee conform --referee bot --time-limit 5 --seed 1 --match pass --match buys",
        "  referee conform --referee bot --time-limit 5 --seed 2 --match pass",
        "  referee conform --referee bot --time-limit 5 --seed 3",
    ]
