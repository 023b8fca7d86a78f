"""For any bytes, `decode_reply` must return a reply or an error, and never raise."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from referee.games.dominion import RULES
from referee.games.dominion.rules.messages import AttackReply, AttackReplyReaction, PlayReply
from referee.games.interface.faults import INVALID_JSON, WRONG_TYPE, InvalidReply, describe
from referee.match.decode import MAX_CONTAINERS, MAX_DEPTH, decode_reply, reply_decoder
from tests.support.helpers import TIMES, decoded
from tests.support.marks import slow

FIELDS = {
    "play-reply": (
        "phase",
        "top_discard",
        "played_treasures",
        "cards_to_buy",
        "card",
        "additional_parameters",
    ),
    "attack-reply": ("discard",),
    "attack-reply-reaction": ("reaction",),
}
STRUCTS = {
    "play-reply": PlayReply,
    "attack-reply": AttackReply,
    "attack-reply-reaction": AttackReplyReaction,
}
NULL_IS_MISSING = {"phase", "top_discard", "discard", "reaction"}
CLEANUP = b'{"type":"play-reply","phase":"cleanup"}'


def decode(line: bytes) -> Any:
    reply = decoded(line)
    if isinstance(reply, InvalidReply):
        assert reply.code in (INVALID_JSON, WRONG_TYPE)
        assert reply.detail.isprintable()
        assert 0 < len(reply.detail) < 200
    return reply


def code(line: bytes) -> str:
    """Return the fault code of a line that must be rejected."""
    reply = decode(line)
    assert isinstance(reply, InvalidReply), reply
    return reply.code


def play_reply(line: bytes) -> PlayReply:
    reply = decode(line)
    assert isinstance(reply, PlayReply), reply
    return reply


def with_field(value: bytes, field: bytes = b"x") -> bytes:
    """Return a clean-up reply with an additional field."""
    return b'{"type":"play-reply","phase":"cleanup","%s":%s}' % (field, value)


def slowly(line: bytes) -> bytes:
    """Prepend a wrong `type`, which the later one overrides. This prevents the fast path."""
    assert line.startswith(b"{")
    return b'{"type":"nothing",' + line[1:]


# --- the oracle: Python's json, plus some rules that it doesn't have --------------------------


class NoJsonError(ValueError):
    pass


def no_constant(name: str) -> None:
    raise NoJsonError(name)


def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object like `json.loads`, but reject strings with lone surrogates.

    If keys occur more than once, the last one counts.
    """
    for key, value in found:
        for text in (key, value):
            check_text(text)
    return dict(found)


def check_text(value: Any) -> None:
    if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
        raise NoJsonError("a lone surrogate")
    if isinstance(value, list):
        for entry in value:
            check_text(entry)


def oracle(line: bytes) -> tuple[str, Any]:
    """Decode a line with the standard library: `type` and fields of the reply, or a fault code."""
    try:
        value = json.loads(
            line.decode(), parse_constant=no_constant, parse_int=number, object_pairs_hook=pairs
        )
    except ValueError:
        return INVALID_JSON, None
    if not isinstance(value, dict):
        return INVALID_JSON, None
    tag = value.get("type")
    if not isinstance(tag, str) or tag not in FIELDS:
        return WRONG_TYPE, None
    fields = {field: value[field] for field in FIELDS[tag] if field in value}
    return tag, canonical(fields)


def number(digits: str) -> float:
    return float(digits)


