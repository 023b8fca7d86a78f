"""Failed cases are grouped by cause: one cause per mistake, and one mistake per cause."""

from __future__ import annotations

from typing import Literal

import msgspec
import pytest

from referee.conformance.case import Case
from referee.conformance.causes import _pattern, causes
from referee.conformance.text import TextReport
from referee.conformance.verdict import (
    EARLY,
    EXITED,
    NOT_STARTED,
    SURPLUS,
    UNASKED,
    Observed,
    Result,
    Status,
    Violation,
    judge,
    result_of,
)
from referee.games.interface.faults import INVALID_JSON, WRONG_TYPE

RULE = "What the page says."
TURN = '{"type":"play-turn"}'
ATTACK = '{"type":"attack-request"}'


def fault(kind: str, actual: str, section: str = "7.2") -> Violation:
    return Violation(kind, section, "a legal reply", actual, ATTACK, "{}", [], RULE)


def failed(
    id: str,
    *violations: Violation,
    level: Literal["MUST", "SHOULD"] = "MUST",
    stderr: tuple[str, ...] = (),
    again: tuple[str, ...] = (),
) -> Result:
    case = Case(id, "Something.", level)
    status = Status.FAILED
    return result_of(case, status, violations=violations, stderr=stderr, again=again)


def grouped(*results: Result, strict: bool = False) -> list[list[str]]:
    return [
        [example.result.id for example in cause.examples]
        for cause in causes(results, strict=strict)
    ]


def test_the_same_mistake_with_other_cards_is_one_cause() -> None:
    first = failed("4.1/2", fault("bad-discard", 'discards "estate", which is not in hand'))
    second = failed("7.2/2", fault("bad-discard", 'discards "gold", which is not in hand'))
    (cause,) = causes([first, second], strict=False)
    assert [example.result.id for example in cause.examples] == ["4.1/2", "7.2/2"]
    assert cause.what == "discards ..., which is not in hand"
    # the mistake is about section 7.2, so this case explains it best
    assert cause.shown.result.id == "7.2/2"
    assert cause.others == ["4.1/2"]


def test_what_is_alike_in_all_cases_is_said_in_full() -> None:
    same = fault("bad-discard", 'discards "gold", which is not in hand')
    (cause,) = causes([failed("7.2/2", same), failed("7.2/3", same)], strict=False)
    assert cause.what == same.actual


def test_two_mistakes_with_one_code_are_two_causes() -> None:
    number = failed("7.2/1", fault("bad-discard", "discards 1 cards where 2 are due"))
    twice = failed("7.2/2", fault("bad-discard", 'discards "gold", which is not in hand'))
    assert grouped(number, twice) == [["7.2/1"], ["7.2/2"]]


def test_a_case_can_fail_for_two_causes() -> None:
    buys = fault("cannot-buy", "cards_to_buy[0] is dear", "5.2")
    discards = fault("bad-discard", "discards 1 cards where 2 are due")
    assert grouped(failed("4.1/1", buys), failed("4.1/2", discards, buys)) == [
        ["4.1/1", "4.1/2"],
        ["4.1/2"],
    ]


@pytest.mark.parametrize("kind", [EARLY, UNASKED, SURPLUS])
def test_a_stray_line_is_one_cause_wherever_it_is_found(kind: str) -> None:
    def stray(request: str, line: str) -> Violation:
        return Violation(kind, "1.2", "a reply", f"the line {line} comes before it", request)

    first, second = failed("5.1/1", stray(TURN, "my turn")), failed("7.2/1", stray(ATTACK, "help"))
    assert grouped(first, second) == [["5.1/1", "7.2/1"]]


def test_of_a_list_that_differs_one_ellipsis_is_enough() -> None:
    first = failed("7.2/1", fault("bad-discard", "discards ['moat', 'mine']"))
    second = failed("7.2/2", fault("bad-discard", "discards ['gold', 'mine', 'moat']"))
    (cause,) = causes([first, second], strict=False)
    assert cause.what == "discards [...]"


@pytest.mark.parametrize("kind", [EXITED, NOT_STARTED])
def test_crashes_are_told_apart_by_the_last_line_on_stderr(kind: str) -> None:
    def crash(id: str, last: str) -> Result:
        exited = Violation(kind, "8.2", "a reply", "its process ended with exit code 1", TURN)
        return failed(id, exited, stderr=("Traceback", last))

    results = [
        crash("5.1/1", "KeyError: 'moat'"),
        crash("5.1/2", "KeyError: 'mine'"),
        crash("5.1/3", "IndexError: list index out of range"),
    ]
    assert grouped(*results) == [["5.1/1", "5.1/2"], ["5.1/3"]]


def test_only_failures_have_causes_and_each_case_is_an_example_once() -> None:
    wrong = fault("bad-discard", "discards 1 cards where 2 are due")
    shown = result_of(Case("7.2/3", "?"), Status.NOT_JUDGED, violations=[wrong])
    twice = failed("7.2/1", wrong, fault("bad-discard", "discards 3 cards where 2 are due"))
    assert grouped(shown, twice) == [["7.2/1"]]


def test_programs_that_end_without_a_word_are_one_cause() -> None:
    exited = Violation(EXITED, "8.2", "a reply", "its process ended with exit code 1", TURN)
    loud = failed("5.1/3", exited, stderr=("oh",))
    assert grouped(failed("5.1/1", exited), failed("5.1/2", exited), loud) == [
        ["5.1/1", "5.1/2"],
        ["5.1/3"],
    ]


