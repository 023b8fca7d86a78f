"""Describes a command's options as the typed fields of a class.

    class StandingsOptions(Options):
        '''Print the standings of a tournament.'''

        store: str = argument("FILE.sqlite", "the store of a tournament")
        format: Literal["text", "json"] = option(None, "text", "json: one object")
        exclude: tuple[str, ...] = repeated("NAME", "exclude all matches of this bot")
        follow: bool = flag("print them again after new results")

Each field has the same name as its option. The annotation says how the option is parsed:

    bool                 the option has no value
    str, Path            the text as it was typed
    Annotated[T, read]   the result of read(text)
    Annotated[str, Words(...)]
                         a word of a list that may grow later
    Literal["a", "b"]    "a" or "b"
    T | None             None if the option is not given
    tuple[T, ...]        the option may be repeated; a positional argument takes several words

To type checkers, these classes look like frozen dataclasses, and a field has the type of its value.
That's why the functions below cast their results. We don't use the module `dataclasses` itself,
because importing it takes longer than parsing a command line.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
)

from referee.cli.parser import AddParser, Parser
from referee.cli.values import Words

T = TypeVar("T")
# Marks fields without a default.
_REQUIRED = object()
_COMPUTED: Any = object()


class Option(NamedTuple):
    """An option or a positional argument, as we pass it to argparse.

    Attributes:
        name: the option's key among the parsed values.
        flags: e.g. "-q" and "--quiet". A positional argument doesn't have any.
        metavar: the placeholder in the help, or None to show the allowed words.
        read: converts the text to the value. If it's None, the value is the text.
        words: the allowed words, or None if any text is allowed.
        nargs: as in argparse, or 0 for an option without a value.
        is_repeated: True if each use adds a value.
        excludes: options that have the same text here can't be used together. With "", there's no
            such restriction.
        hidden: additional flags, which the help doesn't show.
        in_file: True if the option is allowed in a configuration file.
    """

    name: str
    flags: tuple[str, ...]
    metavar: str | None
    help: str
    read: Callable[[str], object] | None = None
    words: Collection[str] | None = None
    nargs: int | str | None = None
    is_repeated: bool = False
    excludes: str = ""
    hidden: tuple[str, ...] = ()
    in_file: bool = True


class Heading(NamedTuple):
    """Starts a group of fields in the help, with a title and a text below the title."""

    title: str
    about: str | None = None


class Field(NamedTuple):
    """A field of `Options`. Its value is made from one or more options.

    Attributes:
        options: usually one option, but all limits of bots are a single field.
        default: the value if no option is given, or `_COMPUTED` for `value({})`.
        value: gets a dict of the given options, and makes the value of the field.
        heading: the group in the help, or None for argparse's default group.
    """

    options: Sequence[Option]
    default: Any
    value: Callable[[Mapping[str, Any]], Any]
    heading: Heading | None = None


# A placeholder for a `Field`. We can't create the `Field` before the class is complete, because we
# need its annotation.
class _Typed(NamedTuple):
    default: Any
    texts: Mapping[str, Any]
    flags: tuple[str, ...] | None = None
    at_least_one: bool = False


def option(
    metavar: str | None,
    default: T,
    help: str,
    *,
    flags: str | None = None,
    excludes: str = "",
    hidden: str = "",
    in_file: bool = True,
) -> T:
    """Define a field for an option with a value.

    Args:
        metavar: the placeholder in the help, or None to show the allowed words.
        help: may contain `%(default)s`, which is replaced by the default.
        flags: e.g. "-o, --output". By default made from the field's name.
        excludes, in_file: see `Option`.
        hidden: another flag, which the help doesn't show.
    """
    shown = f"{default:g}" if isinstance(default, float) else str(default)
    texts: dict[str, Any] = {"metavar": metavar, "excludes": excludes, "in_file": in_file}
    texts["help"] = help.replace("%(default)s", shown)
    texts["hidden"] = (hidden,) if hidden else ()
    names = None if flags is None else tuple(flags.split(", "))
    return cast("T", _Typed(default, texts, names))


def repeated(metavar: str, help: str) -> tuple[Any, ...]:
    """Define a field for an option that may be repeated."""
    none: tuple[Any, ...] = ()
    return option(metavar, none, help)


def flag(help: str, *, flags: str | None = None, excludes: str = "", in_file: bool = True) -> bool:
    """Define a field for an option without a value. See `option` for the arguments."""
    return option(None, False, help, flags=flags, excludes=excludes, in_file=in_file)


def argument(metavar: str, help: str, *, at_least_one: bool = False) -> Any:
    """Define a field for a positional argument."""
    return cast("Any", _Typed(_REQUIRED, {"metavar": metavar, "help": help}, (), at_least_one))


def several(options: Sequence[Option], value: Callable[[Mapping[str, Any]], T]) -> T:
    """Define one field for several options. See `Field` for `value`.

    If none is given, the value is made from an empty dict, for each command line.
    """
    return cast("T", Field(options, _COMPUTED, value))


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(argument,),
)
class Options:
    """The options of a command. They can't be changed after parsing.

    The docstring of a subclass is shown in the help of its command.

    Attributes:
        words: the whole command line, for texts that repeat it.
        fields: the fields by name, in the order of the help.
        given: the parsed values of the options that were given, by name.
        epilog, exit_codes, examples: see `Parser`.
    """

    epilog: ClassVar[str] = ""
    exit_codes: ClassVar[Sequence[tuple[int, str]] | None] = None
    examples: ClassVar[Sequence[tuple[str, str]]] = ()
    words: ClassVar[Sequence[str]] = ()
    given: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    fields: ClassVar[Mapping[str, Field]] = MappingProxyType({})

    def __init_subclass__(cls) -> None:
        cls.fields = _fields(cls)

    def __init__(self, **values: Any) -> None:
        for name, field in self.fields.items():
            value = values.pop(name, field.default)
            if value is _REQUIRED:
                raise TypeError(f"{type(self).__name__} needs {name}")
            # setattr() would fail, since options are immutable.
            self.__dict__[name] = field.value({}) if value is _COMPUTED else value
        if values:
            raise TypeError(f"{type(self).__name__} has no {', '.join(values)}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} of {type(self).__name__} cannot be changed")

    @classmethod
    def of(cls, given: Mapping[str, Any], words: Sequence[str] = ()) -> Self:
        """Create the options from the parsed values of a command line."""
        values = {}
        for name, field in cls.fields.items():
            its = {each.name: given[each.name] for each in field.options if each.name in given}
            if its:
                values[name] = field.value(its)
        made = cls(**values)
        made.__dict__.update(words=words, given=given)
        return made


def _fields(kind: type[Options]) -> Mapping[str, Field]:
    found: dict[str, Field] = {}
    names = vars(sys.modules[kind.__module__])
    heading = None
    for name, field in vars(kind).items():
        if isinstance(field, Heading):
            heading = field
        elif isinstance(field, _Typed):
            annotation = kind.__annotations__[name]
            if isinstance(annotation, str):
                # typing.get_type_hints() would do the same, but it takes ten times as long.
                annotation = eval(annotation, names)
            found[name] = _typed_field(name, annotation, field)._replace(heading=heading)
        elif isinstance(field, Field):
            found[name] = field._replace(heading=heading)
    return found


def _typed_field(name: str, annotation: Any, typed: _Typed) -> Field:
    """Make a `Field` from a placeholder and its annotation.

    Raises:
        TypeError: no option can have this annotation.
    """
    kinds = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    kind = kinds[0]
    is_list = get_origin(kind) is tuple and get_args(kind)[1:] == (...,)
    if is_list:
        (kind, _) = get_args(kind)
    read, words = _reading(name, kind)
    flags = (f"--{name.replace('_', '-')}",) if typed.flags is None else typed.flags
    default: Any = typed.default
    nargs: int | str | None = 0 if kind is bool else None
    if not flags and is_list:
        default, nargs = (_REQUIRED, "+") if typed.at_least_one else ((), "*")
    elif not flags and NoneType in kinds:
        default, nargs = None, "?"
    own = Option(
        name, flags, read=read, words=words, nargs=nargs, is_repeated=is_list, **typed.texts
    )
    return Field((own,), default, lambda given: tuple(given[name]) if is_list else given[name])


def _reading(name: str, kind: Any) -> tuple[Callable[[str], object] | None, Collection[str] | None]:
    if get_origin(kind) is Literal:
        return None, get_args(kind)
    if get_origin(kind) is Annotated:
        how = kind.__metadata__[0]
        return (None, how.words) if isinstance(how, Words) else (how, None)
    if kind is Path:
        return Path, None
    if kind in (str, bool):
        return None, None
    raise TypeError(f"{name}: no option is read as {kind}")


def parser_of(kind: type[Options], add_parser: AddParser) -> Parser:
    """Create the parser of a command."""
    about = {"description": " ".join((kind.__doc__ or "").split())}
    if kind.epilog:
        about["epilog"] = " ".join(kind.epilog.split())
    parser = add_parser(examples=kind.examples, exit_codes=kind.exit_codes, **about)
    groups: dict[Heading | None, argparse._ActionsContainer] = {None: parser}
    excluding: dict[str, argparse._ActionsContainer] = {}
    for field in kind.fields.values():
        if field.heading not in groups:
            assert field.heading is not None
            groups[field.heading] = parser.add_argument_group(*field.heading)
        for each in field.options:
            place = groups[field.heading]
            if each.excludes:
                place = excluding.get(each.excludes) or place.add_mutually_exclusive_group()
                excluding[each.excludes] = place
            _add(place, each)
    return parser


def _add(place: argparse._ActionsContainer, option: Option) -> None:
    # With SUPPRESS, the namespace only contains options that were given, so we can tell them from
    # defaults.
    keywords: dict[str, Any] = {"default": argparse.SUPPRESS, "help": option.help}
    if option.nargs == 0:
        keywords["action"] = "store_true"
    else:
        keywords |= {
            "metavar": option.metavar,
            "choices": None if option.words is None else list(option.words),
            "type": option.read,
        }
        keywords |= {"action": "append"} if option.is_repeated and option.flags else {}
        keywords |= {} if option.nargs is None else {"nargs": option.nargs}
    if not option.flags:
        place.add_argument(option.name, **keywords)
        return
    place.add_argument(*option.flags, dest=option.name, **keywords)
    for flag in option.hidden:
        place.add_argument(flag, **keywords | {"dest": option.name, "help": argparse.SUPPRESS})
