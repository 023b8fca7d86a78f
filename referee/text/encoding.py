"""Recognise text that is not UTF-8, as Windows and .NET write it."""

from __future__ import annotations

import codecs

_MARKS = {  # that of UTF-16 is the beginning of that of UTF-32
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
"""Which of the first four bytes are NUL, if the first characters are ASCII."""


def wide_encoding(data: bytes) -> str:
    """Return "UTF-16" or "UTF-32" if a text begins so, also without a byte order mark; else ""."""
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            return name
    return _NULS.get(tuple(byte == 0 for byte in data[:4]), "")
