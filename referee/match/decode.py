"""Decodes a line from a bot into a reply struct or an `InvalidReply`.

`decode_reply` never raises, even if a bot sends garbage. The same bytes always give the same
result, on every supported Python and even deep in the stack (as long as there's room for
`MAX_DEPTH` and a few more frames). We also agree with any JSON parser that takes the last of
several duplicate keys. `test_decode.py` checks all of this with random input.

Most lines take the fast path, which is a single typed decode. If it fails, we decode the line again
without types, to find out whether it's a JSON object of the wrong type or not a JSON object at all.
The slow path also makes up for two differences between msgspec and the protocol: the typed decoder
uses the first of duplicate `type` keys, although the protocol requires the last one (1.5), and it
rejects very large numbers.
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
"""Maximum depth of nested brackets (protocol, 1.8). Decoders differ in their recursion limits, and
a reply must mean the same everywhere. Legal replies only need 3 levels."""
MAX_CONTAINERS = 10_240
"""Maximum number of lists and objects in a line (1.8). No legal reply has more than 10,002."""

# Lines with more lists and objects than this skip the fast path. Decoding them twice would take
# too long.
_COSTLY = 1024

_syntax = msgspec.json.Decoder(msgspec.Raw)
# Keeps nested values as text. We only need the outermost level, and decoding the rest could be
# slow.
_shallow = msgspec.json.Decoder(dict[str, msgspec.Raw] | list[msgspec.Raw])

_BITS = bytes.maketrans(b"[{]}", b"1100")
_NO_BRACKETS = bytes({*range(256)} - {*b'[{]}"'})


def is_blank(line: bytes) -> bool:
    r"""Return True if a line contains only JSON white space: space, tab, `\r` (1.1)."""
    return not line.strip(b" \t\r")


class _NoReply(Struct, tag_field="type", tag=""):
    """An extra member of the union in `reply_decoder`. Its tag, "", isn't a type of any message."""


_NO_REPLY = _NoReply()


@cache
def reply_decoder(structs: tuple[type[Struct], ...]) -> msgspec.json.Decoder[Struct]:
    """Build a decoder for `decode_reply` from structs that are tagged by `type`."""
    # With a single struct, msgspec would also accept messages without `type`. It insists on the
    # tag only in a union, so we always make one.
    return msgspec.json.Decoder(reduce(or_, (*structs, _NoReply)))


def decode_reply(line: bytes, decoder: msgspec.json.Decoder[Struct]) -> Struct | InvalidReply:
    r"""Decode one line (protocol, 1.1, 1.5).

    Args:
        line: the line without its `\n`. A final `\r` is allowed.
        decoder: the result of `reply_decoder`.

    Returns:
        The reply, or a description of the mistake.
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
        # msgspec doesn't check the text of unknown fields, so it might accept a line that isn't
        # UTF-8.
        if not line.isascii():
            line.decode()
        reply = decoder.decode(line)
    except (ValueError, RecursionError):  # raised by msgspec or line.decode()
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
        # Don't quote msgspec here, because this text is recorded, and a record mustn't depend on
        # the wording of a library.
        place = re.search(r"\(byte (\d+)\)", str(error))
        if place is None:
            return InvalidReply(INVALID_JSON, "the JSON is cut short or holds a lone surrogate")
        byte = min(int(place[1]) + 1, len(line))
        return InvalidReply(INVALID_JSON, f"the JSON is malformed at byte {byte}")
    # At this point we know that the syntax is valid and that nothing is nested too deeply.
    value = _outermost(line)
    if not isinstance(value, dict):
        return InvalidReply(INVALID_JSON, f"a JSON object is needed, not {describe(value)}")
    kind = _outermost(value["type"]) if "type" in value else None
    if kind:
        with suppress(msgspec.ValidationError):  # the type is unknown or not a string
            plain = msgspec.json.encode(value)  # `value` has no duplicate keys any more
            expected: Any = decoder.type  # a TypeForm, which mypy doesn't call hashable
            reply: Struct = _patient(expected).decode(_without_long_integers(plain))
            return reply
    if "type" not in value:
        return InvalidReply(WRONG_TYPE, "the object has no field `type`")
    return InvalidReply(WRONG_TYPE, f"`type` is {describe(kind)}")


@cache
def _patient(type_: Any) -> msgspec.json.Decoder[Any]:
    # Without float_hook, msgspec rejects 1e999. With it, decoding is too slow for the fast path.
    return msgspec.json.Decoder(type_, float_hook=float)


def _outermost(text: bytes | msgspec.Raw) -> Any:
    line = bytes(text).strip()
    if line[:1] in (b"{", b"["):
        return _shallow.decode(line)
    return _patient(Any).decode(_without_long_integers(line))


def _without_long_integers(text: bytes) -> bytes:
    # Python refuses to convert integers with very many digits, although they are valid JSON. We
    # replace them with 1e999.
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
    # A Python loop over all bytes would be too slow. Once escaped characters are gone, strings
    # contain no quotes, so we can remove the strings and pack the brackets into bits. A table then
    # processes eight brackets at a time. It doesn't matter whether brackets are of the same kind.
    text = line.replace(b"\\\\", b"").replace(b'\\"', b"")
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
    """Return two lookup tables, indexed by a byte that stands for eight brackets.

    The first one has the change of depth over all eight brackets, and the second one the highest
    depth on the way. The entries are signed bytes.
    """
    net, highest = array("b"), array("b")
    for byte in range(256):
        depths = [*accumulate(1 if byte >> bit & 1 else -1 for bit in range(7, -1, -1))]
        net.append(depths[-1])
        highest.append(max(depths))
    return net.tobytes(), highest.tobytes()
