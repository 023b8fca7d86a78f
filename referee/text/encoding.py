"""Detect UTF-16 and UTF-32, which Windows and .NET often write.

An error like "expected a value at byte 0" wouldn't explain that the encoding is wrong.
"""

from __future__ import annotations

import codecs

_MARKS = {  # UTF-32 comes first, because its mark begins with the one for UTF-16
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
# The positions of NUL in the first four bytes, if the text begins with ASCII.
_NULS: dict[tuple[bool, ...], str] = {
    (False, True, True, True): "UTF-32",
    (True, True, True, False): "UTF-32",
    (False, True, False, True): "UTF-16",
    (True, False, True, False): "UTF-16",
}


def wide_encoding(data: bytes) -> str:
    """Return "UTF-16", "UTF-32" or "". The text doesn't need a byte order mark."""
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            return name
    return _NULS.get(tuple(byte == 0 for byte in data[:4]), "")