def canonical(value: Any) -> Any:
    """Convert JSON so that true isn't equal to 1, but 1 is equal to 1.0."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if isinstance(value, list):
        return [canonical(entry) for entry in value]
    if isinstance(value, dict):
        return {
            key: canonical(entry)
            for key, entry in value.items()
            if not (entry is None and key in NULL_IS_MISSING)
        }
    return ("text", value)


def seen(line: bytes) -> tuple[str, Any]:
    """Decode a line with `decode_reply`, and return it like `oracle` does."""
    reply = decode(line)
    if isinstance(reply, InvalidReply):
        return reply.code, None
    tag = next(tag for tag, struct in STRUCTS.items() if type(reply) is struct)
    fields = {field: getattr(reply, field) for field in FIELDS[tag]}
    return tag, canonical({field: value for field, value in fields.items() if value is not UNSET})


words = st.sampled_from(
    ["type", "play-reply", "attack-reply", "attack-reply-reaction", "cleanup", "buy", "copper"]
    + [field for fields in FIELDS.values() for field in fields]
)
texts = words | st.text()
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(texts, children, max_size=4),
    max_leaves=8,
)
spaces = st.sampled_from([b"", b"", b" ", b"\t", b"\r", b"  \r\t"])


def escaped(text: str) -> bytes:
    """Return a JSON string in which every character is escaped."""
    units = text.encode("utf-16-be", "surrogatepass")
    return (
        b'"'
        + b"".join(b"\\u%02x%02x" % (units[i], units[i + 1]) for i in range(0, len(units), 2))
        + b'"'
    )


def strings(text: str) -> list[bytes]:
    """Return all the ways in which we write a string as JSON."""
    return [
        json.dumps(text).encode(),
        json.dumps(text, ensure_ascii=False).encode(),
        escaped(text),
    ]


@st.composite
def json_objects(draw: st.DrawFn) -> bytes:
    """Draw a JSON object with random spacing, escapes and duplicate keys, often of a known type."""
    fields = draw(st.lists(st.tuples(texts, json_values), max_size=4))
    tags = st.just("type"), st.sampled_from(list(FIELDS))
    fields += draw(st.lists(st.tuples(*tags), max_size=2))
    line = b""
    for key, value in draw(st.permutations(fields)):
        gap = draw(spaces)
        line += b"," if line else b""
        line += gap + draw(st.sampled_from(strings(key))) + gap + b":" + gap
        if isinstance(value, str):
            line += draw(st.sampled_from(strings(value)))
        else:
            line += json.dumps(value, ensure_ascii=draw(st.booleans())).encode()
        line += gap
    return draw(spaces) + b"{" + line + b"}" + draw(spaces)


REPLIES = [
    CLEANUP,
    b'{"type":"play-reply","phase":"buy","played_treasures":["copper","silver"],"cards_to_buy":[]}',
    b'{"phase":"action","card":"mine","additional_parameters":{"cards":[1.5e3]},"type":"play-reply"}',
    b' { "type" : "attack-reply" , "x" : [ null , true , -0.1 ] , "discard" : [ "moat" ] } \r',
    b'{"type":"attack-reply","reaction":"\\u006doat","type":"attack-reply-reaction","":"\xc3\xa9"}',
]
DAMAGE = [
    *rb"""{ } [ ] " \ , : 0 - . e NaN \u \ud800 \udc00 \x null tru 1e999 01 //""".split(),
    *(b"", b" ", b"\x00", b"\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\n", b"\x0b", b"\xc2\xa0"),
]


def damaged(line: bytes, chance: Random) -> bytes:
    """Change a few bytes of a line."""
    changed = bytearray(line)
    for _ in range(chance.randint(1, 3)):
        start = chance.randint(0, len(changed))
        changed[start : start + chance.randint(0, 3)] = chance.choice(DAMAGE)
    return bytes(changed)


@given(st.binary())
@settings(max_examples=50 * TIMES)
@example(b"")
@example(b"\x00")
@example(b"\xff\xfe{\x00}\x00")
def test_any_bytes(line: bytes) -> None:
    assert seen(line) == oracle(line)


@pytest.mark.untraced
@given(json_values)
@settings(max_examples=15 * TIMES)
def test_any_json(value: Any) -> None:
    line = json.dumps(value).encode()
    assert seen(line) == oracle(line)


@given(json_objects())
@settings(max_examples=8 * TIMES)
def test_any_json_object(line: bytes) -> None:
    expected = oracle(line)
    assert expected[0] != INVALID_JSON
    assert seen(line) == expected
    assert repr(decode(line)) == repr(decode(line))


