"""Convert a message to the value that its line would have in JSON, without encoding it.

Bots in the same process get their messages in this form, because encoding and decoding each message
would be wasted work.
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
    """Return a message as JSON values.

    The values are copies, so a bot may change them as it likes.
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
    # For most messages, to_builtins() gives the same as JSON would, except that tuples stay tuples.
    # That's why we find out, once per type, which fields are tuples. If JSON would change anything
    # else, we return None, and each message is really encoded.
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
