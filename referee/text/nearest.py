"""Suggest known names for a misspelt one."""

from __future__ import annotations

from collections.abc import Collection, Iterable


def near(word: str, known: Iterable[str], most: int) -> list[str]:
    """Return similar known names, the most similar first."""
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
    """Suggest a replacement for an unknown word, i.e. the most similar name, or else all names."""
    return did_you_mean(word, known) or f"; there are: {', '.join(known)}"