@given(json_objects(), st.integers(0, 2**32))
@settings(max_examples=6 * TIMES)
def test_any_damaged_object(line: bytes, seed: int) -> None:
    chance = Random(seed)
    for _ in range(20):
        wrong = damaged(line, chance)
        assert seen(wrong) == oracle(wrong)


@pytest.mark.parametrize("seed", [0, 1, *map(slow, range(2, 10))])
def test_many_damaged_replies(seed: int) -> None:
    chance = Random(seed)
    for _ in range(1000):
        line = damaged(chance.choice(REPLIES), chance)
        assert seen(line) == oracle(line)


# --- UTF-8 ------------------------------------------------------------------------------------

NOT_UTF_8 = [
    b"\x80",
    b"\xff",
    b"\xc3",
    b"\xc0\xaf",
    b"\xe2\x82",
    b"\xed\xa0\x80",
    b"\xed\xa0\x80\xed\xb0\x80",
    b"\xf5\x80\x80\x80",
    b"\xf0\x82\x82\xac",
]


@pytest.mark.parametrize("text", NOT_UTF_8, ids=repr)
def test_invalid_utf_8_anywhere(text: bytes) -> None:
    for line in (
        text,
        CLEANUP + text,
        text + CLEANUP,
        with_field(b'"a%sb"' % text),
        with_field(b'"a%sb"' % text, b"top_discard"),
        with_field(b"1", b"a%sb" % text),
        with_field(b'{"y":["%s"]}' % text),
        b'{"type":"%s"}' % text,
        b'{"ty%spe":"play-reply"}' % text,
    ):
        assert code(line) == INVALID_JSON
        assert "UTF-8" in decode(line).detail


def test_the_byte_that_is_not_utf_8_is_named() -> None:
    assert decode(b"{\xff}") == InvalidReply(INVALID_JSON, "byte 2 of the line is not UTF-8")


def test_text_beyond_ascii_is_fine() -> None:
    assert play_reply(with_field('"naïve 🃏"'.encode(), b"top_discard")).top_discard == "naïve 🃏"
    assert play_reply(with_field(b'"\\ud83c\\udccf"', b"top_discard")).top_discard == "🃏"
    assert play_reply(with_field('"\u2028\u2029\ufeff"'.encode())).phase == "cleanup"


@pytest.mark.parametrize(
    "escapes",
    [b"\\ud800", b"\\udbff", b"\\udc00", b"\\udfff", b"\\udc00\\ud800", b"\\ud800\\ud800"],
)
@pytest.mark.parametrize("around", [b"%s", b"a%s", b"%sa", b"%s\\u0041", b"\\\\%s"])
def test_a_lone_surrogate_anywhere(escapes: bytes, around: bytes) -> None:
    text = around % escapes
    for line in (
        with_field(b'"%s"' % text),
        with_field(b'"%s"' % text, b"top_discard"),
        with_field(b'["%s"]' % text, b"cards_to_buy"),
        with_field(b"1", text),
        with_field(b'{"%s":1}' % text),
        b'{"type":"%s"}' % text,
        b'{"type":"%s","type":"play-reply","phase":"cleanup"}' % text,
        b'{"type":"nothing","type":"play-reply","phase":"%s"}' % text,
        b'"%s"' % text,
    ):
        assert code(line) == INVALID_JSON


def test_an_escaped_backslash_makes_no_surrogate() -> None:
    assert play_reply(with_field(b'"\\\\ud800"', b"top_discard")).top_discard == "\\ud800"


# --- numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    b"NaN Infinity -Infinity nan +1 .5 1. 01 - 1e 0x10 1_000 --1 1e+ -.5 \xd9\xa1".split(),
    ids=repr,
)
def test_what_is_no_number(text: bytes) -> None:
    for line in (with_field(text), with_field(text, b"phase"), with_field(b"[%s]" % text), text):
        assert code(line) == INVALID_JSON
        assert line == text or code(slowly(line)) == INVALID_JSON


