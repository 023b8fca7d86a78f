"""Lines that cost the referee the most time and memory to read, check or store."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from referee.games.interface.definition import GameDefinition

# The longest line in most games (protocol-v1, 1.3).
BYTES = 64 * 1024

# Items to repeat in a list, and the separator between them.
_FILLINGS: dict[str, tuple[bytes, bytes]] = {
    "numbers": (b"1", b","),
    "long numbers": (b"-1e-999", b","),
    "strings": (b'"a"', b","),
    "empty strings": (b'""', b","),
    "objects": (b"{}", b","),
    "lists": (b"[]", b","),
    "objects with a key": (b'{"type":"a","action":"b","from":0,"to":1}', b","),
    "deep lists": (b"[" * 120 + b"]" * 120, b","),
    "deep objects": (b'{"":' * 120 + b"0" + b"}" * 120, b","),
    "as many lists as may be": (b"[" * 120 + b'"%s"' % (b"x" * 528) + b"]" * 120, b","),
    "as many objects as may be": (b'{"":' * 120 + b'"%s"' % (b"x" * 168) + b"}" * 120, b","),
}


@cache
def worst_lines(definition: GameDefinition) -> Mapping[str, bytes]:
    """Return the lines by description: not blank, without a line end, `BYTES` or slightly less."""
    lines = {
        "opening brackets": _full(b"[", b""),
        "closing brackets": _full(b"]", b""),
        "pairs of brackets": _full(b"[]", b""),
        "objects in objects": _full(b'{"a":', b""),
        "lists side by side": b"[%s]" % _full(b"[]", b",", 2),
        "mountains": b"[%s]" % _full(*_FILLINGS["deep lists"], 2),
        "brackets and strings": b"[%s]" % _full(b'"[",[]', b",", 2),
        "\\u0001": _full(b"\x01", b""),
        "\\u0001 as text": _full(b"\\u0001", b""),
        "NUL": _full(b"\0", b""),
        "quotes": _full(b'"', b""),
        "backslashes": _full(b"\\", b""),
        "no UTF-8": _full(b"\xff", b""),
        "no UTF-8 at the end": _full(b"a", b"", 1) + b"\xff",
        "characters of four bytes": _full("🃏".encode(), b""),
        "a number": _full(b"9", b""),
        "a fraction": b"0." + _full(b"9", b"", 2),
        "keys": b"{%s}" % b",".join(b'"%x":0' % key for key in range(BYTES // 9)),
        "the same key": b"{%s}" % _full(b'"a":0', b",", 2),
        "types": b"{%s}" % _full(b'"type":0', b",", 2),
    }
    for struct in definition.replies:
        kind = str(struct.__struct_config__.tag)
        for field in struct.__struct_fields__:
            for name, (item, between) in _FILLINGS.items():
                begin = f'{{"type":"{kind}","{field}":['.encode()
                lines[f"{field}: {name}"] = begin + _full(item, between, len(begin) + 2) + b"]}"
            item = b'{"":' * 120 + b"0" + b"}" * 120
            for name, kind_of in {"objects": item, "numbers": b"-1e-999"}.items():
                first = _full(kind_of, b",", BYTES - 51_500)
                lines[f"{field}: {name} and a long integer"] = (
                    begin + first + b",%s]}" % (b"9" * 5000)
                )
            begin = f'{{"type":"{kind}","{field}":"'.encode()
            for name, item in {"text": b"a", "escapes": b"\\u0001", "emoji": "🃏".encode()}.items():
                lines[f"{field}: {name}"] = begin + _full(item, b"", len(begin) + 2) + b'"}'
    return lines


def _full(item: bytes, between: bytes, less: int = 0) -> bytes:
    return between.join([item] * ((BYTES - less + len(between)) // len(item + between)))
