"""Finds misspelt and missing fields in replies, since the referee ignores unknown fields (1.5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from referee.diagnosis.reading import as_object
from referee.games.interface.faults import describe
from referee.text.nearest import nearest
from referee.text.terminal import plain

_MAX_NAME = 40
_KINDS: Mapping[type, str] = {str: "string", list: "array", dict: "object", bool: "boolean"} | (
    dict.fromkeys((int, float), "number")
)
_IS_NULL = re.compile(r"`(\w+)` is null")


def ignored_fields(lines: Iterable[bytes], replies: Sequence[type[Struct]]) -> list[str]:
    """Return a sentence for each unknown field that looks like a misspelt one.

    We don't mention other unknown fields. They may be from a later version of the protocol, or
    something that the bot writes for itself. The same sentence isn't returned twice.

    Args:
        lines: lines that a bot wrote. Lines that aren't replies are skipped.
        replies: the structs of the game's replies.
    """
    structs = {str(struct.__struct_config__.tag): struct for struct in replies}
    found: dict[str, None] = {}
    for line in lines:
        value = as_object(line) or {}
        kind = value.get("type")
        struct = structs.get(kind) if isinstance(kind, str) else None
        for name, within, meant in () if struct is None else _ignored(value, struct):
            where = f"`{within}` of its {kind}" if within else f"its {kind}"
            name = plain(name[:_MAX_NAME])
            found[f"the field `{name}` of {where} is ignored; did you mean `{meant}`?"] = None
    return list(found)


def _ignored(value: Mapping[str, Any], struct: type[Struct]) -> Iterator[tuple[str, str, str]]:
    """Yield tuples of a misspelt field, the field that contains it (or ""), and the right name."""
    names = struct.__struct_encode_fields__
    nested = [name for name in names if isinstance(value.get(name), dict | list)]
    if not nested and value.keys() <= {"type", *names}:
        return
    properties = _properties(struct)
    yield from ((name, "", meant) for name, meant in _meant(value, properties))
    for name in nested:
        inner = properties[name].get("items", properties[name])
        values = value[name] if isinstance(value[name], list) else [value[name]]
        first = next(iter(values), None)
        if isinstance(first, dict) and "properties" in inner:
            yield from ((n, name, meant) for n, meant in _meant(first, inner["properties"]))


def _meant(
    value: Mapping[str, Any], properties: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, str]]:
    for name in value.keys() - properties.keys():
        kind = _KINDS.get(type(value[name]))
        fitting = [
            known
            for known, schema in properties.items()
            if known not in value and (kind is None or kind in schema.get("type", kind))
        ]
        meant = nearest(name, fitting)
        if meant is not None:
            yield name, meant


@cache
def _properties(struct: type[Struct]) -> dict[str, Any]:
    schema = msgspec.json.schema(struct)
    properties: dict[str, Any] = schema["$defs"][struct.__name__]["properties"]
    return properties


def found(name: str, line: bytes) -> str:
    """Return the value of a field for a sentence, or "missing"."""
    value = as_object(line) or {}
    return describe(value[name]) if name in value else "missing"


def missing_for_null(detail: str, line: bytes) -> str:
    """If a fault says that a field is null, but the bot left it out, say that it's missing.

    The rules treat a missing field as null. We can't change their text, because the record's digest
    depends on it. But the author wouldn't find a "null" anywhere in the code.
    """
    place = _IS_NULL.search(detail)
    if place is None:
        return detail
    value = as_object(line)
    name = place[1]
    if value is None or _has(value, name):
        return detail
    return f"{detail[: place.start()]}`{name}` is missing{detail[place.end() :]}"


def _has(value: Mapping[str, Any], name: str) -> bool:
    inside = (inner for inner in value.values() if isinstance(inner, dict))
    return any(name in fields for fields in (value, *inside))