@pytest.mark.parametrize("text", [b"1e999", b"-1e999", b"1e-999", b"1E+400", b"-0", b"0.0e0"])
def test_odd_numbers_are_numbers(text: bytes) -> None:
    assert play_reply(with_field(text)).phase == "cleanup"
    line = with_field(text, b"top_discard")
    assert play_reply(line).top_discard == float(text)
    assert seen(line) == seen(slowly(line)) == oracle(line)


@pytest.mark.parametrize("digits", [20, 21, 40, 309, 4300, 4301, 5000, 60_000])
@pytest.mark.parametrize("sign", [b"", b"-"])
def test_a_long_integer_is_a_wrong_value_and_no_more(digits: int, sign: bytes) -> None:
    text = sign + b"9" * digits
    assert play_reply(with_field(text)).phase == "cleanup"
    assert play_reply(with_field(b"[%s]" % text)).phase == "cleanup"
    for field in (b"top_discard", b"cards_to_buy", b"additional_parameters"):
        line = with_field(text, field)
        value = getattr(play_reply(line), field.decode())
        assert isinstance(value, int | float)
        assert describe(value) == "a number"
        assert seen(line) == seen(slowly(line)) == oracle(line)
    assert code(b'{"type":%s}' % text) == WRONG_TYPE
    assert code(text) == INVALID_JSON


def test_what_stands_beside_a_long_integer_is_read_as_it_is() -> None:
    long = b"9" * 5000
    for text in (
        b'"%s"' % long,
        b'"\\"%s"' % long,
        b'["\\\\",-0.%s,1e-%s,1E+000%s,%s.5,"\\\\%s\\\\"]' % (long, long, long, long, long),
        b'{"%s":"%s"}' % (long, long),
        b"[%s,-%s,1]" % (long, long),
    ):
        line = with_field(b"[%s,%s]" % (long, text), b"cards_to_buy")
        assert seen(line) == seen(slowly(line)) == oracle(line)


def test_a_long_fraction_is_a_number() -> None:
    assert play_reply(with_field(b"0." + b"1" * 5000, b"top_discard")).top_discard == 1 / 9
    assert play_reply(with_field(b"1e" + b"0" * 5000 + b"2", b"top_discard")).top_discard == 100


# --- nesting ----------------------------------------------------------------------------------


