"""Test the descriptions of message fields and their values."""

from __future__ import annotations

from typing import Any

import pytest

from referee.gamecheck.fields import fields, in_words


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([3, 1, 2], "an integer from `1` to `3`"),
        ([3, 3], "`3`"),
        ([1, 0.5], "a number from `0.5` to `1`"),
        ([True, False, True], "`false` or `true`"),
        (["b", "a", "b"], '`"a"`, `"b"`'),
        (list(map(str, range(9))), 'a text, such as `"0"`, with the characters `"012345678"`'),
        (list("abcdefghijklm"), 'a text, such as `"a"`'),
        (list("abcdefgh"), ", ".join(f'`"{sign}"`' for sign in "abcdefgh")),
        (
            list("abcdefghijkl"),
            'a text, such as `"a"`, with the characters `"abcdefghijkl"`',
        ),
        (
            [[1, 2, 3, 4], [1, 2, 3, 5]],
            "a list of 4 (`1`, then `2`, then `3`, then an integer from `4` to `5`)",
        ),
        ([[1, 2, 3, 4, 5]], "a list of 5 (an integer from `1` to `5`)"),
        ([[7, 7]], "a list of 2 (`7`)"),
        ([None, 1], "null, or `1`"),
        ([[], [1, 2]], "a list of 0 to 2 (an integer from `1` to `2`)"),
        ([[]], "a list of 0"),
        ([[["x"]]], 'a list of 1 (a list of 1 (`"x"`))'),
        ([[4, 1], "no", [3, 1]], '`"no"`, or a list of 2 (an integer from `3` to `4`, then `1`)'),
        ([{}], "an object"),
        ([], ""),
    ],
)
def test_values_in_words(values: list[Any], words: str) -> None:
    assert in_words(values) == words


def test_fields_of_objects_and_of_objects_in_lists() -> None:
    messages = [
        {"type": "x", "a": {"b": 1}, "c": [[{"d": "e"}]]},
        {"type": "x", "a": None, "f": True},
    ]
    assert dict(fields(messages)) == {
        "a": "null, or an object",
        "a.b": "`1`",
        "c": "a list of 1 (a list of 1 (an object))",
        "c[][].d": '`"e"`',
        "f": "`true`",
    }


def test_fields_of_players_are_one_field() -> None:
    messages = [{"moves": {"player1": 1}}, {"moves": {"player2": 2}}]
    assert dict(fields(messages)) == {
        "moves": "an object",
        "moves.playerN": "an integer from `1` to `2`",
    }


def test_scores_of_seats_are_alike() -> None:
    assert dict(fields([{"scores": [0, 3]}])) == {
        "scores": "a list of 2 (an integer from `0` to `3`)"
    }


def test_keys_that_are_data_are_no_fields() -> None:
    messages = [{"cells": {f"{row}-{column}": 0}} for row in range(9) for column in range(9)]
    assert [path for path, _ in fields(messages)] == ["cells"]
    for keys, are_fields in ((20, True), (21, False)):
        paths = [path for path, _ in fields([{"cells": {f"k{n}": 0 for n in range(keys)}}])]
        assert len(paths) == (21 if are_fields else 1)
