"""Text for people: styles that can be left out, and what strangers wrote made harmless.

A bot's name, its lines and a file's name can contain dangerous characters: terminal commands (ESC),
reversed reading order (U+202E), invisible characters (U+200B), or characters that XML does not
allow. Every text for a terminal, HTML or XML goes through `plain`, `escaped` or `command_line`.
Text for CSV goes through `csv_text`, because a spreadsheet runs cells that begin as a formula. JSON
goes through `json_escaped` where it is printed.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterable

_SHORT = 40
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_NO_BREAK = "\u00a0"
_STYLES = {"bold": "1", "red": "31", "green": "32", "yellow": "33", "blue": "34"}
_STYLES |= {"dim": "2", "raw": "2"}


def paint(text: str, style: str, *, colour: bool) -> str:
    """A text with the escape sequence of a style; unchanged without a style or without colours.

    Args:
        style: empty, "bold", "red", "green", "yellow", "blue", "dim" or "raw".
    """
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if colour and style else text


def plain(text: str) -> str:
    """A text with "?" for each character that cannot be printed; for tables and names."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def plain_lines(text: str) -> str:
    """A text of several lines, each made plain."""
    return "\n".join(map(plain, text.split("\n")))


def escaped(text: str) -> str:
    r"""A text with an escape such as `\x1b` for each character that cannot be printed.

    For sentences, where it matters what it was.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def json_escaped(text: str) -> str:
    r"""Lines of JSON with an escape such as `\u009b` for each character that cannot be printed.

    The values stay the same.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter == "\n" else _json_escape(letter)
        for letter in text
    )


def terminal_safe(lines: bytes) -> bytes:
    """Lines of JSON for a terminal, with `json_escaped`."""
    return json_escaped(lines.decode(errors="surrogateescape")).encode()


def _json_escape(letter: str) -> str:
    units = letter.encode("utf-16-be", errors="surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def csv_text(text: str) -> str:
    """A text for a cell of CSV, escaped. A formula gets an apostrophe in front.

    https://owasp.org/www-community/attacks/CSV_Injection
    """
    return f"'{escaped(text)}" if text.startswith(_FORMULAS) else escaped(text)


def command_line(words: Iterable[str]) -> str:
    r"""A command to be copied into a shell; what cannot be printed is quoted as `$'\x1b'`."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    letters = (
        letter
        if letter.isprintable() and letter not in "'\\"
        else "".join(f"\\x{byte:02x}" for byte in letter.encode(errors="surrogateescape"))
        for letter in word
    )
    return f"$'{''.join(letters)}'"


def as_text(argument: str) -> str:
    r"""An argument or a file name for JSON; bytes that are not UTF-8 become `\xHH`."""
    return argument.encode(errors="surrogateescape").decode(errors="backslashreplace")


def wrap_list(text: str, width: int) -> list[str]:
    """A text whose parts are separated by ", " as lines of at most this width, in columns.

    Where all parts are short none is broken, so that "2 copper" stays in one line.
    """
    parts = text.split(", ")
    if max(map(len, parts)) < _SHORT:
        text = ", ".join(part.replace(" ", _NO_BREAK) for part in parts).replace(
            f";{_NO_BREAK}", "; "
        )
    lines = textwrap.wrap(text, width, break_on_hyphens=False)
    return [line.replace(_NO_BREAK, " ") for line in lines]


def unbroken(text: str, width: int, first: str = "", others: str = "") -> list[str]:
    """A text as lines of at most this width, indented by these, without breaking a word."""
    wrapper = textwrap.TextWrapper(width, first, others)
    wrapper.break_long_words = wrapper.break_on_hyphens = False
    return wrapper.wrap(text)


def duration(seconds: float) -> str:
    """A time as text: "3.4 ms", "0.25 s"."""
    milliseconds = round(seconds * 1000, 1)
    return f"{milliseconds} ms" if milliseconds < 100 else f"{seconds:.2f} s"


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # takes longer to load than a match to report

    return cell_len(text)


def cut(text: str, width: int) -> str:
    """A text of at most this width, in columns, with "..." at its end if it was longer."""
    if cells(text) <= width:
        return text
    text = text[: width - 3]
    while cells(text) > width - 3:
        text = text[:-1]
    return text + "..."
