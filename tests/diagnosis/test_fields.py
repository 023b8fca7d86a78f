"""Unknown fields are noted if they look like misspelt ones (protocol-v1, 1.5)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.diagnosis.fields import found, ignored_fields, missing_for_null
from referee.games import GAMES
from referee.games.dominion import RULES
from referee.match.evidence import Evidence


def notes(*replies: dict[str, Any]) -> list[str]:
    lines = [json.dumps(reply).encode() for reply in replies]
    return ignored_fields(lines, RULES.replies)


def buy(**fields: Any) -> dict[str, Any]:
    return {"type": "play-reply", "phase": "buy", "played_treasures": ["copper"], **fields}


@pytest.mark.parametrize("name", ["cardsToBuy", "cards_bought", "buys", "cards"])
def test_a_misspelt_optional_field(name: str) -> None:
    assert notes(buy(**{name: ["silver"]})) == [
        f"the field `{name}` of its play-reply is ignored; did you mean `cards_to_buy`?"
    ]


def test_a_misspelt_field_within_a_field() -> None:
    action = {"type": "play-reply", "phase": "action", "card": "remodel"}
    assert notes(action | {"additional_parameters": {"cardToTrash": "estate"}}) == [
        "the field `cardToTrash` of `additional_parameters` of its play-reply is ignored; "
        "did you mean `card_to_trash`?"
    ]


def test_a_misspelt_field_within_a_list() -> None:
    line = b'{"type":"move-reply","moves":[{"frm":1,"to":2}]}'
    (note,) = ignored_fields([line], GAMES["botwars"].replies)
    assert note == "the field `frm` of `moves` of its move-reply is ignored; did you mean `from`?"


@pytest.mark.parametrize(
    "reply",
    [
        buy(cards_to_buy=["silver"]),
        buy(cards_to_buy=["silver"], comment="for the engine", debug=[1, 2]),
        # It has the right field as well, so the other one may be on purpose, or from a later
        # version.
        buy(cards_to_buy=["silver"], cardsToBuy=["gold"]),
        # No field takes a number, so it can't be a misspelt one.
        buy(buys=1),
        {"type": "no-reply", "cardsToBuy": []},
        {"type": ["play-reply"], "cardsToBuy": []},
        {"cardsToBuy": []},
    ],
)
def test_what_gives_no_note(reply: dict[str, Any]) -> None:
    assert notes(reply) == []


def test_each_is_noted_once_in_the_order_in_which_they_came() -> None:
    end = {"type": "play-reply", "phase": "cleanup", "topdiscard": "copper"}
    said = notes(buy(buys=["silver"]), end, buy(buys=["gold"]), end)
    assert [note.split("`")[1] for note in said] == ["buys", "topdiscard"]


def test_a_name_is_made_harmless() -> None:
    assert "`cards?To?Buy`" in notes(buy(**{"cards\x1bTo\ud800Buy": ["silver"]}))[0]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"type": "play-reply"}, "`phase` is missing, not"),
        ({"type": "play-reply", "phase": None}, "`phase` is null, not"),
        ({"additional_parameters": {"phase": None}}, "`phase` is null, not"),
    ],
)
def test_a_field_that_is_not_there_is_missing(line: dict[str, Any], says: str) -> None:
    detail = '`phase` is null, not "action"'
    assert missing_for_null(detail, json.dumps(line).encode()).startswith(says)
    assert missing_for_null("is null", b"{}") == "is null"
    assert missing_for_null(detail, b"no object") == detail
    assert missing_for_null(detail, b"[" * 100_000) == detail  # too deep for Python's decoder


def test_what_a_field_is() -> None:
    assert found("name", b'{"name":null}') == "null"
    assert found("name", b'{"name":3}') == "3"
    assert found("name", b"{}") == "missing"
    assert found("name", b"x") == "missing"


names = st.sampled_from([*RULES.replies[0].__struct_fields__, "Card", "cards", "x", "", "\ud800"])
values = st.recursive(
    st.sampled_from([None, True, 0, 1.5, "copper", "\udfff"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=2),
    max_leaves=4,
)


@given(st.dictionaries(names, values, max_size=4))
def test_no_reply_is_too_strange(reply: dict[str, Any]) -> None:
    said = notes({"type": "play-reply"} | reply)
    for note in said:
        note.encode()
        assert note.isprintable()
    evidence = Evidence()
    for line in (b"{}", json.dumps({"type": "play-reply"} | reply).encode()):
        evidence.note_line(line)
    # the fast check must not skip replies that have a note
    assert not (said and evidence.is_plain(RULES.replies))


def test_the_quick_look_knows_right_replies() -> None:
    evidence = Evidence()
    for line in (b"{}", json.dumps(buy(cards_to_buy=["silver"])).encode()):
        evidence.note_line(line)
    assert evidence.is_plain(RULES.replies)
    evidence.note_line(b'{"type":"play-reply","discard":[]}')  # a known field, but of another reply
    assert not evidence.is_plain(RULES.replies)
