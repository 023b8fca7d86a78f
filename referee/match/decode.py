"""Decode one line of a bot into a reply struct or an `InvalidReply`.

`decode_reply` never raises, even if a bot sends garbage. For the same bytes it gives the same
result on every supported Python and at any stack depth (as long as there's room for `MAX_DEPTH` and
a few frames), and it agrees with any JSON parser for which the last of duplicate keys counts.
`test_decode.py` fuzzes these promises.

The fast path is a single typed decode. If that fails, we decode the line again, slowly, and find
out whether it isn't a JSON object at all or only an object of the wrong type. The slow path also
makes up for two things in which msgspec differs from the protocol: its typed decoder uses the first
of duplicate `type` keys (we need the last, 1.5), and it rejects very large numbers.
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
a reply must mean the same everywhere. Legal replies need 3."""
MAX_CONTAINERS = 10_240
"""Maximum number of lists and objects in a line (1.8). Legal replies need 10,002."""

# A line with more lists and objects than this is expensive, so we never decode it twice.
_COSTLY = 1024

_syntax = msgspec.json.Decoder(msgspec.Raw)
# Leaves nested values as text. Decoding those could be slow, and we only need the outermost level.
_shallow = msgspec.json.Decoder(dict[str, msgspec.Raw] | list[msgspec.Raw])

_BITS = bytes.maketrans(b"[{]}", b"1100")
_NO_BRACKETS = bytes({*range(256)} - {*b'[{]}"'})


def is_blank(line: bytes) -> bool:
    r"""Return True if a line contains only JSON white space: space, tab, `\r` (1.1)."""
    return not line.strip(b" \t\r")


class _NoReply(Struct, tag_field="type", tag=""):
    """A placeholder that matches no message; see `reply_decoder`."""


_NO_REPLY = _NoReply()


@cache
def reply_decoder(structs: tuple[type[Struct], ...]) -> msgspec.json.Decoder[Struct]:
    """Build a decoder for `decode_reply` from structs that are tagged by `type`."""
    # msgspec only insists on the tag if there's a union, so we make one even for a single struct.
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
        # msgspec doesn't look at the text of fields that it doesn't know, so a line that isn't
        # UTF-8 might get through.
        if not line.isascii():
            line.decode()
        reply = decoder.decode(line)
    except (ValueError, RecursionError):  # A ValueError is msgspec's, or says that it isn't UTF-8.
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
        # Don't quote msgspec here. This text ends up in records, and a record mustn't depend on the
        # wording of a library.
        place = re.search(r"\(byte (\d+)\)", str(error))
        if place is None:
            return InvalidReply(INVALID_JSON, "the JSON is cut short or holds a lone surrogate")
        byte = min(int(place[1]) + 1, len(line))
        return InvalidReply(INVALID_JSON, f"the JSON is malformed at byte {byte}")
    # From here on we know that the syntax is valid, and that nothing is nested too deeply.
    value = _outermost(line)
    if not isinstance(value, dict):
        return InvalidReply(INVALID_JSON, f"a JSON object is needed, not {describe(value)}")
    kind = _outermost(value["type"]) if "type" in value else None
    if isinstance(kind, str) and kind:
        with suppress(msgspec.ValidationError):  # an unknown type
            plain = msgspec.json.encode(value)  # a dict doesn't have duplicate keys anymore
            reply: Struct = _patient(decoder.type).decode(_without_long_integers(plain))
            return reply
    if "type" not in value:
        return InvalidReply(WRONG_TYPE, "the object has no field `type`")
    return InvalidReply(WRONG_TYPE, f"`type` is {describe(kind)}")


@cache
def _patient(type_: Any) -> msgspec.json.Decoder[Any]:
    # Without this, msgspec rejects 1e999. It's too slow for the fast path, though.
    return msgspec.json.Decoder(type_, float_hook=float)


def _outermost(text: bytes | msgspec.Raw) -> Any:
    line = bytes(text).strip()
    if line[:1] in (b"{", b"["):
        return _shallow.decode(line)
    return _patient(Any).decode(_without_long_integers(line))


def _without_long_integers(text: bytes) -> bytes:
    # Python refuses to convert integers with very many digits, while in JSON they're fine. 1e999
    # takes their place.
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
    # A loop in Python over all bytes would be too slow. After the first line no string has a quote
    # in it, so we can remove the strings, and pack the brackets into bits. Then a table handles
    # eight at a time. The brackets don't have to match.
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
    """Tables of int8 per packed byte: the net change of depth, and the highest depth within it."""
    net, highest = array("b"), array("b")
    for byte in range(256):
        depths = [*accumulate(1 if byte >> bit & 1 else -1 for bit in range(7, -1, -1))]
        net.append(depths[-1])
        highest.append(max(depths))
    return net.tobytes(), highest.tobytes()
