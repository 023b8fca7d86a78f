"""Detects UTF-16 and UTF-32, in which programs on Windows and .NET often save files.

We use this for error messages. Without it, you'd see an error like "expected a value at byte 0",
which doesn't tell you that the encoding is wrong.
"""

from __future__ import annotations

import codecs

_MARKS = {  # UTF-32 comes first, since its byte order mark begins with UTF-16's byte order mark
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
# If a text begins with ASCII characters, NULs in its first four bytes reveal the encoding, even
# without a byte order mark. Here, True means that a byte is NUL.
_NULS: dict[tuple[bool, ...], str] = {
    (False, True, True, True): "UTF-32",
    (True, True, True, False): "UTF-32",
    (False, True, False, True): "UTF-16",
    (True, False, True, False): "UTF-16",
}


def wide_encoding(data: bytes) -> str:
    """Return "UTF-16", "UTF-32", or "" for any other encoding.

    Without a byte order mark, we only recognise texts that begin with ASCII characters.
    """
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            return name
    return _NULS.get(tuple(byte == 0 for byte in data[:4]), "")
