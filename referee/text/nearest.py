"""Suggests known names for a misspelt one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
# Names with at least this similarity are close. See the examples in tests/text/test_nearest.py.
_ALIKE = 0.6


def near(name: str, known: Iterable[str], most: int) -> list[str]:
    """Return at most `most` known names that are close to a name, the closest first.

    Case, hyphens and underscores don't matter, and a few letters or whole words may be missing. For
    example, `cardsToBuy` and `buys` are both close to `cards_to_buy`.
    """
    alike = {other: _likeness(name, other) for other in known}
    close = [other for other in alike if alike[other] >= _ALIKE]
    return sorted(close, key=alike.__getitem__, reverse=True)[:most]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the closest known name, or None if they're all too different."""
    return next(iter(near(name, known, 1)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a "did you mean" question for an unknown name, or "" if nothing is close."""
    close = nearest(name, known)
    return f"; did you mean {close}?" if close else ""


def instead(name: str, known: Collection[str]) -> str:
    """Return a hint for an unknown name: the closest known name, or a list of all of them."""
    return did_you_mean(name, known) or f"; there are: {', '.join(known)}"


def _likeness(name: str, other: str) -> float:
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
