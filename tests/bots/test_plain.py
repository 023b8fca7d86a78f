"""Turning messages into plain objects, exactly as their JSON lines would be decoded."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
import pytest
from msgspec import UNSET, Struct, UnsetType

from referee.bots.plain import plain


class Suit(StrEnum):
    HEARTS = "hearts"


class Part(Struct):
    from_: str = msgspec.field(name="from")
    more: int | UnsetType = UNSET


class Plain(Struct, tag_field="type", tag="plain"):
    parts: list[Part]
    suit: Suit = Suit.HEARTS
    left: dict[str, int | None] = {}


class Loose(Struct, tag_field="type", tag="loose"):
    any: Any


class Row(Struct, tag_field="type", tag="row"):
    row: tuple[Part, ...]


class Pair(Struct, tag_field="type", tag="pair"):
    pair: tuple[int, int]
    pairs: list[tuple[int, ...]]


@pytest.mark.parametrize(
    "message",
    [
        Plain([Part("hand"), Part("deck", 2)], left={"a": None}),
        Loose({1: (2, {3: (4,)}), "text": msgspec.Raw(b"[1, 2]")}),
        Row((Part("hand"), Part("deck"))),
        Pair((1, 2), [(3, 4)]),
    ],
    ids=lambda message: type(message).__name__,
)
def test_a_message_is_what_its_line_says(message: Struct) -> None:
    said = msgspec.json.decode(msgspec.json.encode(message))
    # Comparing the repr also finds a different order of keys, or tuples.
    assert repr(plain(message)) == repr(said)
    for value in plain(message).values():
        if isinstance(value, list):
            value.clear()
    assert repr(plain(message)) == repr(said)
