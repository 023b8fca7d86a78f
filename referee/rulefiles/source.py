"""Parses JSON, and remembers the line and path of each value for messages about mistakes.

The json module only tells us the position of a syntax error. For messages like "no card is called
Coper", we need the line of every value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from msgspec import Struct

MAX_BYTES = 2**20
MAX_DEPTH = 32
_LONGEST = 40
_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
_WORD = re.compile(r"[-+\w.]+")
_CONSTANTS = {"true": True, "false": False, "null": None}
_CURLY = "\u201c\u201d\u201e\u2018\u2019"
_PLAIN = re.compile(r"\w+").fullmatch


def shown(text: str) -> str:
    """Shorten a string from the file, so that it fits into a message."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


class Node(NamedTuple):
    """A JSON value, and where it is in the file.

    Attributes:
        value: a dict of nodes, a list of nodes, a string, a float, a boolean or None.
        line: the line where the value starts, from 1.
        path: the path to the value, such as "$.buyRules[0].card".
    """

    value: Any
    line: int
    path: str


class Problem(Struct, frozen=True):
    """An error or a warning. `text` says what's wrong, and if possible how to correct it."""

    line: int
    path: str
    text: str
    is_error: bool = True


class NotJSONError(ValueError):
    """The file isn't valid JSON. `args[0]` is the `Problem`."""


def parse(text: str) -> tuple[Node, list[Problem]]:
    """Parse the text of a file.

    Returns:
        The value, and a list of errors about duplicate keys.

    Raises:
        NotJSONError: the text isn't JSON, or is nested too deeply.
    """
    return _Parser(text).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._counted = (0, 1)  # the offset up to which we've counted lines, and its line
        self._twice: list[Problem] = []

    def parse(self) -> tuple[Node, list[Problem]]:
        node, at = self._value(self._skip(0), "$", 0)
        at = self._skip(at)
        if at < len(self._text):
            raise self._wrong(at, "$", "the file should end here: one `{ ... }` is all")
        return node, self._twice

    def _value(self, at: int, path: str, depth: int) -> tuple[Node, int]:
        line = self._line(at)
        first = self._text[at : at + 1]
        value: Any
        if first == '"':
            value, at = self._string(at, path)
        elif first in ("{", "["):
            if depth == MAX_DEPTH:
                raise self._wrong(at, path, f"more than {MAX_DEPTH} brackets inside each other")
            value, at = self._group(at + 1, path, depth + 1)
        elif number := _NUMBER.match(self._text, at):
            value, at = float(number[0]), number.end()
        else:
            word = _WORD.match(self._text, at)
            if word is None or word[0] not in _CONSTANTS:
                raise self._wrong(at, path, "expected a value: text needs quotes")
            value, at = _CONSTANTS[word[0]], word.end()
        return Node(value, line, path), at

    def _group(self, at: int, path: str, depth: int) -> tuple[dict[str, Node] | list[Node], int]:
        """Parse an object or a list. `at` is the offset after the opening bracket."""
        opened, close = at - 1, "}" if self._text[at - 1] == "{" else "]"
        named, listed = dict[str, Node](), list[Node]()
        at = self._skip(at)
        is_end = self._text[at : at + 1] == close
        at += is_end
        while not is_end:
            if close == "]":
                node, at = self._value(at, f"{path}[{len(listed)}]", depth)
                listed.append(node)
            else:
                name, inner, at = self._name(at, path, named)
                named[name], at = self._value(at, inner, depth)
            at, is_end = self._next(at, path, close, opened)
        return (listed if close == "]" else named), at

    def _name(self, at: int, path: str, found: Mapping[str, Node]) -> tuple[str, str, int]:
        """Parse a name in an object and the colon after it.

        Returns the name, the path of the value, and the offset where the value starts.
        """
        if self._text[at : at + 1] != '"':
            raise self._wrong(at, path, 'expected a name in quotes, such as "card"')
        line = self._line(at)
        name, at = self._string(at, path)
        inner = f"{path}.{shown(name)}" if _PLAIN(name) else f"{path}[{shown(name)!r}]"
        at = self._skip(at)
        if self._text[at : at + 1] != ":":
            raise self._wrong(at, inner, f"`:` is missing after {shown(name)!r}")
        if name in found:
            text = f"{shown(name)!r} appears twice in this object"
            self._twice.append(Problem(line, inner, text))
        return name, inner, self._skip(at + 1)

    def _next(self, at: int, path: str, close: str, opened: int) -> tuple[int, bool]:
        end = at
        at = self._skip(at)
        mark = self._text[at : at + 1]
        if mark == close:
            return at + 1, True
        if mark != ",":
            opening, line = self._text[opened], self._line(opened)
            what = f"`,` or `{close}` is missing here: the `{opening}` of line {line} is open"
            raise self._wrong(end, path, what)
        comma, at = at, self._skip(at + 1)
        if self._text[at : at + 1] == close:
            raise self._wrong(comma, path, f"there is a comma before `{close}`: remove it")
        return at, False

    def _string(self, at: int, path: str) -> tuple[str, int]:
        try:
            text, end = scanstring(self._text, at + 1)
        except JSONDecodeError as error:
            what = "a text in quotes continues after its line, or a `\\` in it is wrong"
            raise self._wrong(min(error.pos, len(self._text)), path, what) from error
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise self._wrong(at, path, "half a character, which is not text")
        return text, end

    def _skip(self, at: int) -> int:
        space = _SPACE.match(self._text, at)
        assert space is not None  # the pattern also matches an empty string
        return space.end()

    def _line(self, at: int) -> int:
        offset, line = self._counted
        if at < offset:
            return line - self._text.count("\n", at, offset)
        line += self._text.count("\n", offset, at)
        self._counted = at, line
        return line

    def _wrong(self, at: int, path: str, text: str) -> NotJSONError:
        line = self._line(at)
        found = self._text[at : at + 20].split("\n")[0].strip()
        shown = f"; found {found!r}" if found else "" if at < len(self._text) else "; the file ends"
        whole = self._text.split("\n", line)[line - 1]
        curly = next((mark for mark in whole if mark in _CURLY), None)
        hint = f'; {curly} is a curly quote: type a straight one, "' if curly else ""
        return NotJSONError(Problem(line, path, f"not JSON: {text}{shown}{hint}"))
