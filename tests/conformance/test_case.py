"""Conformance cases: loading them, selecting them with patterns, and merging equal scripts."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest

from referee.conformance.case import _SHARED, Case, Close, Insert, load_cases, select
from referee.errors import UsageError
from referee.games import GAMES
from referee.games.dominion import RULES
from referee.games.interface.definition import GameDefinition
from referee.match.pages import read_spec

IDS = ["1.1/1", "1.1/2", "1.10/1", "5.1/1", "5.2/1", "9/1"]
CASES = [Case(id, "Something.") for id in IDS]


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
    case = Case("1.1/1", "This.", about=["no-flush"], basic=True, vital=True)
    assert case.script == Case("1.1/2", "That.", "SHOULD", control="4.4/1").script
    assert case.script != Case("1.1/1", "This.", options={"max_turns": 2}).script
    assert case.script != Case("1.1/1", "This.", listen=True).script


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


def made_up_file(cases: list[dict[str, Any]], **fields: Any) -> GameDefinition:
    """Return a game with a file of these cases. It's Dominion otherwise, for 2 to 4 players."""
    file = {"format": "conformance-cases", "version": 1, "game": "dominion", "chapters": {}}
    rule = {"level": "MUST", "requirement": "?"}
    data = {"options": {}, **file, **fields, "cases": [rule | case for case in cases]}
    return msgspec.structs.replace(RULES, cases=lambda: json.dumps(data).encode())


def test_a_case_has_the_defaults_of_its_file() -> None:
    """A case's own values come first. Cases for more players than can play are left out."""
    loaded = load_cases(
        made_up_file(
            [
                {"id": "10/1", "note": "Own.", "speaks": "*", "situation": {"turn": {}}},
                {"id": "2.10/1", "situation": {"turn": {}}, "options": {"max_turns": 3}},
                {"id": "2.9/1", "opponents": ["minimal"], "players": 3, "options": {"cards": 1}},
                {"id": "2.9/2", "players": 4},
                {"id": "2.9/3", "players": 5},
            ],
            options={"max_turns": 9, "cards": 2},
            note="In the middle.",
            speaks="orig*",
        )
    )
    assert [
        (case.id, case.players, case.options, case.note, case.speaks) for case in loaded.cases
    ] == [
        ("2.9/1", 3, {"cards": 1}, "", "orig*"),
        ("2.9/2", 4, {"max_turns": 9, "cards": 2}, "", "orig*"),
        ("2.10/1", 2, {"max_turns": 3, "cards": 2}, "In the middle.", "orig*"),
        ("10/1", 2, {"max_turns": 9, "cards": 2}, "Own.", "*"),
    ]
    with pytest.raises(UsageError, match="dominion has no conformance cases for bots"):
        load_cases(msgspec.structs.replace(RULES, cases=None))


def test_a_game_omits_and_changes_shared_cases() -> None:
    every = [case["id"] for case in json.loads(_SHARED.read_text())]
    first, second = every[:2]
    shared = {
        "request": "turn",
        "control": "4.4/1",
        "messages": ["turn"],
        "omit": [first],
        "changes": {second: {"note": "Changed."}},
    }
    cases = load_cases(made_up_file([], shared=shared)).cases
    assert {case.id for case in cases} == {*every} - {first}
    assert [case.id for case in cases if case.note] == [second]


def test_own_cases_have_the_control_and_the_kinds_of_the_shared_ones() -> None:
    shared = {"request": "turn", "control": "4.4/1", "messages": ["turn"], "about": ["exited"]}
    own = [
        {"id": "90/1"},
        {"id": "90/2", "basic": True, "about": ["stays"]},
        {"id": "90/3", "control": "none"},
    ]
    game = msgspec.structs.replace(made_up_file(own, shared=shared), min_seats=3)
    cases = [case for case in load_cases(game).cases if case.section == "90"]
    assert [(case.control, case.about, case.players) for case in cases] == [
        ("4.4/1", ["exited"], 3),
        ("", ["stays"], 3),
        ("", ["exited"], 3),
    ]


def test_a_case_sends_each_line_once_and_whole_to_the_first_player() -> None:
    assert (Insert("first", []).repeat, Close("first").cut) == (1, False)
    assert CASES[0].seat == "player1"


def test_a_control_does_not_tell_scripts_apart_but_a_seed_does() -> None:
    cases = [
        Case("1.1/1", "This."),
        Case("1.1/2", "That.", "SHOULD", basic=True, vital=True, about=["exited"], note="Oh."),
        Case("1.1/3", "This.", control="4.4/1", speaks="*"),
    ]
    assert len({case.script for case in cases}) == 1
    for field, value in (("seed", 3), ("pieces", 1), ("again", "player2"), ("until", "handshake")):
        assert msgspec.structs.replace(cases[0], **{field: value}).script != cases[0].script


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
