"""The options of a command, as the typed fields of a class beside its `run`.

    class StandingsOptions(Options):
        '''Print the standings of a tournament.'''

        store: str = argument("FILE.sqlite", "the store of a tournament")
        format: Literal["text", "json"] = option(None, "text", "json: one object")
        exclude: tuple[str, ...] = repeated("NAME", "exclude all matches of this bot")
        follow: bool = flag("print them again whenever there is something new")

A field has the name of its option. Its annotation decides how the option is read:

    bool                 it is there or not
    str, Path            as it is
    Annotated[T, read]   by `read`; or `Words`, to be one of them (`values.py`)
    Literal["a", "b"]    one of these words
    T | None             a T; None if it is not given
    tuple[T, ...]        again and again; an argument takes all that are left

For a type checker these classes are frozen dataclasses, and a field has its value already: hence
the casts. The module `dataclasses` is not used, because loading it takes longer than reading a
command line.
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
_REQUIRED = object()
"""The default of a field that must be given."""


class Option(NamedTuple):
    """An option, or an argument by its place.

    Attributes:
        name: of the value.
        flags: such as "-q" and "--quiet"; none: an argument.
        metavar: None: the help shows the words that it may be.
        read: makes the value from a text; None: the text is the value.
        words: that it may be; None: any.
        nargs: of argparse; 0: it has no value.
        is_repeated: whether each use adds a value.
        excludes: options that exclude each other have the same text here; "": none.
        hidden: further flags, which the help does not list.
        in_file: whether a configuration file may set it.
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


class _Computed(NamedTuple):
    make: Callable[[], Any]


class Heading(NamedTuple):
    """The title of the fields that follow it in a class, for the help, and a text below it."""

    title: str
    about: str | None = None


class Field(NamedTuple):
    """A field of `Options`, that is, a value that is made from options.

    Attributes:
        options: most have one; the limits of bots have many.
        default: the value if none of them is given.
        value: makes the value from those that are given, by their names.
        heading: above it; None: the usual ones of argparse.
    """

    options: Sequence[Option]
    default: Any
    value: Callable[[Mapping[str, Any]], Any]
    heading: Heading | None = None


class _Typed(NamedTuple):
    """A field of one option, whose annotation says the rest."""

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
    """A field for an option with a value.

    Args:
        metavar: None: the help shows the words that it may be.
        help: `%(default)s` in it is the default.
        flags: such as "-o, --output", if it is not called as the field.
        excludes, in_file: as of `Option`.
        hidden: a further flag, which the help does not list.
    """
    shown = f"{default:g}" if isinstance(default, float) else str(default)
    texts: dict[str, Any] = {"metavar": metavar, "excludes": excludes, "in_file": in_file}
    texts["help"] = help.replace("%(default)s", shown)
    texts["hidden"] = (hidden,) if hidden else ()
    names = None if flags is None else tuple(flags.split(", "))
    return cast("T", _Typed(default, texts, names))


def computed(make: Callable[[], T]) -> T:
    """A default of `option` that is made anew for each command line."""
    return cast("T", _Computed(make))


def repeated(metavar: str, help: str) -> tuple[Any, ...]:
    """A field for an option that can be given again and again."""
    none: tuple[Any, ...] = ()
    return option(metavar, none, help)


def flag(help: str, *, flags: str | None = None, excludes: str = "", in_file: bool = True) -> bool:
    """A field for an option without a value; the arguments are those of `option`."""
    return option(None, False, help, flags=flags, excludes=excludes, in_file=in_file)


def argument(metavar: str, help: str, *, at_least_one: bool = False) -> Any:
    """A field for an argument by its place."""
    return cast("Any", _Typed(_REQUIRED, {"metavar": metavar, "help": help}, (), at_least_one))


def several(options: Sequence[Option], value: Callable[[Mapping[str, Any]], T]) -> T:
    """A field for options that a table describes; `value` as of `Field`."""
    return cast("T", Field(options, value({}), value))


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(argument,),
)
class Options:
    """The options of a command, which nobody changes. The docstring describes the command.

    Attributes:
        words: of the whole command line, for texts that repeat it.
        fields: by their names, in the order of the help.
        given: the values of the options that were given, by their names.
        epilog, exit_codes, examples: as of `Parser`.
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
            self.__dict__[name] = value.make() if isinstance(value, _Computed) else value
        if values:
            raise TypeError(f"{type(self).__name__} has no {', '.join(values)}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} of {type(self).__name__} cannot be changed")

    @classmethod
    def of(cls, given: Mapping[str, Any], words: Sequence[str] = ()) -> Self:
        """The options from the values that were given, by the names of their options."""
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
            annotation = _evaluated(kind.__annotations__[name], names)
            found[name] = _typed_field(name, annotation, field)._replace(heading=heading)
        elif isinstance(field, Field):
            found[name] = field._replace(heading=heading)
    return found


def _evaluated(annotation: Any, names: dict[str, Any]) -> Any:
    """An annotation as an object; `typing.get_type_hints` takes ten times as long."""
    return eval(annotation, names) if isinstance(annotation, str) else annotation


def _typed_field(name: str, annotation: Any, typed: _Typed) -> Field:
    """A field whose annotation says how its option is read.

    Raises:
        TypeError: it does not.
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
    """How a value of this type is read, and the words that it may be."""
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
    """The parser of a command."""
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
