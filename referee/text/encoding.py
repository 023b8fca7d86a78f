"""Detect UTF-16 and UTF-32, which Windows and .NET often write."""

from __future__ import annotations

import codecs

_MARKS = {  # UTF-32 first: its mark begins with that of UTF-16
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_NULS: dict[tuple[bool, ...], str] = {
    (False, True, True, True): "UTF-32",
    (True, True, True, False): "UTF-32",
    (False, True, False, True): "UTF-16",
    (True, False, True, False): "UTF-16",
}
"""Positions of NUL among the first four bytes, if the first characters are ASCII."""


def wide_encoding(data: bytes) -> str:
    """Return "UTF-16", "UTF-32" or "". Also detects text without a byte order mark."""
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            return name
    return _NULS.get(tuple(byte == 0 for byte in data[:4]), "")
