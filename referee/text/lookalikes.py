"""Detects names that look alike, for tables whose rows belong to different people.

A bot called "smith" with a Cyrillic letter mustn't pass for somebody else's "smith". The table
below is made from the Unicode Consortium's list (UTS #39, confusables.txt). It has the letters of
other alphabets that look exactly like Latin letters in most typefaces. It doesn't have other
scripts, or letters that are merely similar.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

# For each Latin letter, the hexadecimal code points of other characters that look like it.
_LATIN = {
    "a": "0430 03b1 0251",
    "c": "0441 03f2",
    "d": "0501",
    "e": "0435",
    "g": "0261",
    "h": "04bb 0570",
    "i": "0456 03b9 0131 0269",
    "j": "0458 03f3",
    "k": "043a 03ba",
    "l": "04cf 0049 0031 007c 01c0 0406 0399 04c0",
    "n": "0578",
    "o": "043e 03bf 0585 0030",
    "p": "0440 03c1",
    "q": "051b",
    "s": "0455",
    "u": "03c5 057d",
    "v": "03bd 0475",
    "w": "051d",
    "x": "0445 03c7",
    "y": "0443 03b3",
    "A": "0410 0391",
    "B": "0412 0392",
    "C": "0421 03f9",
    "E": "0415 0395",
    "H": "041d 0397",
    "J": "0408",
    "K": "041a 039a",
    "M": "041c 039c",
    "N": "039d",
    "O": "041e 039f 0555",
    "P": "0420 03a1",
    "S": "0405 054f",
    "T": "0422 03a4",
    "U": "054d",
    "X": "0425 03a7",
    "Y": "0423 03a5",
    "Z": "0396",
}
_TO_LATIN = {
    int(point, 16): letter for letter, points in _LATIN.items() for point in points.split()
}
_IGNORED = "00ad 034f 061c 115f 1160 17b4 17b5 2800 3164 ffa0"
_RANGES = ((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F))
_SELECTORS = ((0xFE00, 0xFE0F), (0xE0000, 0xE0FFF))
# The invisible characters: Unicode's Default_Ignorable_Code_Point, plus the empty Braille pattern.
_INVISIBLE = {
    *(int(point, 16) for point in _IGNORED.split()),
    *(point for first, last in (*_RANGES, *_SELECTORS) for point in range(first, last + 1)),
}


# A reader easily takes these for each other, or doesn't remember them.
_SIMILAR = {"rn": "m", "vv": "w", "cl": "d", " ": "", "-": "", "_": "", ".": ""}


def invisible(text: str) -> str:
    """Return the first invisible character in a text, or "" if there isn't one."""
    return next((letter for letter in text if ord(letter) in _INVISIBLE), "")


def looks(name: str) -> frozenset[str]:
    """Return keys for comparing names by their looks. Names that look alike share a key.

    Case, accents, repeated spaces and invisible characters make no difference.
    """
    letters = unicodedata.normalize("NFKD", name)
    seen = "".join(
        letter
        for letter in letters
        if unicodedata.category(letter) not in ("Mn", "Cf") and ord(letter) not in _INVISIBLE
    )
    text = " ".join(seen.split())
    return frozenset({text.casefold(), text.translate(_TO_LATIN).casefold()})


def confusable(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of different names that people may take for each other, such as bot1 and bot-1.

    These may be honest names, so they aren't refused, but named.
    """
    first: dict[str, str] = {}
    for name in names:
        keys = {_loose(key) for key in looks(name)}
        yield from (
            (each, name)
            for each in dict.fromkeys(first.get(key, name) for key in keys)
            if each != name
        )
        first = dict.fromkeys(keys, name) | first


def _loose(text: str) -> str:
    for signs, other in _SIMILAR.items():
        text = text.replace(signs, other)
    return text
