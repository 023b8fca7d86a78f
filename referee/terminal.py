"""Text for terminals: styles that can be left out, and what strangers wrote made harmless."""

from __future__ import annotations

_STYLES = {"bold": "1", "red": "31", "green": "32", "yellow": "33", "dim": "2"}


def paint(text: str, style: str, *, colour: bool) -> str:
    """A text styled by an escape sequence, or as it is if there is no style or no colour.

    Args:
        style: empty, "bold", "red", "green", "yellow" or "dim".
    """
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if colour and style else text


def plain(text: str) -> str:
    """A text of a stranger without what a terminal would obey."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # takes longer to load than a match to report

    return cell_len(text)


def cut(text: str, width: int) -> str:
    """A text that takes at most so many columns, with "..." at its end if it was longer."""
    if cells(text) <= width:
        return text
    text = text[: width - 3]
    while cells(text) > width - 3:
        text = text[:-1]
    return text + "..."
