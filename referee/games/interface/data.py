"""Describe fields of messages, and find values that JSON can't represent.

Games can return any Python value. Without this check, a set or a NaN would only cause an error much
later, in a bot or in the replay of a record.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Meta, Struct

MAX_INTEGER = 2**53
"""JavaScript and many other languages round larger integers."""


def about(text: str, *, schema: dict[str, Any] | None = None, **limits: Any) -> Meta:
    """Describe a field in the JSON Schema. `limits` are arguments of `Meta`, which are enforced."""
    return Meta(description=text, extra_json_schema=schema, **limits)


def data_problem(value: Any, path: str) -> str:
    """Explain why a value can't be written as JSON and how to fix it, or return "" if it can.

    Args:
        path: how to refer to the value in the explanation, e.g. "view(PUBLIC)".
    """
    try:
        return _inside(value, path) or (_misfit(value, path) if isinstance(value, Struct) else "")
    except RecursionError:
        return f"{path} is nested too deeply for JSON: use flat lists"


# msgspec rejects most of these values, too, but it doesn't say where in the data they are, and the
# state of a game can be large.
def _inside(value: Any, path: str) -> str:
    if isinstance(value, Struct):
        fields = ((name, getattr(value, name)) for name in value.__struct_fields__)
        # A field that's UNSET is omitted from the JSON.
        return _first(
            (f"{path}.{name}", each) for name, each in fields if each is not msgspec.UNSET
        )
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                return f"{path} has the key {_short(key)}, and keys of JSON are strings: use str()"
        return _first((f"{path}.{key}", each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return _first((f"{path}[{place}]", each) for place, each in enumerate(value))
    return _of_scalar(value, path)


def _of_scalar(value: Any, path: str) -> str:
    # msgspec writes a set as a list. But the order would be arbitrary, and two runs of the same
    # match would differ.
    if isinstance(value, set | frozenset):
        return f"{path} is a set, and a set has no order: use sorted(...)"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{path} is {value}, and JSON has no such number: use a number or None"
    if type(value) is int and abs(value) > MAX_INTEGER:
        return f"{path} is an integer above 2^53, which many languages round: use a string"
    if value is None or isinstance(value, bool | int | float | str | msgspec.Raw):
        return ""
    return f"{path} is of type {type(value).__name__}, and JSON has no such value: use plain data"


def _first(inside: Iterable[tuple[str, Any]]) -> str:
    return next(filter(None, (_inside(value, path) for path, value in inside)), "")


def _misfit(value: Struct, path: str) -> str:
    # msgspec doesn't check the types of fields when you create or encode a struct, only when you
    # decode one. Without this check, the author's mistake would show up much later, when somebody
    # reads the record.
    try:
        msgspec.json.decode(msgspec.json.encode(value), type=type(value))
    except msgspec.MsgspecError as error:
        return f"{path} is not as {type(value).__name__} has it: {error}: give it this type"
    return ""


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 30 else f"{text[:30]}..."