def nested(depth: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    """Return a clean-up reply with this nesting depth, including its own braces."""
    return with_field(opening * (depth - 1) + closing * (depth - 1))


def at_stack_depth(depth: int, call: Callable[[], Any]) -> Any:
    return call() if depth == 0 else at_stack_depth(depth - 1, call)


@pytest.mark.parametrize("stack", [0, 100, 300, 500])
def test_the_deepest_nesting(stack: int) -> None:
    assert MAX_DEPTH == 128
    for accepted in (
        nested(128),
        slowly(nested(128)),
        nested(128)[:-1] + b',"y":[]}',
        with_field(b'{"":' * 126 + b"{}" + b"}" * 126),
        with_field(b'[{"a":' * 63 + b"[]" + b"}]" * 63, b"additional_parameters"),
    ):
        assert isinstance(at_stack_depth(stack, partial(decode, accepted)), PlayReply)
    for refused in (
        nested(129),
        slowly(nested(129)),
        nested(129)[:-1] + b',"y":[]}',
        with_field(b'{"":' * 127 + b"{}" + b"}" * 127),
        with_field(b'[{"a":' * 64 + b"1" + b"}]" * 64, b"additional_parameters"),
        b"[" * 129 + b"]" * 129,
    ):
        reply = at_stack_depth(stack, partial(decode, refused))
        assert reply == InvalidReply(INVALID_JSON, "brackets are nested more than 128 deep")


@pytest.mark.parametrize("depth", [129, 1000, 10_000])
@pytest.mark.parametrize(
    ("opening", "closing"), [(b"[", b"]"), (b"[", b""), (b"", b"]"), (b"{", b"}"), (b"{", b"")]
)
def test_very_deep_nesting(depth: int, opening: bytes, closing: bytes) -> None:
    brackets = opening * depth + closing * depth
    for line in (
        brackets,
        with_field(brackets),
        with_field(brackets, b"phase"),
        CLEANUP + brackets,
    ):
        assert code(line) == INVALID_JSON


def test_very_deep_nesting_of_objects() -> None:
    assert code(with_field(b'{"x":' * 10_000 + b"1" + b"}" * 10_000)) == INVALID_JSON
    assert code(with_field(b'{"x":' * 10_000)) == INVALID_JSON


@pytest.mark.parametrize("brackets", [b"[" * 10_000, b"{" * 10_000, b"]}" * 5000, b"[]" * 5000])
@pytest.mark.parametrize("before", [b"", b'\\"', b"\\\\", b'\\\\\\"', b"\\u005b"])
def test_brackets_in_strings_are_no_nesting(brackets: bytes, before: bytes) -> None:
    text = b'"%s%s"' % (before, brackets)
    assert play_reply(with_field(text)).phase == "cleanup"
    assert play_reply(slowly(with_field(text))).phase == "cleanup"
    value = play_reply(with_field(text, b"top_discard")).top_discard
    assert value == json.loads(text)
    assert play_reply(with_field(b"1", before + brackets)).phase == "cleanup"


def test_many_brackets_side_by_side_are_no_nesting() -> None:
    many = b"[" + b"[],{}," * 1000 + b"[]]"
    assert play_reply(with_field(many)).phase == "cleanup"
    assert code(with_field(b"[" * 127 + b"[]," * 200 + b"[]" + b"]" * 127)) == INVALID_JSON


def containers(count: int, empty: bytes = b"[]") -> bytes:
    """Return a clean-up reply with this number of lists and objects, including itself."""
    return with_field(b"[%s]" % b",".join([empty] * (count - 2)))


@pytest.mark.parametrize("empty", [b"[]", b"{}"])
def test_the_most_lists_and_objects(empty: bytes) -> None:
    assert MAX_CONTAINERS == 10_240
    in_string = with_field(b'"%s"' % (empty * 20_000))
    for accepted in (containers(10_240, empty), slowly(containers(10_240, empty)), in_string):
        assert isinstance(decode(accepted), PlayReply)
    for refused in (containers(16_385, empty), slowly(containers(16_385, empty))):
        assert decode(refused) == InvalidReply(
            INVALID_JSON, "it has more than 10240 lists and objects"
        )


def test_a_costly_line_is_decoded_once() -> None:
    """The fast path would read most of it in vain."""

    def fast(line: bytes) -> None:
        raise AssertionError

    decoder: Any = SimpleNamespace(decode=fast, type=reply_decoder((PlayReply,)).type)
    assert isinstance(decode_reply(containers(1_025), decoder), PlayReply)
    with pytest.raises(AssertionError):
        decode_reply(containers(1_024), decoder)


# --- keys -------------------------------------------------------------------------------------


def test_of_duplicate_keys_the_last_counts() -> None:
    assert play_reply(b'{"type":"play-reply","phase":"buy","phase":"cleanup"}').phase == "cleanup"
    assert play_reply(b'{"phase":"cleanup","type":"play-reply","phase":null}').phase is None
    reply = play_reply(with_field(b'{"a":{"b":1},"a":{"c":2}}', b"additional_parameters"))
    assert reply.additional_parameters == {"a": {"c": 2}}


def test_of_duplicate_types_the_last_counts() -> None:
    play, attack = b'"type":"play-reply"', b'"type":"attack-reply"'
    fields = b'"phase":"buy","discard":["copper"]'
    for play_last in (
        b"{%s,%s,%s}" % (attack, play, fields),
        b"{%s,%s,%s}" % (attack, fields, play),
        b"{%s,%s,%s}" % (fields, attack, play),
        b'{"type":5,%s,%s}' % (play, fields),
        b'{"type":"nothing",%s,%s}' % (fields, play),
        b'{%s,"type":null,%s,%s}' % (play, fields, play),
        b'{%s,"\\u0074ype":"play-reply",%s}' % (attack, fields),
    ):
        assert decode(play_last) == PlayReply(phase="buy")
    for attack_last in (
        b"{%s,%s,%s}" % (play, attack, fields),
        b"{%s,%s,%s}" % (play, fields, attack),
        b"{%s,%s,%s}" % (fields, play, attack),
    ):
        assert decode(attack_last) == AttackReply(discard=["copper"])
    for nothing_last in (b"5", b"null", b'"nothing"', b'["play-reply"]', b"{}", b"true", b'""'):
        assert code(b'{%s,%s,"type":%s}' % (play, fields, nothing_last)) == WRONG_TYPE


def test_key_names_can_be_escaped() -> None:
    line = b'{"\\u0074\\u0079pe":"play\\u002dreply","ph\\u0061se":"clean\\u0075p"}'
    assert decode(line) == PlayReply(phase="cleanup")
    assert (
        play_reply(b'{"type":"play-reply","ph\\u0061se":"buy","phase":"action"}').phase == "action"
    )


def test_keys_are_exact() -> None:
    assert code(b'{"Type":"play-reply"}') == WRONG_TYPE
    assert code(b'{"type ":"play-reply"}') == WRONG_TYPE
    assert play_reply(b'{"type":"play-reply","Phase":"buy","phase\\u0000":"buy"}').phase is None


def test_odd_keys_are_ignored() -> None:
    line = b'{"":1,"\\u0000":2,"__class__":3,"type":"play-reply","\\ud83c\\udccf":4,"phase":"buy"}'
    assert decode(line) == PlayReply(phase="buy")


# --- white space, and values that aren't objects ----------------------------------------------


@pytest.mark.parametrize("space", [b"\r", b" ", b"\t", b" \r", b"\n", b"\r\n"])
def test_white_space_around(space: bytes) -> None:
    assert decode(CLEANUP + space) == decode(space + CLEANUP) == PlayReply(phase="cleanup")


@pytest.mark.parametrize(
    "garbage",
    [
        *b"x {} , } ] // null # \x00 \x1a \x85 \xef\xbb\xbf".split(b" "),
        *(b"\x0b", b"\x0c", b"\xc2\xa0", b"\xe2\x80\xa8"),
    ],
    ids=repr,
)
def test_garbage_around(garbage: bytes) -> None:
    assert code(CLEANUP + garbage) == INVALID_JSON
    assert code(garbage + CLEANUP) == INVALID_JSON
    assert code(CLEANUP + b" " + garbage) == INVALID_JSON


@pytest.mark.parametrize("space", [" ", "\t", "\r", "\v", "\f", "\x85", "\xa0", "\u2028", "\u3000"])
@pytest.mark.parametrize("place", ["{", '"type"', ":", '"play-reply"', ","])
def test_only_the_white_space_of_json_may_stand_between_its_parts(space: str, place: str) -> None:
    line = CLEANUP.decode().replace(place, place + space, 1).encode()
    if space in " \t\r":
        assert decode(line) == PlayReply(phase="cleanup")
    else:
        assert code(line) == INVALID_JSON
    inside = json.dumps({"x": space}, ensure_ascii=space in "\t\r\v\f")
    assert play_reply(with_field(inside.encode())).phase == "cleanup"


def test_a_byte_order_mark_is_named() -> None:
    reply = decode(b"\xef\xbb\xbf" + CLEANUP)
    assert reply == InvalidReply(INVALID_JSON, "the line begins with a byte order mark")


@pytest.mark.parametrize("line", [b"", b" ", b"\r", b"\t \r"])
def test_an_empty_line_is_named(line: bytes) -> None:
    assert decode(line) == InvalidReply(INVALID_JSON, "the line is empty")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"null", "null"),
        (b"true", "true"),
        (b"false", "false"),
        (b"0", "0"),
        (b"-17", "-17"),
        (b"1.5", "a number"),
        (b"1e999", "a number"),
        (b"9999999999999999999999", "a number"),
        (b'""', '""'),
        (b'"cleanup"', '"cleanup"'),
        (b"[]", "a list of 0"),
        (b'["type","play-reply"]', "a list of 2"),
        (b"[" + CLEANUP + b"]", "a list of 1"),
    ],
)
def test_what_is_no_object_is_named(line: bytes, what: str) -> None:
    assert decode(line) == InvalidReply(INVALID_JSON, f"a JSON object is needed, not {what}")


