"""Finds the known name that is closest to a misspelt one."""

from __future__ import annotations

import re
from collections.abc import Collection

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
# Names with at least this similarity are close. See the examples in tests/diagnosis/test_names.py.
_ALIKE = 0.6


def nearest(name: str, known: Collection[str]) -> str | None:
    """Return the known name that is closest to `name`, or None if they're all too different.

    Case, hyphens and underscores don't matter, and a few letters or whole words may be missing. For
    example, `cardsToBuy` and `buys` are both close to `cards_to_buy`.
    """
    near = {other: likeness(name, other) for other in known}
    best = max(near, key=lambda other: near[other], default="")
    return best if near and near[best] >= _ALIKE else None


def likeness(name: str, other: str) -> float:
    """Return how similar two names are, from 0 to 1."""
    import difflib  # imported late, because it's slow and we only need it for misspelt names

    words, others = _words(name), _words(other)
    if not words or not others:
        return 0.0
    letters = difflib.SequenceMatcher(None, "".join(words), "".join(others)).ratio()
    shared = 2 * len(set(words) & set(others)) / (len(words) + len(others))
    within = 0.8 if set(words) <= set(others) or set(others) <= set(words) else 0.0
    return max(letters, shared, within)


def _words(name: str) -> list[str]:
    return [word.lower().rstrip("s") or word for word in _WORD.findall(name[:100])]
