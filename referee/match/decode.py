"""Read one line of a bot: bytes -> reply struct or `Malformed`, and never an exception.

Invariants, fuzzed in `test_decode.py`: for any bytes, `decode_reply` returns; it returns
the same for the same bytes on every supported Python, however deep the caller's stack is (if it has
`MAX_DEPTH` and a few frames left); and what a JSON parser for which the last duplicate counts reads
as a reply is read as that reply.

The fast path is one typed decode. What it refuses is looked at again, slowly, to tell "no JSON
object" from "an object of the wrong type", and because the typed decoder takes the first of two
duplicate `type` keys where the protocol counts the last (1.5).
"""

from __future__ import annotations

from functools import cache, reduce
from itertools import accumulate
from operator import or_

import msgspec
from msgspec import Struct

from referee.games.interface.faults import INVALID_JSON, WRONG_TYPE, Malformed, describe

MAX_DEPTH = 128
"""Brackets nested deeper make a line no JSON (protocol, 1.8): decoders differ in where their
recursion ends, and a reply must mean the same everywhere. Legal replies need 3."""

_MAX_INT_DIGITS = 20  # what fits 64 bits; a longer integer in a reply is only ever "a wrong value"

_syntax = msgspec.json.Decoder(msgspec.Raw)


def is_blank(line: bytes) -> bool:
    r"""Whether a line holds nothing but white space, as JSON has it: space, tab, `\r` (1.1)."""
    return not line.strip(b" \t\r")


class _NoReply(Struct, tag_field="type", tag=""):
    """No bot's message; see `reply_decoder`."""


_NO_REPLY = _NoReply()


@cache
def reply_decoder(structs: tuple[type[Struct], ...]) -> msgspec.json.Decoder[Struct]:
    """A decoder for `decode_reply` that knows these structs, which are tagged by `type`.

    msgspec asks for the tag only where there is something to choose from: without a second struct
    it would take an object without `type` for the first.
    """
    return msgspec.json.Decoder(reduce(or_, (*structs, _NoReply)))


def decode_reply(line: bytes, decoder: msgspec.json.Decoder[Struct]) -> Struct | Malformed:
    r"""Decode one line (protocol, 1.1, 1.5).

    Args:
        line: without its line end; a `\r` before it may remain.
        decoder: of `reply_decoder`.

    Returns:
        A struct of the union, or what is wrong with the line.
    """
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and _depth(line) > MAX_DEPTH:
        return Malformed(INVALID_JSON, f"brackets are nested more than {MAX_DEPTH} deep")
    try:
        # The typed decoder skips unknown fields without looking at their text, so look first.
        line.decode()
        reply = decoder.decode(line)
    except (ValueError, RecursionError):  # ValueError: msgspec's own, and a line that is not UTF-8
        reply = _NO_REPLY
    if type(reply) is not _NoReply:
        return reply
    return _decode_slowly(line, decoder)


def _decode_slowly(line: bytes, decoder: msgspec.json.Decoder[Struct]) -> Struct | Malformed:
    import json  # not needed by bots that make no mistakes
    import re

    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        return Malformed(INVALID_JSON, f"byte {error.start + 1} of the line is not UTF-8")
    try:
        _syntax.decode(line)
    except msgspec.DecodeError as error:
        if is_blank(line):
            return Malformed(INVALID_JSON, "the line is empty")
        if line.startswith(b"\xef\xbb\xbf"):
            return Malformed(INVALID_JSON, "the line begins with a byte order mark")
        # Own words: a record holds them, and must not differ between versions of a library.
        place = re.search(r"\(byte (\d+)\)", str(error))
        if place is None:
            return Malformed(INVALID_JSON, "the JSON is cut short or holds a lone surrogate")
        byte = min(int(place[1]) + 1, len(line))
        return Malformed(INVALID_JSON, f"the JSON is malformed at byte {byte}")
    # Nothing below can fail on syntax any more; the depth is bounded, and so are the integers.
    value = json.loads(text, parse_int=_parse_int)
    if not isinstance(value, dict):
        return Malformed(INVALID_JSON, f"a JSON object is needed, not {describe(value)}")
    try:
        reply: Struct = msgspec.convert(value, decoder.type)
    except msgspec.ValidationError:
        reply = _NO_REPLY
    if type(reply) is not _NoReply:
        return reply
    if "type" not in value:
        return Malformed(WRONG_TYPE, "the object has no field `type`")
    return Malformed(WRONG_TYPE, f"`type` is {describe(value['type'])}")


def _parse_int(digits: str) -> int | float:
    # Longer ones would be quadratic work, or an error where Python limits the digits.
    return int(digits) if len(digits) <= _MAX_INT_DIGITS else float(digits)


def _depth(line: bytes) -> int:
    """The deepest nesting of brackets outside strings, whether or not they match."""
    import re

    outside = re.sub(rb'"(?:[^"\\]++|\\.)*+"?', b"", line, flags=re.DOTALL)
    steps = (1 if byte in b"[{" else -1 for byte in outside if byte in b"[]{}")
    return max(accumulate(steps, initial=0))