def test_the_detail_tells_mistakes_apart_only_where_a_rule_is_broken() -> None:
    """The detail of a line that can't be read quotes the line, and so does one without a rule."""
    for kind, rule, alike in (
        ("bad-discard", RULE, False),
        ("bad-discard", "", True),
        (INVALID_JSON, RULE, True),
        (WRONG_TYPE, RULE, True),
    ):
        first, second = (
            msgspec.structs.replace(fault(kind, f"it says {text}"), rule=rule)
            for text in ("yes", "no")
        )
        found = grouped(failed("7.2/1", first), failed("7.2/2", second))
        assert found == ([["7.2/1", "7.2/2"]] if alike else [["7.2/1"], ["7.2/2"]])


def test_what_counts_comes_first() -> None:
    slow = failed("3.1/5", fault("no-version", "no `version`", "3.1"), level="SHOULD")
    wrong = failed("7.2/1", fault("bad-discard", "discards 1 cards where 2 are due"))
    assert grouped(slow, wrong) == [["7.2/1"], ["3.1/5"]]
    assert grouped(slow, wrong, strict=True) == [["3.1/5"], ["7.2/1"]]


def test_the_cases_of_a_referee_are_rules_of_their_own() -> None:
    def departs(id: str, expected: str, actual: str = "nothing of the kind") -> Result:
        violation = Violation("departure", "6.7", expected, actual)
        return failed(id, violation, again=("--seed", "1"))

    results = departs("6.7/1", "three cards"), departs("6.7/2", "a shuffle")
    assert grouped(*results) == [["6.7/1"], ["6.7/2"]]
    again = departs("6.7/3", "a shuffle", "two cards")
    assert grouped(*results, again) == [["6.7/1"], ["6.7/2"], ["6.7/3"]]


def test_the_first_case_of_the_section_itself_is_shown() -> None:
    wrong = fault("bad-discard", "discards 1 cards where 2 are due")
    results = [failed(id, wrong) for id in ("7.20/1", "7.2/1", "7.2/2")]
    (cause,) = causes(results, strict=False)
    assert cause.shown.result.id == "7.2/1"


def test_a_mistake_in_another_section_or_of_another_level_is_another_cause() -> None:
    wrong = fault("bad-discard", "discards 1 cards where 2 are due")
    other = msgspec.structs.replace(wrong, section="7.3")
    results = failed("7.2/1", wrong), failed("7.2/2", wrong, level="SHOULD"), failed("7.3/1", other)
    assert grouped(*results) == [["7.2/1"], ["7.3/1"], ["7.2/2"]]


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ('says {"a":{"b":"c"}}', "says ..."),
        (r'says "a\"b", then', "says ..., then"),
        (r"says 'a\'b', then", "says ..., then"),
        ("costs 10.5 coins", "costs ... coins"),
        ("['a','b']", "[...]"),
        ("player1", "player1"),
    ],
)
def test_values_are_left_out_of_a_pattern(text: str, pattern: str) -> None:
    assert _pattern(text) == pattern


def test_the_note_of_a_case_stands_where_the_match_had_begun() -> None:
    case = Case("7.2/1", "Something.", note="In the middle.")
    handshake = '{"type":"player-name-request"}'
    for request, note in ((ATTACK, "In the middle."), (handshake, "")):
        violation = Violation("bad-discard", "7.2", "", "", request)
        observed = Observed([violation], {"bad-discard": 1})
        assert judge(case, observed, {}, {}).note == note
    assert judge(case, Observed(complete=True), {}, {}).note == ""


def test_lines_of_stderr_are_shown_whole() -> None:
    """Long lines aren't cut, since the line number or the misspelt name is often at the end."""
    line = f'  File "/home/{"ann/" * 40}my_bot.py", line 7, in play_turn'
    exited = Violation(EXITED, "8.2", "a reply", "its process ended", TURN)
    text = TextReport({}, width=80, colour=False)
    shown = list(text.failures([failed("5.2/1", exited, stderr=("Traceback", line))]))
    assert f"        {line}" in shown


def test_a_brief_report_shows_the_first_cause_in_full() -> None:
    """One mistake of a referee often fails in many matches, with the same stderr each time."""
    departs = [fault("departure", f"to player{n}: {TURN}", f"6.{n}") for n in range(1, 5)]
    results = [failed(f"6.{n}/1", each, stderr=("oh",)) for n, each in enumerate(departs, 1)]
    text = TextReport({}, width=80, colour=False)
    whole = "\n".join(text.failures(results))
    assert (whole.count("FAIL"), whole.count("expected"), whole.count("oh")) == (4, 4, 1)
    brief = "\n".join(text.failures(results, brief=True))
    assert (brief.count("FAIL"), brief.count("expected"), brief.count("oh")) == (4, 1, 1)


def test_json_is_wrapped_at_its_commas() -> None:
    message = '{"type":"play-turn","hand":[' + ",".join(['"copper"'] * 20) + "]}"
    text = TextReport({}, width=80, colour=False)
    lines = list(text.failures([failed("6.7/1", fault("departure", message))]))
    words = [line[16:] for line in lines if "copper" in line]
    assert len(words) > 3
    assert all(line.endswith(",") for line in words[:-1])
