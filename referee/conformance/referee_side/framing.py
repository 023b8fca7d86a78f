"""What a line is about, whatever the game: the cases of sections 1 to 3."""

from __future__ import annotations

import json
import re
from collections.abc import Container
from typing import Any

from referee.decode import MAX_DEPTH, decode_reply, reply_decoder
from referee.game import Malformed
from referee.match import CONTROL_CHARACTERS, MAX_NAME_LENGTH
from referee.messages import PlayerNameReply
from referee.options import Options

LINE_LIMIT = Options().line_limit
_OUTSIDE_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"')
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')
_names = reply_decoder((PlayerNameReply,))


def compact(line: bytes) -> bool:
    """Whether there is no white space between the parts of a JSON text (1.1)."""
    return not re.search(rb"\s", _OUTSIDE_STRINGS.sub(b"", line))


def reply_rules(line: bytes, blanks: int, early: bool, fields: Container[str]) -> list[str]:
    """The cases that the way in which a reply is written is about.

    Args:
        blanks: blank lines that came before it.
        early: it was written before its request came.
        fields: of replies.
    """
    if len(line) == LINE_LIMIT:
        return ["1.3/1"]
    rules = _json_rules(line, fields)
    if early:
        rules.append("1.2/1")
    if blanks:
        rules.append("1.1/5")
    if line.endswith(b"\r") and not compact(line.strip()):
        rules.append("1.1/4")
    return rules


def _json_rules(line: bytes, fields: Container[str]) -> list[str]:
    """The cases of 1.5 and 1.8."""
    try:
        text = line.decode().strip()
    except UnicodeDecodeError:
        return ["1.8/1"]
    if text.startswith("\ufeff"):
        return ["1.8/2"]
    outside = _OUTSIDE_STRINGS.sub(b'""', line)
    depth = _depth(outside)
    if depth > MAX_DEPTH:
        return ["1.8/6"]
    if depth == MAX_DEPTH or line.count(b"[") > MAX_DEPTH:
        return ["1.8/9"]
    try:
        # An object as a list of pairs, so that duplicate keys can be seen.
        # Integers as text: they may be longer than Python reads.
        reader = json.JSONDecoder(object_pairs_hook=_Pairs, strict=False, parse_int=str)
        value, end = reader.raw_decode(text)
    except ValueError:
        return ["1.8/8"]
    if not isinstance(value, _Pairs):
        return ["1.8/8"]
    if re.search(rb"NaN|Infinity", outside):
        return ["1.8/3"]
    if any(ord(letter) < ord(" ") for part in _STRINGS.findall(text) for letter in part):
        return ["1.8/4"]
    if re.search(rb"\\ud[89a-f]", line, re.IGNORECASE):
        return ["1.8/5"]
    if text[end:]:
        return ["1.8/7"]
    keys = [key for key, _ in value]
    if len(set(keys)) < len(keys):
        return ["1.5/2"]
    if re.search(rb"\d{30}", outside):
        return ["1.8/10"]
    return ["1.5/1"] if any(key not in fields for key in keys) else []


class _Pairs(list[tuple[str, Any]]):
    """A JSON object."""


def _depth(outside: bytes) -> int:
    depth = deepest = 0
    for byte in outside:
        depth += (byte in b"[{") - (byte in b"]}")
        deepest = max(deepest, depth)
    return deepest


def name_rules(line: bytes, number: str) -> list[str]:
    """The cases that a reply to `player-name-request` is about (3.1 to 3.3)."""
    reply = decode_reply(line, _names)
    if isinstance(reply, Malformed):
        return ["3.2/1" if reply.code == "invalid-json" else "3.2/2"]
    assert isinstance(reply, PlayerNameReply)  # the decoder knows no other
    version: Any = reply.version
    given = b'"version"' in line
    if given and (isinstance(version, bool) or version != 1):
        number_like = isinstance(version, int) and not isinstance(version, bool)
        return ["3.3/1"] if number_like else ["3.3/2"]
    if reply.player_number != number:
        return ["3.2/4"]
    if not isinstance(reply.name, str):
        return ["3.2/3"]
    if not given or isinstance(version, float):
        return ["3.3/3", "3.1/1"]
    shown = reply.name.translate(CONTROL_CHARACTERS)
    if len(shown) > MAX_NAME_LENGTH:
        return ["3.1/3"]
    return ["3.1/1"] if shown == reply.name else ["3.1/2"]
