"""Test which names look alike, and which characters are invisible."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.bots.toml import name_problem
from referee.text.lookalikes import _TO_LATIN, confusable, invisible, looks


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("anna", "Anna"),
        ("anna", " anna  "),
        ("anna bot", "anna  bot"),
        ("anna", "\u0430nn\u0430"),
        ("anna", "an\u200bna"),
        ("anna", "anna\u3164"),
        ("anna", "\uff41nna"),
        ("anna", "\u00e1nna"),
        ("bot1", "botl"),
        ("bot1", "botI"),
        ("bot0", "botO"),
        ("\u0410\u0412\u0421", "ABC"),
        ("\u0391\u0392", "\u0410\u0412"),
    ],
)
def test_names_that_look_alike(one: str, other: str) -> None:
    assert looks(one) & looks(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("anna", "anne"), ("bot-1", "bot_1"), ("anna", "anna 2"), ("anni", "annl"), ("a", "b")],
)
def test_names_that_can_be_told_apart(one: str, other: str) -> None:
    assert not looks(one) & looks(other)


@given(st.text())
def test_every_name_looks_like_itself_in_any_case(name: str) -> None:
    assert looks(name) & looks(name)
    assert looks(name) & looks(unicodedata.normalize("NFC", name))


def test_only_letters_of_other_alphabets_and_digits_are_taken_for_latin_ones() -> None:
    for point, letter in _TO_LATIN.items():
        assert unicodedata.category(letter)[0] == "L"
        assert unicodedata.category(chr(point)) in ("Ll", "Lu", "Lm", "Lo", "Nd", "Sm")


@pytest.mark.parametrize("point", [0x00AD, 0x034F, 0x115F, 0x2800, 0x3164, 0xFE0F, 0xFFA0])
def test_a_name_has_no_character_that_nobody_sees(point: int) -> None:
    name = f"an{chr(point)}na"
    assert invisible(name) == chr(point)
    assert name_problem(name)


@pytest.mark.parametrize("name", [" ", "anna ", " anna", "an  na"])
def test_a_name_has_no_space_that_nobody_sees(name: str) -> None:
    assert "begins or ends with a space, or has two in a row" in name_problem(name)


@pytest.mark.parametrize("other", ["Bot 1 in", "bot-1_in", "bot.1in", "b0t1in", "Botlin", "BOT1IN"])
def test_names_that_people_take_for_each_other_are_paired(other: str) -> None:
    assert [*confusable(["bot1in", "anna", other, "bot2in"])] == [("bot1in", other)]


@pytest.mark.parametrize(("one", "other"), [("corn", "com"), ("vvv", "wv"), ("clean", "dean")])
def test_two_letters_may_look_like_one(one: str, other: str) -> None:
    assert [*confusable([other, one])] == [(other, one)]


def test_names_with_nothing_in_common_and_equal_ones_are_no_pairs() -> None:
    assert [*confusable(["anna", "anne", "anna", "anna #2", "bot1", "bot2", "bot11"])] == []
