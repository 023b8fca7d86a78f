"""Generates the types of a match page's data, for the type check of its JavaScript."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

from referee.web import data

_SCALARS = {
    Any: "any",
    bool: "boolean",
    float: "number",
    int: "number",
    str: "string",
    type(None): "null",
}


def page_types(_: str = "") -> str:
    """Return a type of TypeScript for each struct of a page's data."""
    known: list[Any] = [data.Header, data.TurnText, data.Step, data.Moment, data.Line]
    made = []
    for struct in known:  # grows
        hints = get_type_hints(struct)
        known += [one for one in _structs(*hints.values()) if one not in known]
        made.append(_declared(struct, hints))
    return "\n".join(sorted(made)) + "\n"


def _structs(*hints: Any) -> Iterator[Any]:
    for hint in hints:
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            yield hint
        else:
            yield from _structs(*get_args(hint))


def _declared(struct: Any, hints: Mapping[str, Any]) -> str:
    config = struct.__struct_config__
    if config.array_like:
        items = ", ".join(f"{name}: {_type(hint)}" for name, hint in hints.items())
        return f"  type {_name(struct)} = [{items}];"
    rows = [f"  interface {_name(struct)} {{"]
    for field in msgspec.structs.fields(struct):
        optional = "?" if config.omit_defaults and not field.required else ""
        rows.append(f"    {field.encode_name}{optional}: {_type(hints[field.name])};")
    return "\n".join([*rows, "  }"])


def _name(struct: Any) -> str:
    # A sentence has players and cards of its own.
    return ("Said" if struct.__module__.endswith(".sentence") else "") + struct.__name__


def _type(hint: Any) -> str:
    if hint in _SCALARS:
        return _SCALARS[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is None:
        return _name(hint)
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(_type, arguments)))
    if issubclass(origin, Mapping):
        return f"Record<string, {_type(arguments[1])}>"
    if origin is tuple and arguments[-1] is not ...:
        return f"[{', '.join(map(_type, arguments))}]"
    item = _type(arguments[0])
    return f"({item})[]" if " | " in item else f"{item}[]"
