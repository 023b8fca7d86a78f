"""Suggests known names for a misspelt one."""

from __future__ import annotations

from collections.abc import Collection, Iterable


def near(word: str, known: Iterable[str], most: int) -> list[str]:
    """Return at most `most` known names that are similar to a word, the most similar first."""
    import difflib  # slow to import, and only needed for errors

    return difflib.get_close_matches(word, list(known), n=most)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the most similar known name, or None if nothing is similar."""
    return next(iter(near(word, known, 1)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a "did you mean" question for an unknown word, or "" if nothing is similar."""
    close = nearest(word, known)
    return f"; did you mean {close}?" if close else ""


def instead(word: str, known: Collection[str]) -> str:
    """Return a hint for an unknown word: the most similar known name, or a list of all of them."""
    return did_you_mean(word, known) or f"; there are: {', '.join(known)}"
