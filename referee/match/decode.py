"""Read one line of a bot: bytes -> reply struct or `InvalidReply`, and never an exception.

Invariants, fuzzed in `test_decode.py`: `decode_reply` returns for any bytes. It returns the same
for the same bytes on every supported Python, however deep the caller's stack is (if it has
`MAX_DEPTH` and a few frames left). If a JSON parser for which the last duplicate counts reads a
reply, `decode_reply` reads the same reply.

The fast path is one typed decode. A slow path looks again at the lines that it refuses. It tells
"no JSON object" from "an object of the wrong type". It also corrects the typed decoder, which takes
the first of two duplicate `type` keys where the protocol counts the last (1.5), and refuses numbers
that are too large.
"""

from __future__ import annotations

import re
from array import array
from contextlib import suppress
from functools import cache, reduce
from itertools import accumulate
from operator import add, or_
from typing import Any

import msgspec
from msgspec import Struct

from referee.games.interface.faults import INVALID_JSON, WRONG_TYPE, InvalidReply, describe

MAX_DEPTH = 128
"""Brackets nested deeper make a line no JSON (protocol, 1.8): decoders differ in where their
recursion ends, and a reply must mean the same everywhere. Legal replies need 3."""
MAX_CONTAINERS = 10_240
"""Lists and objects of a line (1.8): they cost most to read. Legal replies need 10,002."""

_COSTLY = 1024
"""Lists and objects of a line that are not to be made twice: it could be refused at its end."""

_syntax = msgspec.json.Decoder(msgspec.Raw)
_shallow = msgspec.json.Decoder(dict[str, msgspec.Raw] | list[msgspec.Raw])
"""Leaves what is inside as it is, or a line could be made of what costs."""

_BITS = bytes.maketrans(b"[{]}", b"1100")
_NO_BRACKETS = bytes({*range(256)} - {*b'[{]}"'})


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


def decode_reply(line: bytes, decoder: msgspec.json.Decoder[Struct]) -> Struct | InvalidReply:
    r"""Decode one line (protocol, 1.1, 1.5).

    Args:
        line: without its line end; a `\r` before it may remain.
        decoder: of `reply_decoder`.

    Returns:
        A struct of the union, or what is wrong with the line.
    """
    if len(line) > MAX_DEPTH and line.count(b"[") + line.count(b"{") > MAX_DEPTH:
        depth, count = _nesting(line)
        if depth > MAX_DEPTH:
            return InvalidReply(INVALID_JSON, f"brackets are nested more than {MAX_DEPTH} deep")
        if count > MAX_CONTAINERS:
            return InvalidReply(
                INVALID_JSON, f"it has more than {MAX_CONTAINERS} lists and objects"
            )
        if count > _COSTLY:
            return _decode_slowly(line, decoder)
    try:
        # The typed decoder skips unknown fields without looking at their text, so look first.
        if not line.isascii():
            line.decode()
        reply = decoder.decode(line)
    except (ValueError, RecursionError):  # ValueError: msgspec's own, and a line that is not UTF-8
        reply = _NO_REPLY
    if type(reply) is not _NoReply:
        return reply
    return _decode_slowly(line, decoder)


def _decode_slowly(line: bytes, decoder: msgspec.json.Decoder[Struct]) -> Struct | InvalidReply:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return InvalidReply(INVALID_JSON, f"byte {error.start + 1} of the line is not UTF-8")
    try:
        _syntax.decode(line)
    except msgspec.DecodeError as error:
        if is_blank(line):
            return InvalidReply(INVALID_JSON, "the line is empty")
        if line.startswith(b"\xef\xbb\xbf"):
            return InvalidReply(INVALID_JSON, "the line begins with a byte order mark")
        # Own words: a record holds them, and must not differ between versions of a library.
        place = re.search(r"\(byte (\d+)\)", str(error))
        if place is None:
            return InvalidReply(INVALID_JSON, "the JSON is cut short or holds a lone surrogate")
        byte = min(int(place[1]) + 1, len(line))
        return InvalidReply(INVALID_JSON, f"the JSON is malformed at byte {byte}")
    # Nothing below can fail on syntax any more, and the depth is bounded.
    value = _outermost(line)
    if not isinstance(value, dict):
        return InvalidReply(INVALID_JSON, f"a JSON object is needed, not {describe(value)}")
    kind = _outermost(value["type"]) if "type" in value else None
    if isinstance(kind, str) and kind:
        with suppress(msgspec.ValidationError):  # an unknown type
            plain = msgspec.json.encode(value)  # without duplicate keys
            reply: Struct = _patient(decoder.type).decode(_without_long_integers(plain))
            return reply
    if "type" not in value:
        return InvalidReply(WRONG_TYPE, "the object has no field `type`")
    return InvalidReply(WRONG_TYPE, f"`type` is {describe(kind)}")


@cache
def _patient(type_: Any) -> msgspec.json.Decoder[Any]:
    """A decoder that takes 1e999; Python's `float` is slower than its own."""
    return msgspec.json.Decoder(type_, float_hook=float)


def _outermost(text: bytes | msgspec.Raw) -> Any:
    """The value of a text that is JSON; of a list or an object the items are left as they are."""
    line = bytes(text).strip()
    if line[:1] in (b"{", b"["):
        return _shallow.decode(line)
    return _patient(Any).decode(_without_long_integers(line))


def _without_long_integers(text: bytes) -> bytes:
    """A JSON text with 1e999 in place of integers of more digits than any Python reads."""
    parts: list[bytes] = []
    end = quotes = 0
    for found in re.finditer(rb"[0-9]{640,}+(?![.eE])", text):
        before = text[end : found.start()]
        end = found.end()
        quotes += before.replace(b"\\\\", b"").replace(b'\\"', b"").count(b'"')
        is_integer = quotes % 2 == 0 and not before.endswith((b".", b"e", b"E", b"+", b"e-", b"E-"))
        parts += before, b"1e999" if is_integer else found[0]
    return b"".join([*parts, text[end:]])


def _nesting(line: bytes) -> tuple[int, int]:
    """How deep brackets outside strings are nested, matching or not, and how many open.

    Checks eight brackets per step: they are one byte, with a bit for each.
    """
    text = line.replace(b"\\\\", b"").replace(b'\\"', b"")  # no quote is left inside a string
    bits = text.translate(_BITS, _NO_BRACKETS).replace(b'""', b"")
    outside = b"".join(bits.split(b'"')[::2])
    count = len(outside) // 8 + 1
    eights = int(outside.ljust(count * 8, b"0"), 2).to_bytes(count, "big")
    net, highest = _eights()
    before = accumulate(array("b", eights.translate(net)), initial=0)
    depth = max(map(add, before, array("b", eights.translate(highest))))
    return depth, outside.count(b"1")


@cache
def _eights() -> tuple[bytes, bytes]:
    """What eight brackets add to the depth, and the most that their first ones do, as int8."""
    net, highest = array("b"), array("b")
    for byte in range(256):
        depths = [*accumulate(1 if byte >> bit & 1 else -1 for bit in range(7, -1, -1))]
        net.append(depths[-1])
        highest.append(max(depths))
    return net.tobytes(), highest.tobytes()
