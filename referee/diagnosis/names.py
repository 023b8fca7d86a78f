"""Find the known name that is closest to a misspelt one."""

from __future__ import annotations

import re
from collections.abc import Collection

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
# Minimum similarity of names that are close; see tests/diagnosis/test_names.py.
_ALIKE = 0.6


def nearest(name: str, known: Collection[str]) -> str | None:
    """Return the known name that is closest to `name`, or None if none is close.

    Names are close if they differ only in case, hyphens and underscores, in few letters, or in
    missing words: `cardsToBuy` and `buys` are close to `cards_to_buy`.
    """
    near = {other: likeness(name, other) for other in known}
    best = max(near, key=lambda other: near[other], default="")
    return best if near and near[best] >= _ALIKE else None


def likeness(name: str, other: str) -> float:
    """Return how similar two names are, from 0 to 1."""
    import difflib  # slow to import, and correct bots don't need it

    words, others = _words(name), _words(other)
    if not words or not others:
        return 0.0
    letters = difflib.SequenceMatcher(None, "".join(words), "".join(others)).ratio()
    shared = 2 * len(set(words) & set(others)) / (len(words) + len(others))
    within = 0.8 if set(words) <= set(others) or set(others) <= set(words) else 0.0
    return max(letters, shared, within)


def _words(name: str) -> list[str]:
    return [word.lower().rstrip("s") or word for word in _WORD.findall(name[:100])]
