"""Values that JSON cannot carry, player numbers, and the words for a bot's values."""

from __future__ import annotations

import math
from typing import Any

import pytest
from msgspec import UNSET, Struct, UnsetType

from referee.games.interface.data import data_problem
from referee.games.interface.faults import describe, did_you_mean, quote
from referee.games.interface.game import Audience, Outcome, ranks
from referee.games.interface.seats import seat_id, seat_ids, seat_index, seat_of


class Inner(Struct):
    value: Any = None
    rest: list[int] | UnsetType = UNSET


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([None, True, "x", 0.5, {"a": (1, [2])}], ""),
        (2**53, ""),
        (2**53 + 1, "v is an integer above 2^53"),
        (-(2**53), ""),
        ({"a": [-(2**53) - 1]}, "v.a[0] is an integer above 2^53"),
        (math.nan, "v is nan, and JSON has no such number"),
        ([1.0, -math.inf], "v[1] is -inf, and JSON has no such number"),
        (({1},), "v[0] is a set, and a set has no order"),
        (frozenset(), "v is a set"),
        ({"a": {1: 2}}, "v.a has the key 1, and keys of JSON are strings"),
        ({("x" * 40,): 2}, "v has the key ('" + "x" * 28 + "..., and keys"),
        (b"x", "v is of type bytes, and JSON has no such value"),
        (Audience.ALL, "v is of type Audience, and JSON has no such value"),
        (Inner([1]), ""),
        (Inner([{2}]), "v.value[0] is a set"),
        ({"a": Inner(rest=["x"])}, ""),  # type: ignore[list-item]
        (Inner(rest=["x"]), "v is not as Inner has it: Expected `int`, got `str`"),  # type: ignore[list-item]
    ],
    ids=str,
)
def test_what_json_cannot_carry(value: Any, problem: str) -> None:
    assert data_problem(value, "v").startswith(problem)
    assert bool(data_problem(value, "v")) == bool(problem)


@pytest.mark.parametrize(
    ("value", "words", "written"),
    [
        ("x" * 40, '"' + "x" * 40 + '"', None),
        ("x" * 41, '"' + "x" * 40 + '..."', None),
        ("\n" * 20, '"' + "\\n" * 20 + '"', None),
        ("\n" * 21, '"' + "\\n" * 20 + '..."', None),
        (None, "null", None),
        (True, "true", None),
        (False, "false", None),
        (10**15 - 1, "999999999999999", None),
        (10**15, "a number", None),
        (-(10**15), "a number", None),
        (1.0, "a number", None),
        ([1, 2], "a list of 2", "[1,2]"),
        ({"a": 1}, "an object", '{"a":1}'),
        ([1] * 19, "a list of 19", "[" + ",".join(["1"] * 19) + "]"),
        ([1] * 20, "a list of 20", "[" + "1," * 19 + "1..."),
    ],
)
def test_the_value_of_a_bot_in_words(value: Any, words: str, written: str | None) -> None:
    assert describe(value) == words
    assert quote(value) == (words if written is None else written)


def test_json_cannot_carry_a_value_that_is_nested_too_deeply() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert data_problem(deep, "view") == "view is nested too deeply for JSON: use flat lists"


def test_a_word_is_guessed_in_any_case() -> None:
    assert did_you_mean("Coper", ["COPPER", "gold"]) == 'did you mean "COPPER"?'
    assert did_you_mean("xyz", ["copper", "gold"]) == ""
    assert did_you_mean(["gold"], ["gold"]) == 'did you mean "gold"?'


def test_player_numbers_count_from_1() -> None:
    assert seat_ids(3) == tuple(map(seat_id, range(3))) == ("player1", "player2", "player3")
    assert [seat_index(seat_id(seat)) for seat in (0, 8, 9, 99)] == [0, 8, 9, 99]
    found = [seat_of(name, 2) for name in ("player1", "player2", "player3", "x")]
    assert found == [0, 1, None, None]
    for wrong in ("player0", "player01", "player", "PLAYER1", "player1 ", "xplayer1", "player1\n"):
        with pytest.raises(ValueError, match=r"(?i)player"):
            seat_index(wrong)


def test_winners_have_rank_1() -> None:
    assert ranks([3, 1, 1, 2]) == (4, 1, 1, 3)
    assert Outcome("over", (4, 1, 1, 3)).winners == (1, 2)
    assert Outcome("no-players", (1, 1)).winners == ()
