"""Read the text of strangers without ever raising an exception."""

from __future__ import annotations

import json
from typing import Any

LOOKED_AT = 4096
"""More characters of a line that is no JSON say no more of what it is."""
_MAX_INT_DIGITS = 20
"""Python refuses integers with very many."""
NO_VALUE = object()
"""There is no JSON value."""


def text_of(line: bytes) -> str:
    """The beginning of a line as text; bytes that are not UTF-8 are escaped."""
    return line[:LOOKED_AT].decode(errors="backslashreplace").strip()


def first_value(text: str) -> tuple[Any, str]:
    """The JSON value at the beginning of a text, or `NO_VALUE`, and the rest of the text."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return NO_VALUE, text
    return value, text[end:].strip()


def as_object(line: bytes) -> dict[str, Any] | None:
    """A line as a JSON object; None if it is not one."""
    try:
        value = _DECODER.decode(line.decode())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_INT_DIGITS else float(digits)


_DECODER = json.JSONDecoder(parse_int=_integer)
