"""Test the sections of the pages in spec/, and the rules that reports quote from them."""

from __future__ import annotations

import math
import tomllib

import pytest
from msgspec.structs import replace

from referee.games import GAMES
from referee.games.interface.faults import BAD_NAME_REPLY
from referee.match.pages import _sections, game_page, load_page, read_page
from tests.support.live import ROOT

DOMINION = load_page("protocol-v1")
PAGES = [rules.specification for rules in GAMES.values()]


def test_sections_are_those_of_the_headings() -> None:
    section = DOMINION.sections["7.2"]
    assert section.title == "Discarding"
    assert section.text.startswith('```json\n{"type":"attack-reply"')
    assert section.text.endswith("`bad-discard`: 7.4.")
    assert [s.number for s in DOMINION.inside("7")] == ["7", "7.1", "7.2", "7.3", "7.4"]
    # 2.10 starts with the same characters, but isn't part of 2.1.
    assert [s.number for s in DOMINION.inside("2.1")] == ["2.1"]
    assert "A complete conversation" not in {s.title for s in DOMINION.sections.values()}
    in_code = _sections("## 1 One\n```\n## 2 Two\n```\n## 3 Three\n")
    assert [*in_code] == ["1", "3"]


@pytest.mark.parametrize("page", PAGES)
def test_every_code_of_section_9_leads_to_a_section(page: str) -> None:
    read = load_page(page)
    codes = read.codes
    assert {code.kind for code in codes} == {"fault", "disqualification", "end reason"}
    assert {code.code for code in codes if code.section not in read.sections} == set()


def test_a_code_of_two_rows_has_both_sections() -> None:
    found = [code.section for code in DOMINION.codes if code.code == "invalid-json"]
    assert found == ["5.5", "7.4"]


@pytest.mark.parametrize("game", GAMES)
def test_every_fault_has_a_rule_to_quote(game: str) -> None:
    """The quoted sentence or table row must contain the code."""
    page = load_page(GAMES[game].specification)
    for code in page.codes:
        # Conform has its own text for this one.
        if code.kind == "fault" and code.code != BAD_NAME_REPLY:
            assert f"`{code.code}`" in page.rule(code.section, code.code, ""), code


@pytest.mark.parametrize(
    ("section", "code", "detail", "rule"),
    [
        (
            "7.2",
            "bad-discard",
            "discards 1 cards where 2 are due",
            "`discard`, list of cards: exactly as many as requested, all of them in hand: a card "
            "named twice must be in hand twice. A wrong number, a card that is not in hand, or a "
            "`discard` that is missing or not a list is a fault, `bad-discard`: 7.4.",
        ),
        ("5.5", "bad-phase", "", "`bad-phase`: `phase` is missing or not one of the three."),
        (
            "6",
            "bad-parameters",
            "mine: `desired_card` is null",
            "`desired_card`, card: a treasure in the supply that costs up to 3 more. "
            "`desired_card` missing, not a treasure, too expensive, or its pile empty: consumed.",
        ),
    ],
)
def test_a_rule_is_in_the_words_of_the_page(
    section: str, code: str, detail: str, rule: str
) -> None:
    assert DOMINION.rule(section, code, detail) == rule


def test_a_list_belongs_to_the_sentence_before_it() -> None:
    rule = load_page("botwars/protocol").rule("5.2", "ignored-move", "")
    assert rule.startswith("A move is ignored, which is a fault, `ignored-move`, if `from` is not")
    assert rule.endswith("that botlet was moved already by an earlier move of the list.")
    text = "## 4 Rules\n\nOne is `x`: More follows:\n\n- an item\n"
    page = game_page(replace(GAMES["dominion"], specification_text=text))
    assert "an item" not in page.rule("4", "x", "")


def test_a_page_that_is_not_there_has_no_rules() -> None:
    missing = load_page("no/such/page")
    assert missing.rule("1", "invalid-json", "") == missing.beginning("1") == ""
    assert DOMINION.rule("99.9", "bad-phase", "`phase` is 3") == ""


def test_the_wheel_carries_the_pages() -> None:
    packed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    assert packed["targets"]["wheel"]["force-include"]["spec"] == "referee/spec"


@pytest.mark.parametrize(
    ("limits", "line", "time"),
    [
        ({}, "64 KiB", "10 s"),
        ({"line_limit": 2**20, "time_limit": 2.5}, "1,024 KiB", "2.5 s"),
        ({"time_limit": math.inf}, "64 KiB", "none"),
    ],
)
def test_the_page_of_a_game_from_outside_has_its_limits(
    limits: dict[str, float], line: str, time: str
) -> None:
    page = game_page(replace(GAMES["dominion"], specification_text="## 4 Rules", limits=limits))
    assert f"The line limit of `dominion` is {line}." in page.sections["1.3"].text
    assert f"The time limit of `dominion` is {time} unless" in page.sections["8.1"].text
    # What all games share comes before it.
    assert page.sections["8.1"].text.startswith(read_page("protocol").sections["8.1"].text)
    assert (
        [*page.sections].index("1.3") < [*page.sections].index("4") < [*page.sections].index("10")
    )
