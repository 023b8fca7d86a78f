"""Formats text for terminals, and escapes text that we can't trust.

The names of bots and files, and the lines that bots write, may contain anything: commands for the
terminal (ESC), reversed reading order (U+202E), invisible characters (U+200B), or characters that
XML forbids. Before we print such text, it has to go through one of the functions below. For a
terminal, HTML or XML that's `plain`, `escaped` or `command_line`. For CSV it's `csv_text`, because
spreadsheets execute formulas, and for JSON it's `json_escaped`.
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
    """Add the escape sequences of a style to a text.

    If `style` is "" or `colour` is false, the text is returned unchanged.

    Args:
        style: "", "bold", "red", "green", "yellow", "blue", "dim" or "raw".
    """
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if colour and style else text


def plain(text: str) -> str:
    """Replace each unprintable character by "?". Use this for tables and names."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def plain_lines(text: str) -> str:
    """Apply `plain` to each line."""
    return "\n".join(map(plain, text.split("\n")))


def escaped(text: str) -> str:
    r"""Replace unprintable characters by escapes such as `\x1b`.

    Use this where people need to see the characters, for example in an error message about them. In
    other places, the result of `plain` is easier to read.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def json_escaped(text: str) -> str:
    r"""Replace unprintable characters in JSON by escapes such as `\u009b`.

    A JSON parser reads the same values from the result.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter == "\n" else _json_escape(letter)
        for letter in text
    )


def terminal_safe(lines: bytes) -> bytes:
    """Escape unprintable characters in lines of JSON. See `json_escaped`."""
    return json_escaped(lines.decode(errors="surrogateescape")).encode()


def _json_escape(letter: str) -> str:
    units = letter.encode("utf-16-be", errors="surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def csv_text(text: str) -> str:
    """Escape a text for a CSV cell.

    Spreadsheets evaluate text that begins like a formula, and a bot's author could choose such a
    name. An apostrophe at the start prevents this, see
    https://owasp.org/www-community/attacks/CSV_Injection.
    """
    return f"'{escaped(text)}" if text.startswith(_FORMULAS) else escaped(text)


def command_line(words: Iterable[str]) -> str:
    r"""Join words to a shell command. Unprintable characters become escapes like `$'\x1b'`."""
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
    r"""Make an argument or file name valid Unicode. Bytes that aren't UTF-8 become `\xHH`."""
    return argument.encode(errors="surrogateescape").decode(errors="backslashreplace")


def wrap_list(text: str, width: int) -> list[str]:
    """Wrap a text that lists items, with ", " between them.

    If all items are short, an item such as "2 copper" is never split between two lines.
    """
    parts = text.split(", ")
    if max(map(len, parts)) < _SHORT:
        text = ", ".join(part.replace(" ", _NO_BREAK) for part in parts).replace(
            f";{_NO_BREAK}", "; "
        )
    lines = textwrap.wrap(text, width, break_on_hyphens=False)
    return [line.replace(_NO_BREAK, " ") for line in lines]


def wrap_words(text: str, width: int, first: str = "", others: str = "") -> list[str]:
    """Wrap a text without breaking words. `first` and `others` are the indents."""
    wrapper = textwrap.TextWrapper(width, first, others)
    wrapper.break_long_words = wrapper.break_on_hyphens = False
    return wrapper.wrap(text)


def duration(seconds: float) -> str:
    """Format a time, e.g. "3.4 ms" or "0.25 s"."""
    milliseconds = round(seconds * 1000, 1)
    return f"{milliseconds} ms" if milliseconds < 100 else f"{seconds:.2f} s"


def cells(text: str) -> int:
    """Return how many columns a text takes on a terminal.

    This can differ from its length: a Chinese character, for example, takes two columns.
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # slow to import

    return cell_len(text)


def cut(text: str, width: int) -> str:
    """Shorten a text to at most `width` columns. A text that was too long ends with "..."."""
    if cells(text) <= width:
        return text
    text = text[: width - 3]
    while cells(text) > width - 3:
        text = text[:-1]
    return text + "..."
