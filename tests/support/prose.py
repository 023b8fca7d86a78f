"""Find sentences of a page that readers have to read twice, by their shape.

A shape is a hint, not a proof: a sentence without one of them can still be odd.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_WORDS = 40
_UNITS = "bot|card|decision|deal|file|game|line|match|page|player|record|reply|round|seat|side|turn"
_COUNTED = "case|column|entry|event|figure|line|message|object|once|one|point|row|value"
SHAPES = {
    "begins with a question word": r"^(What|Who|Whoever|Whatever)\b(?!.*\?$)",
    "`is no`, write `is not a`": r"\b(is|are|was|were) (no|none)\b(?! (longer|more|\w+er\b))",
    "`a` for `per`": rf"\b({_COUNTED})s? an? ({_UNITS})\b",
    "`that of`, repeat the noun": r"\b(is|are|was|than|but|with|as) (that|those) of\b",
    "told or asked, write sent or requested": r"\b(is|are|was|were|be|been) (told|asked|heard)\b",
    "a word to avoid": r"\b(anew|likewise|besides|at once|whatever|whoever|goes? on|went on|"
    r"comes? to|all the same|so too|all but|but for|nothing but|stands (in|beside|behind|there))\b",
    "`so` at the beginning": r"^So\b",
    "the object first": r"^Of (the|a|an|each|two|these|those|what)\b",
}
_LEFT_OUT = re.compile(r"^ *```.*?^ *```$|<!--.*?-->|^ *[#|][^\n]*$", re.MULTILINE | re.DOTALL)
_MARKUP = (
    (re.compile(r"!?\[([^]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"`[^`]*`"), "Code"),
    (re.compile(r"\*\*?"), ""),
)
_END = re.compile(r"(?<=[.!?]) +(?=[A-Z`\"(])")
_ITEM = re.compile(r"^ *(?:[-*]|\d+\.) +", re.MULTILINE)


class Odd(NamedTuple):
    """A sentence that readers may stumble over, and the reason."""

    why: str
    sentence: str


def paragraphs(markdown: str) -> Iterator[str]:
    """Yield the paragraphs and list items of a page, without code, tables and headings."""
    text = _ITEM.sub("\n\n", _LEFT_OUT.sub("\n", markdown))
    for paragraph in re.split(r"\n\s*\n", text):
        words = " ".join(paragraph.split())
        for pattern, instead in _MARKUP:
            words = pattern.sub(instead, words)
        if words:
            yield words


def sentences(markdown: str) -> Iterator[str]:
    """Yield the sentences of a page without code, tables, headings and markup."""
    for paragraph in paragraphs(markdown):
        yield from (part for part in _END.split(paragraph) if len(part.split()) > 2)


def odd(markdown: str) -> list[Odd]:
    """Return the sentences of a page that have an odd shape or too many words."""
    found = []
    for sentence in sentences(markdown):
        shapes = (why for why, shape in SHAPES.items() if re.search(shape, sentence))
        why = next(shapes, "")
        if not why and len(sentence.split()) > MOST_WORDS:
            why = f"more than {MOST_WORDS} words"
        if why:
            found.append(Odd(why, sentence))
    return found
