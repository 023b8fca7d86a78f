"""Parses untrusted text without raising exceptions."""

from __future__ import annotations

import json
from typing import Any

LOOKED_AT = 4096
"""If a line isn't JSON, we only look at this many bytes."""
# Python refuses to parse integers with thousands of digits. We parse any integer with more digits
# than this as a float.
_MAX_INT_DIGITS = 20
NO_VALUE = object()
"""We return this if a text doesn't start with a JSON value. (None would be a JSON null.)"""


def text_of(line: bytes) -> str:
    """Decode the beginning of a line. Bytes that aren't UTF-8 are escaped."""
    return line[:LOOKED_AT].decode(errors="backslashreplace").strip()


def first_value(text: str) -> tuple[Any, str]:
    """Return the JSON value at the start of a text, or `NO_VALUE`, and the rest of the text."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return NO_VALUE, text
    return value, text[end:].strip()


def as_object(line: bytes) -> dict[str, Any] | None:
    """Decode a line as a JSON object. Returns None if it isn't one."""
    try:
        value = _DECODER.decode(line.decode())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_INT_DIGITS else float(digits)


_DECODER = json.JSONDecoder(parse_int=_integer)