@pytest.mark.parametrize(
    "line",
    rb"""{ } {" {"type" {"type": {"type":"play-reply" {"type":"play-reply", {"type":"play-reply",}
    {,} {1:2} {type:1} {'type':1} {"a"1} [1,] {"a":1,,"b":2} {"a":tru} {"a":undefined} {"a":1"b":2}
    {"a":"\x"} {"a":"\u12"} {"a":"\u12g4"} {"a":" {"a":[} {"a":{]} nul ok cleanup""".split(),
    ids=repr,
)
def test_broken_json(line: bytes) -> None:
    assert code(line) == INVALID_JSON


@pytest.mark.parametrize(
    ("line", "byte"),
    [(b"hello", 1), (b"4E", 2), (b'{"a":+1}', 6), (b'{"a":"\x01"}', 7), (b'{"a":1,}', 8)],
)
def test_the_byte_at_which_json_breaks_is_named(line: bytes, byte: int) -> None:
    assert f" byte {byte}" in decode(line).detail + " "


@pytest.mark.parametrize("char", [*range(0x20), 0x7F])
def test_control_characters_in_strings(char: int) -> None:
    raw = bytes([char])
    for line in (
        with_field(b'"a%sb"' % raw),
        with_field(b'"a%sb"' % raw, b"top_discard"),
        with_field(b"1", b"a%sb" % raw),
        slowly(with_field(b'"%s"' % raw)),
    ):
        if char < 0x20:
            assert code(line) == INVALID_JSON
        else:
            assert play_reply(line).phase == "cleanup"
    escape = b"\\u%04x" % char
    assert play_reply(with_field(b'"%s"' % escape, b"top_discard")).top_discard == chr(char)


