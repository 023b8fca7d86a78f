"""Conformance cases: loading them, selecting them with patterns, and merging equal scripts."""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from referee.conformance.case import _SHARED, Case, load_cases, select
from referee.errors import UsageError
from referee.games import GAMES
from referee.games.dominion import RULES
from referee.match.pages import read_spec

IDS = ["1.1/1", "1.1/2", "1.10/1", "5.1/1", "5.2/1", "9/1"]
CASES = [Case(id, "MUST", "Something.") for id in IDS]


@pytest.mark.parametrize(
    ("patterns", "ids"),
    [
        ([], IDS),
        (["5.2/1"], ["5.2/1"]),
        (["1.1"], ["1.1/1", "1.1/2"]),  # but not 1.10
        (["1"], ["1.1/1", "1.1/2", "1.10/1"]),
        (["9"], ["9/1"]),
        (["9/"], ["9/1"]),
        (["*/2"], ["1.1/2"]),
        (["5.?/1"], ["5.1/1", "5.2/1"]),
        (["9", "1.1/1"], ["1.1/1", "9/1"]),  # in the order of the file
        (["5", "5.1/1"], ["5.1/1", "5.2/1"]),
    ],
)
def test_a_pattern_is_an_id_a_section_a_chapter_or_has_wildcards(
    patterns: list[str], ids: list[str]
) -> None:
    assert [case.id for case in select(CASES, patterns)] == ids


@pytest.mark.parametrize("pattern", ["1.1/3", "2", "1.", "x*", "", "1.1/1 "])
def test_a_pattern_that_names_nothing_is_wrong_usage(pattern: str) -> None:
    with pytest.raises(UsageError, match="no case matches"):
        select(CASES, ["5.2/1", pattern])


def test_a_section_is_the_id_without_its_number() -> None:
    assert [case.section for case in CASES] == ["1.1", "1.1", "1.10", "5.1", "5.2", "9"]


def test_cases_that_judge_the_same_differently_are_one_script() -> None:
    case = Case("1.1/1", "MUST", "This.", about=["no-flush"], basic=True, vital=True)
    assert case.script == Case("1.1/2", "SHOULD", "That.", control="4.4/1").script
    assert case.script != Case("1.1/1", "MUST", "This.", options={"max_turns": 2}).script
    assert case.script != Case("1.1/1", "MUST", "This.", listen=True).script


def test_an_unknown_field_of_a_case_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `basics`"):
        msgspec.convert(
            {"id": "1/1", "level": "MUST", "requirement": "?", "basics": True}, type=Case
        )


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError, match="no-such-cases"):
        read_spec("no-such-cases.json")


def test_every_control_is_a_case_and_none_goes_round_in_a_circle() -> None:
    by_id = {case.id: case for case in load_cases(RULES).cases}
    for case in by_id.values():
        chain = [case.id]
        while by_id[chain[-1]].control:
            chain.append(by_id[chain[-1]].control)
            assert chain.count(chain[-1]) == 1, chain


def test_what_is_vital_is_basic_and_what_is_basic_says_what_it_is_about() -> None:
    cases = load_cases(RULES).cases
    assert {case.id for case in cases if case.vital and not case.basic} == set()
    assert {case.id for case in cases if case.basic and not case.about} == set()


def test_what_closes_the_input_judges_the_exit_alone() -> None:
    closing = [case for case in load_cases(RULES).cases if case.close or case.exits]
    assert {kind for case in closing for kind in case.about} == {"stays"}
    assert all(case.about for case in closing)


@pytest.mark.parametrize("name", list(GAMES))
def test_the_shared_cases_are_filled_in(name: str) -> None:
    cases = load_cases(GAMES[name]).cases
    assert not re.search(r"\{[a-z]+\}", msgspec.json.encode(cases).decode())
    order = [[int(part) for part in re.split("[./]", case.id)] for case in cases]
    assert order == sorted(order)


@pytest.mark.parametrize("name", list(GAMES))
def test_what_a_game_changes_in_the_shared_cases_is_used(name: str) -> None:
    read = GAMES[name].cases
    assert read is not None
    shared = json.loads(read())["shared"]
    ids = {case["id"] for case in json.loads(_SHARED.read_text())}
    assert ids >= {*shared.get("omit", ()), *shared.get("changes", ())}
    by_id = {case.id: case for case in load_cases(GAMES[name]).cases}
    for id, fields in shared.get("changes", {}).items():
        assert by_id[id].requirement == fields.get("requirement", by_id[id].requirement)
        assert fields.keys() <= {*Case.__struct_fields__}
    own = {case["id"] for case in json.loads(read())["cases"]}
    assert own & ids <= {*shared.get("omit", ())}, "two cases of one id"
