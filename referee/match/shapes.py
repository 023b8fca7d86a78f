"""Compares a message with its struct to list the wrong fields and guess the intended message.

We don't use msgspec's errors ("Expected `str`, got `array` - at `$.gained`"), because the authors
of bots may not know Python's names for types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct, inspect

from referee.games.interface.faults import describe
from referee.games.interface.seats import SEAT_PATTERN

_INTEGER = re.compile("-?[0-9]{1,15}(?:[.]0)?")


class Misfit(Struct, frozen=True):
    """A field that does not match the protocol.

    Attributes:
        field: path of the field, such as "cards[].count".
        expected: the right type or value, such as "a string".
        found: the actual value, such as "a list of 1", or "missing".
        kind: the JSON type of the value found, "missing", "range" or "length". Misfits with equal
            field and kind are the same mistake.
    """

    field: str
    expected: str
    found: str
    kind: str


def misfits(message: Mapping[str, Any], struct: type[Struct]) -> list[Misfit]:
    """Return the fields of a JSON object that don't fit a struct."""
    return list(_of_object(message, _fields(struct), ""))


def meant(message: Mapping[str, Any], struct: type[Struct]) -> Struct | None:
    """Return the message that a malformed one was meant to be, or None if that's ambiguous.

    Thanks to this, a mistake in one field doesn't hide the mistakes in later fields. We accept a
    number or a one-element list for a string, a string of digits for a number, and 1 or "1" for
    "player1".
    """
    try:
        return msgspec.convert(_mended(message, _fields(struct)), struct)
    except msgspec.ValidationError:
        return None


@cache
def _fields(struct: type[Struct]) -> tuple[inspect.Field, ...]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return info.fields


def _bare(info: inspect.Type) -> inspect.Type:
    return info.type if isinstance(info, inspect.Metadata) else info


def _is_number(info: inspect.Type) -> bool:
    kinds = info.types if isinstance(info, inspect.UnionType) else ()
    return {type(kind) for kind in kinds} == {inspect.IntType, inspect.FloatType}


# --- find misfits ---------------------------------------------------------------------------------


def _of_object(
    value: Mapping[str, Any], fields: tuple[inspect.Field, ...], path: str
) -> Iterator[Misfit]:
    for field in fields:
        where = path + field.encode_name
        if field.encode_name in value:
            yield from _of(value[field.encode_name], _bare(field.type), where)
        elif field.required:
            yield Misfit(where, _words(_bare(field.type)), "missing", "missing")


def _of(value: Any, info: inspect.Type, where: str) -> Iterator[Misfit]:
    if problem := _problem(value, info):
        yield Misfit(where, _words(info), describe(value), problem)
    elif isinstance(info, inspect.ListType | inspect.VarTupleType):
        for item in value:
            yield from _of(item, _bare(info.item_type), f"{where}[]")
    elif isinstance(info, inspect.StructType):
        yield from _of_object(value, info.fields, f"{where}.")


def _problem(value: Any, info: inspect.Type) -> str:
    """Return a `Misfit.kind`, or "" if the value fits. This doesn't look into lists and objects."""
    kind = _kind(value)
    match info:
        case inspect.IntType(ge=least):
            if type(value) is not int:
                return kind
            return "range" if least is not None and value < least else ""
        case inspect.UnionType() if _is_number(info):
            return "" if kind == "number" else kind
        case inspect.StrType(max_length=most):
            if kind != "string":
                return kind
            return "length" if most is not None and len(value) > most else ""
        case inspect.ListType() | inspect.VarTupleType():
            if kind != "list":
                return kind
            fits = (info.min_length or 0) <= len(value) <= (info.max_length or len(value))
            return "" if fits else "length"
        case inspect.StructType():
            return "" if kind == "object" else kind
    return ""


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "list" if isinstance(value, list) else "object"


def _words(info: inspect.Type) -> str:
    if isinstance(info, inspect.IntType):
        return "an integer" if info.ge is None else f"an integer of {info.ge} or more"
    if _is_number(info):
        return "a number"
    if isinstance(info, inspect.StrType):
        most = info.max_length
        return "a string" if most is None else f"a string of at most {most} characters"
    if isinstance(info, inspect.ListType | inspect.VarTupleType):
        least, most = info.min_length, info.max_length
        if least is not None:
            return f"a list of {least}" if least == most else f"a list of {least} or more"
        return "a list"
    return "an object"


# --- guess the intended message -------------------------------------------------------------------


def _mended(value: Mapping[str, Any], fields: tuple[inspect.Field, ...]) -> dict[str, Any]:
    mended = dict(value)
    for field in fields:
        name = field.encode_name
        if name in mended:
            mended[name] = _mend(mended[name], _bare(field.type), name)
    return mended


def _mend(value: Any, info: inspect.Type, name: str) -> Any:
    if isinstance(info, inspect.StrType):
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        return _player(value) if name in ("player_number", "winners") else value
    if (isinstance(info, inspect.IntType) or _is_number(info)) and _INTEGER.fullmatch(str(value)):
        return int(float(value))
    if isinstance(info, inspect.ListType | inspect.VarTupleType):
        values = value if isinstance(value, list) else [value]
        return [_mend(item, _bare(info.item_type), name) for item in values]
    if isinstance(info, inspect.StructType) and isinstance(value, dict):
        return _mended(value, info.fields)
    return value


def _player(value: Any) -> Any:
    number = f"player{value}"
    return number if re.fullmatch(SEAT_PATTERN, number) else value
