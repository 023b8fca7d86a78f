"""Describes the fields of a type of message and their values, by looking at many examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

# We list the values of a text field if there are at most this many.
_MOST_TEXTS = 8
# If a text field has more values, we list its characters if there are at most this many.
_MOST_CHARACTERS = 12
# If objects have more keys than this, the keys are probably data and not fields.
_MOST_KEYS = 20
# We describe the items of a list one by one if the list isn't longer than this.
_MOST_PLACES = 4
# These lists have an item for each seat. All items mean the same, so we describe them together.
_OF_SEATS = ("scores",)
_PLAYER = re.compile(r"player\d+")


def fields(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield each field as a path, such as "state.cards", with a description of its values."""
    for key in dict.fromkeys(key for message in messages for key in message if key != "type"):
        yield from _field(key, [message[key] for message in messages if key in message])


def _field(path: str, values: Sequence[Any]) -> Iterator[tuple[str, str]]:
    yield path, in_words(values, by_place=path not in _OF_SEATS)
    items = [value for value in values if isinstance(value, dict)]
    while not items and any(isinstance(value, list) for value in values):
        path += "[]"
        values = [item for value in values if isinstance(value, list) for item in value]
        items = [value for value in values if isinstance(value, dict)]
    keys = dict.fromkeys(key for item in items for key in item)
    if keys and all(map(_PLAYER.fullmatch, keys)):
        yield from _field(f"{path}.playerN", [value for item in items for value in item.values()])
    elif len(keys) <= _MOST_KEYS:
        for name, word in fields(items):
            yield f"{path}.{name}", word


def in_words(values: Iterable[Any], *, by_place: bool = True) -> str:
    """Describe values, e.g. as "an integer from 1 to 6, or null".

    Args:
        by_place: if True, describe the items of a short list one by one, unless their descriptions
            are the same.
    """
    kinds: dict[type, list[Any]] = {}
    for value in values:
        kinds.setdefault(type(value), []).append(value)
    if int in kinds and float in kinds:
        kinds[float] += kinds.pop(int)
    ordered = sorted(kinds.items(), key=lambda item: item[0] in (list, dict))
    return ", or ".join(_of_kind(kind, found, by_place) for kind, found in ordered)


def _of_kind(kind: type, values: Sequence[Any], by_place: bool) -> str:
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
        # If there are few different characters, the text may be a row of a board.
        used = "".join(sorted(set("".join(texts))))
        of = f", with the characters {_json(used)}" if len(used) <= _MOST_CHARACTERS else ""
        return f"a text, such as {_json(texts[0])}{of}"
    if kind is list:
        return _of_list(values, by_place)
    return "an object" if kind is dict else "null"


def _of_list(values: Sequence[list[Any]], by_place: bool) -> str:
    counts = {len(value) for value in values}
    many = " to ".join(map(str, sorted({min(counts), max(counts)})))
    items = in_words(item for value in values for item in value)
    if by_place and len(counts) == 1 and 1 < max(counts) <= _MOST_PLACES:
        places = [in_words(place) for place in zip(*values, strict=True)]
        items = items if len(set(places)) == 1 else ", then ".join(places)
    return f"a list of {many}" + (f" ({items})" if items else "")


def _json(value: Any) -> str:
    return f"`{msgspec.json.encode(value).decode()}`"
