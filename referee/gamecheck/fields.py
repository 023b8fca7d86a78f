"""The fields of messages and a description of their values, computed from many messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

_MOST_TEXTS = 8
"""A longer list of different texts is not shown."""
_MOST_CHARACTERS = 12
"""A longer list of different characters is not shown."""
_MOST_KEYS = 20
"""Objects with more different keys are data, not fields."""


def fields(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield each field as a path, such as "state.cards", with a description of its values."""
    for key in dict.fromkeys(key for message in messages for key in message if key != "type"):
        yield from _field(key, [message[key] for message in messages if key in message])


def _field(path: str, values: Sequence[Any]) -> Iterator[tuple[str, str]]:
    yield path, in_words(values)
    items = [value for value in values if isinstance(value, dict)]
    while not items and any(isinstance(value, list) for value in values):
        path += "[]"
        values = [item for value in values if isinstance(value, list) for item in value]
        items = [value for value in values if isinstance(value, dict)]
    if items and len({key for item in items for key in item}) <= _MOST_KEYS:
        for name, word in fields(items):
            yield f"{path}.{name}", word


def in_words(values: Iterable[Any]) -> str:
    """Describe values: their types, and bounds or texts."""
    kinds: dict[type, list[Any]] = {}
    for value in values:
        kinds.setdefault(type(value), []).append(value)
    if int in kinds and float in kinds:
        kinds[float] += kinds.pop(int)
    return " or ".join(_of_kind(kind, found) for kind, found in kinds.items())


def _of_kind(kind: type, values: Sequence[Any]) -> str:
    if kind is bool:
        return " or ".join(sorted({_json(value) for value in values}))
    if kind is int or kind is float:
        least, most = min(values), max(values)
        what = "an integer" if kind is int else "a number"
        return _json(least) if least == most else f"{what} from {_json(least)} to {_json(most)}"
    if kind is str:
        texts = sorted(set(values))
        if len(texts) <= _MOST_TEXTS:
            return ", ".join(map(_json, texts))
        used = "".join(sorted(set("".join(texts))))  # few for rows of a board
        of = f", with the characters {_json(used)}" if len(used) <= _MOST_CHARACTERS else ""
        return f"a text, such as {_json(texts[0])}{of}"
    if kind is list:
        counts = {len(value) for value in values}
        many = " to ".join(map(str, sorted({min(counts), max(counts)})))
        items = in_words(item for value in values for item in value)
        return f"a list of {many}" + (f": {items}" if items else "")
    return "an object" if kind is dict else "null"


def _json(value: Any) -> str:
    return f"`{msgspec.json.encode(value).decode()}`"
