"""What somebody who has misspelt a name may have meant."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that is most like a word; None if none is like it."""
    import difflib  # only on the way to an error

    close = difflib.get_close_matches(word, list(known), n=1)
    return close[0] if close else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The question behind "there is no WORD"; empty if no known name is like it."""
    close = nearest(word, known)
    return f"; did you mean {close}?" if close else ""