def test_nul_outside_of_strings() -> None:
    assert code(b"\x00") == INVALID_JSON
    assert code(CLEANUP.replace(b",", b",\x00")) == INVALID_JSON


# --- the type ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (b"{}", "the object has no field `type`"),
        (b'{"phase":"cleanup"}', "the object has no field `type`"),
        (b'{"type":null}', "`type` is null"),
        (b'{"type":true}', "`type` is true"),
        (b'{"type":1}', "`type` is 1"),
        (b'{"type":[]}', "`type` is a list of 0"),
        (b'{"type":{}}', "`type` is an object"),
        (b'{"type":""}', '`type` is ""'),
        (b'{"type":"play-turn"}', '`type` is "play-turn"'),
        (b'{"type":"player-name-reply"}', '`type` is "player-name-reply"'),
        (b'{"type":"Play-Reply"}', '`type` is "Play-Reply"'),
        (b'{"type":"play-reply "}', '`type` is "play-reply "'),
        (b'{"type":"' + b"x" * 41 + b'"}', '`type` is "' + "x" * 40 + '..."'),
        ('{"type":"é\\u0007"}'.encode(), '`type` is "\\u00e9\\u0007"'),
    ],
)
def test_a_wrong_type_is_named(line: bytes, detail: str) -> None:
    assert decode(line) == InvalidReply(WRONG_TYPE, detail)


def test_every_reply_type() -> None:
    assert decode(b'{"type":"play-reply"}') == PlayReply()
    assert decode(b'{"type":"attack-reply","discard":["copper"]}') == AttackReply(["copper"])
    line = b'{"type":"attack-reply-reaction","reaction":"moat","name":"x"}'
    assert decode(line) == AttackReplyReaction("moat")
    assert {struct.__struct_config__.tag for struct in RULES.replies} == set(FIELDS)


@given(field=st.sampled_from(FIELDS["play-reply"]), value=json_values)
@settings(max_examples=15 * TIMES)
def test_a_value_of_any_kind_is_kept_for_the_rules(field: str, value: Any) -> None:
    reply = decode(json.dumps({"type": "play-reply", field: value}).encode())
    assert canonical(getattr(reply, field)) == canonical(value)
