"""Parsing of bots' lines and encoding of messages (1.1, 1.8)."""

from __future__ import annotations

import json
import re

from tests.games.tribute.second.engine import NO_OBJECT

DEEPEST = 128
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_ESCAPE = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]..")
# Python refuses to parse much longer integers. Their value doesn't matter, since it's never valid.
_DIGITS = 4000


def encoded(message: object) -> str:
    """Encode a message as it is written to a line."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)


def read(line: bytes) -> object:
    """Parse a bot's line. Returns a JSON object, or `NO_OBJECT` if the line isn't one."""
    try:
        text = line.decode()
        if _too_deep(text):
            return NO_OBJECT
        value = json.loads(text, parse_constant=_refuse, parse_int=_integer)
    except ValueError:
        return NO_OBJECT
    lone = any(_SURROGATE.fullmatch(escape) for escape in _ESCAPE.findall(text))
    return value if isinstance(value, dict) and not lone else NO_OBJECT


def _too_deep(text: str) -> bool:
    depth = 0
    for bracket in re.findall(r"[][{}]", _STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > DEEPEST:
            return True
    return False


def _refuse(constant: str) -> object:
    raise ValueError(constant)


def _integer(digits: str) -> int:
    return int(digits[:_DIGITS])
