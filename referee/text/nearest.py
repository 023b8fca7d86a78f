"""What somebody who has misspelt a name may have meant."""

from __future__ import annotations

from collections.abc import Collection, Iterable


def near(word: str, known: Iterable[str], most: int) -> list[str]:
    """The known names that are like a word, the most like it first."""
    import difflib  # only on the way to an error

    return difflib.get_close_matches(word, list(known), n=most)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that is most like a word; None if none is like it."""
    return next(iter(near(word, known, 1)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The "did you mean" question about an unknown word; empty if no known name is close."""
    close = nearest(word, known)
    return f"; did you mean {close}?" if close else ""


def instead(word: str, known: Collection[str]) -> str:
    """What to write in the place of a word that is not known: the nearest name, or all names."""
    return did_you_mean(word, known) or f"; there are: {', '.join(known)}"
