"""Converts messages to dicts, as if they had been encoded as JSON and decoded again.

Bots in our own process get their messages like this. Encoding and decoding each message would waste
time.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct, inspect

_SAME = (
    *(inspect.StrType, inspect.IntType, inspect.FloatType, inspect.BoolType, inspect.NoneType),
    *(inspect.LiteralType, inspect.EnumType),
)


def plain(message: Struct) -> dict[str, Any]:
    """Return a message as a dict of JSON values.

    All values are copies, so a bot may modify them.
    """
    lists = _lists(type(message))
    if lists is None:
        message = msgspec.json.decode(msgspec.json.encode(message))
    words: dict[str, Any] = msgspec.to_builtins(message)
    for name in lists or ():
        words[name] = [*words[name]]
    return words


@cache
def _lists(kind: type[Struct]) -> list[str] | None:
    # to_builtins() does nearly the same as encoding and decoding, except that it leaves tuples
    # alone. That's why we return the fields that are tuples, and plain() makes lists of them. If
    # JSON would change anything else in this type, we return None, and plain() really encodes the
    # message.
    fields, names = inspect.type_info(kind), list[str]()
    assert isinstance(fields, inspect.StructType)
    for field in fields.fields:
        of = field.type.type if isinstance(field.type, inspect.Metadata) else field.type
        if isinstance(of, inspect.VarTupleType):
            names.append(field.encode_name)
            of = of.item_type
        if not _is_unchanged(of):
            return None
    return names


def _is_unchanged(kind: inspect.Type) -> bool:
    match kind:
        case inspect.Metadata(type=other) | inspect.ListType(item_type=other):
            return _is_unchanged(other)
        case inspect.UnionType(types=kinds):
            return all(map(_is_unchanged, kinds))
        case inspect.StructType(fields=fields):
            return all(_is_unchanged(field.type) for field in fields)
        case inspect.DictType(key_type=inspect.StrType() | inspect.Metadata(inspect.StrType())):
            return _is_unchanged(kind.value_type)
    return isinstance(kind, _SAME)
