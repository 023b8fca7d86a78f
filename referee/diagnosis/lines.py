"""Explains to a bot's author why a line isn't a reply (protocol, 1.1 and 1.2)."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from referee.diagnosis.reading import NO_VALUE, as_object, first_value, text_of
from referee.games.interface.faults import INVALID_JSON, InvalidReply, describe
from referee.match.decode import decode_reply, reply_decoder
from referee.match.messages import PlayerNameReply
from referee.text.encoding import wide_encoding
from referee.text.nearest import nearest
from referee.text.terminal import plain

QUOTED = 60
"""A quoted line is cut after this many characters."""

EARLIER = {str(PlayerNameReply.__struct_config__.tag): "player-name-request"}
"""Maps each reply that isn't part of a game to the request that it answers."""
_STDERR = "standard output is the protocol; print to stderr"
_ENCODER = "write it with a JSON encoder (json.dumps, JSON.stringify)"
_STRINGIFY = "write JSON.stringify(reply)"
_UTF_8 = (
    "write UTF-8 without a byte order mark (.NET and PowerShell: Console.OutputEncoding = "
    "new UTF8Encoding(false))"
)
_NO_NUL = (
    "write the bytes of the text and no more: neither the whole buffer nor the NUL at the end of a "
    "string in C"
)
_ONE_LINE = (
    "one object must be on one line (json.dumps without indent, JSON.stringify with one argument)"
)

_JS_KEY = re.compile(r"\{\s*[A-Za-z_$][\w$]*\s*:")
_JS_STRING = re.compile(r"\[object ")
_JS_LINE = re.compile(r"\s*[A-Za-z_$][\w$]*: ['\"\[{\d].*,$")
_PYTHON_WORD = re.compile(r"[:,\[]\s*(?:True|False|None)\b")
# Matches a line of a JSON object that was pretty-printed.
_PIECE = re.compile(r'[{}\[\]],?|"[^"]*"\s*:\s*.*,?|"[^"]*",?')


def quoted(line: bytes, space: str = " \t\r") -> str:
    """Quote the start of a line in backquotes.

    Strips `space`, and replaces unprintable characters by "?".
    """
    text = plain(line[: 4 * QUOTED].decode(errors="backslashreplace").strip(space))
    return f"`{text}`" if len(text) <= QUOTED else f"`{text[:QUOTED]}...`"


def why_no_reply(line: bytes, replies: Sequence[type[Struct]]) -> str:
    """Return a sentence that explains why a line isn't a reply, or "" if it is one.

    Args:
        line: the line without its newline.
        replies: the structs of the replies that we accept.
    """
    problem = decode_reply(line, reply_decoder(tuple(replies)))
    if not isinstance(problem, InvalidReply):
        return ""
    if problem.code == INVALID_JSON:
        return f"the line {quoted(line)} {_why_no_object(line, problem.detail)}"
    return f"the line {quoted(line)} {_why_wrong_type(line, replies)}"


def _why_wrong_type(line: bytes, replies: Sequence[type[Struct]]) -> str:
    value = as_object(line) or {}
    tags = [str(struct.__struct_config__.tag) for struct in replies]
    known = " or ".join(f'"{tag}"' for tag in tags)
    if "type" not in value:
        near = next((name for name in value if nearest(name, ["type"])), None)
        meant = f"did you mean `type` by `{plain(near)}`?" if near else f"it must be {known}"
        return f"has no field `type`: {meant}"
    found = value["type"]
    if not isinstance(found, str):
        return f"has the type {describe(found)}; known are {known}"
    if found in EARLIER:
        return f"answers {EARLIER[found]}, an earlier request"
    near = nearest(found, tags)
    meant = f'did you mean "{near}"?' if near else f"known are {known}"
    return f"has the type {describe(found)}; {meant}"


def _why_no_object(line: bytes, detail: str) -> str:
    if words := _why_no_text(line):
        return words
    if "UTF-8" in detail:
        return f"is not JSON: {detail}; write UTF-8"
    if "deep" in detail:
        return f"is not JSON: {detail}"
    text = text_of(line)
    value, rest = first_value(text)
    if value is not NO_VALUE and not (rest and _is_piece(text)):
        return _why_not_this(value, rest, detail)
    for looks_like, words in _LOOKS:
        if looks_like(text):
            return words
    if text.startswith("{"):
        return f"is not JSON: {detail}; {_ENCODER}"
    before, brace, after = text.partition("{")
    if brace and isinstance(first_value("{" + after)[0], dict):
        return f"has {quoted(before.encode())} before the JSON: {_STDERR}"
    return f"is not JSON: {_STDERR}"


def _why_no_text(line: bytes) -> str:
    # In UTF-16, a newline consists of two bytes. We split lines after the first byte, so the second
    # one is a NUL at the start of the next line.
    if encoding := wide_encoding(line) or wide_encoding(line.lstrip(b"\0")):
        return f"is {encoding}, not UTF-8: {_UTF_8}"
    if line.startswith(BOM_UTF8):
        return f"begins with a byte order mark: {_UTF_8}"
    if b"\0" in line.strip(b"\0"):
        return f"has NUL bytes in the text: {_NO_NUL}"
    if b"\0" in line:
        place = "before" if line.startswith(b"\0") else "behind"
        return f"has NUL bytes {place} the text: {_NO_NUL}"
    return ""


def _why_not_this(value: Any, rest: str, detail: str) -> str:
    if isinstance(value, dict):
        if not rest:  # only a strict decoder rejects it, e.g. because of NaN
            return f"is not JSON: {detail}"
        if isinstance(first_value(rest)[0], dict):
            return "contains two JSON objects: write one line per request"
        return f"has {quoted(rest.encode())} behind the JSON: {_STDERR}"
    if rest:
        return f"is not JSON: {_STDERR}"
    if isinstance(value, str):
        if isinstance(first_value(value)[0], dict):
            return "is a string that contains JSON: it was encoded twice"
        return 'is a bare string: a reply is an object, such as {"type":...}'
    kind = "list" if isinstance(value, list) else describe(value)
    what = f"a bare {kind}" if isinstance(value, list) else kind
    return f'is {what}: a reply is an object, such as {{"type":...}}'


def _is_python(text: str) -> bool:
    return text.startswith(("{'", '{"', "{ '")) and (
        "{'" in text or bool(_PYTHON_WORD.search(text))
    )


def _is_piece(text: str) -> bool:
    return text in ("{", "[", "}", "]") or bool(_PIECE.fullmatch(text)) or _is_cut(text)


def _is_cut(text: str) -> bool:
    if not text.startswith("{"):
        return False
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text)
    except (ValueError, RecursionError):
        pass
    return False


# We use the first function or pattern that matches the text.
_LOOKS: Sequence[tuple[Callable[[str], object], str]] = (
    (_is_piece, f"is part of an object: {_ONE_LINE}"),
    (_is_python, "is not JSON but an object as Python prints it: write json.dumps(reply)"),
    (_JS_KEY.match, f"is not JSON but an object as JavaScript shows it: {_STRINGIFY}"),
    (_JS_STRING.match, f"is not JSON but an object made a string: {_STRINGIFY}"),
    (_JS_LINE.match, f"is part of an object as JavaScript shows it: {_STRINGIFY}"),
)
