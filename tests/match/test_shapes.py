"""Tests for the descriptions of wrong fields in messages."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.dominion.rules.messages import (
    PUBLIC,
    PlayerGained,
    PlayTurn,
    SupplyInfo,
)
from referee.games.tribute.rules.messages import PatronRequest
from referee.match.messages import SHARED_PUBLIC, GameEnd, PlayerName
from referee.match.shapes import Misfit, meant, misfits
from tests.support.helpers import TIMES

GAINED = {"type": "player-gained", "player_number": "player1", "gained": "silver"}
PILES = [{"card": "copper", "count": 1}] * 17


class Ten(msgspec.Struct):
    """A message with a list of a fixed length."""

    cards: Annotated[list[str], msgspec.Meta(min_length=10, max_length=10)]


@pytest.mark.parametrize(
    ("struct", "changes", "misfit"),
    [
        (PlayerGained, {"gained": ["silver"]}, ("gained", "a string", "a list of 1", "list")),
        (PlayerGained, {"gained": 5}, ("gained", "a string", "5", "number")),
        (PlayerGained, {"gained": None}, ("gained", "a string", "null", "null")),
        (PlayerGained, {"gained": True}, ("gained", "a string", "true", "boolean")),
        (PlayerGained, {"gained": {}}, ("gained", "a string", "an object", "object")),
        (PlayerGained, {"gained": ...}, ("gained", "a string", "missing", "missing")),
        (
            PlayerName,
            {"player_number": "player1", "name": "x" * 65},
            ("name", "a string of at most 64 characters", '"' + "x" * 40 + '..."', "length"),
        ),
        (
            Ten,
            {"cards": ["moat"]},
            ("cards", "a list of 10", "a list of 1", "length"),
        ),
        (
            SupplyInfo,
            {"cards": [*PILES[1:], {"card": "copper", "count": "9"}]},
            ("cards[].count", "an integer of 0 or more", '"9"', "string"),
        ),
        (
            SupplyInfo,
            {"cards": [*PILES[1:], {"card": "copper", "count": -1}]},
            ("cards[].count", "an integer of 0 or more", "-1", "range"),
        ),
        (
            PatronRequest,
            {"round": 1, "available": [], "picked": []},
            ("available", "a list of 1 or more", "a list of 0", "length"),
        ),
        (SupplyInfo, {"cards": [*PILES[1:], 7]}, ("cards[]", "an object", "7", "number")),
        (
            GameEnd,
            {"scores": [1.5, True], "winners": [], "reason": "x"},
            ("scores[]", "a number", "true", "boolean"),
        ),
        (
            GameEnd,
            {"scores": 3, "winners": [], "reason": "x"},
            ("scores", "a list", "3", "number"),
        ),
    ],
)
def test_a_misfit(
    struct: type[msgspec.Struct], changes: dict[str, Any], misfit: tuple[str, str, str, str]
) -> None:
    message = GAINED | changes if struct is PlayerGained else changes
    message = {field: value for field, value in message.items() if value is not ...}
    assert misfits(message, struct) == [Misfit(*misfit)]


def test_all_misfits_are_said() -> None:
    fields = [misfit.field for misfit in misfits({"actions": "1", "hand": [1, 2]}, PlayTurn)]
    assert fields[:4] == ["actions", "buys", "extra_money", "hand[]"]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"gained": ["silver"]},
        {"player_number": 1},
        {"player_number": "1"},
        {"player_number": [1]},
    ],
)
def test_what_is_clear_is_understood(changes: dict[str, Any]) -> None:
    assert meant(GAINED | changes, PlayerGained) == PlayerGained("player1", "silver")


def test_what_is_clear_inside_of_lists_is_understood() -> None:
    piles = [{"card": ["copper"], "count": "9"}, *PILES[1:]]
    found = meant({"cards": piles}, SupplyInfo)
    assert isinstance(found, SupplyInfo)
    assert (found.cards[0].card, found.cards[0].count) == ("copper", 9)
    assert meant({"cards": [7, *PILES[1:]]}, SupplyInfo) is None
    assert meant({"player_number": 1}, PlayerGained) is None
    assert meant(GAINED | {"gained": "1"}, PlayerGained) == PlayerGained("player1", "1")


@pytest.mark.parametrize("changes", [{"gained": []}, {"gained": ["a", "b"]}, {"gained": None}])
def test_what_is_unclear_is_not_guessed(changes: dict[str, Any]) -> None:
    assert meant(GAINED | changes, PlayerGained) is None


def test_numbers_are_understood() -> None:
    message = {"scores": ["3", 4.0, "-1"], "winners": 2, "reason": "x"}
    assert meant(message, GameEnd) == GameEnd([3, 4, -1], ["player2"], "x")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@settings(max_examples=12 * TIMES)
@given(data=st.data(), struct=st.sampled_from([*SHARED_PUBLIC, *PUBLIC, PlayTurn]))
def test_misfits_are_found_where_the_decoder_refuses(
    data: st.DataObject, struct: type[msgspec.Struct]
) -> None:
    fields = [field.encode_name for field in msgspec.structs.fields(struct)]
    message = data.draw(st.fixed_dictionaries({}, optional=dict.fromkeys(fields, VALUES)))
    try:
        msgspec.convert(message | {"type": struct.__struct_config__.tag}, struct)
    except msgspec.ValidationError:
        assert misfits(message, struct) != []
    else:
        assert misfits(message, struct) == []
    meant(message, struct)  # must never raise
