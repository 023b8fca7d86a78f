"""Creates the `GameDefinition` of a small game from its class.

Other games have ten modules that define the parts of a game. The author of a small game only has
one class, and the other modules of this package create the parts from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import cache, partial
from inspect import signature
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import msgspec
from msgspec import Struct

from referee.games.interface.capabilities import Starters
from referee.games.interface.data import about
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import EndReason
from referee.games.interface.game import GameSetup
from referee.games.small.author import WRONG_MOVES, Game, MistakeError, lists_all, seats_of
from referee.games.small.log_player import LoggedGame, NoDraws, SmallLog
from referee.games.small.machine import REASONS, SECTIONS, SmallGame
from referee.games.small.messages import PUBLIC_MESSAGES, Facts, MoveReply, MoveRequest
from referee.games.small.page import page_of
from referee.games.small.person import Person
from referee.games.small.specification import specification_of
from referee.games.small.statistics import SmallStatistics
from referee.games.small.turns import Turn, Turns

if TYPE_CHECKING:
    from referee.games.interface.environment import Environment

_CASES = Path(__file__).with_name("bot-cases.json")
_ONE_LEFT = ["3.5/1", "8.3/1"]
"""Conformance cases in which the other player leaves, and the match ends because of that."""
_CODE = re.compile("[a-z][a-z0-9-]*")
_BLANK = re.compile("{.*?}")
MaxTurns = Annotated[int, about("Turns per player.", ge=1, le=10_000)]


def definition(kind: type[Game], name: str) -> GameDefinition:
    """Create the definition of a game. You can change it with `msgspec.structs.replace`.

    Args:
        kind: the author's class.
        name: the game's id in logs, made of a-z, 0-9 and _.

    Raises:
        GameError: an attribute of the class violates the interface `Game`.
    """
    _check(kind)
    try:
        options = options_of(kind)
    except (TypeError, NameError) as error:
        raise MistakeError(kind, f"`Options` cannot be read: {error}") from error
    turns = type("Turns", (Turns,), {"kind": kind})

    def new(setup: GameSetup) -> SmallGame:
        made = LoggedGame if isinstance(setup.chance, NoDraws) else SmallGame
        return made(kind, name, setup)

    @cache
    def environment() -> Environment:
        from referee.games.small.environment import environment_of  # imports numpy

        return environment_of(kind, name)

    least, most = seats_of(kind)
    return GameDefinition(
        name=name,
        specification="small-games/protocol",
        specification_text=specification_of(kind, name, options),
        min_seats=least,
        max_seats=most,
        options=options,
        facts=Facts,
        new=new,
        public=PUBLIC_MESSAGES,
        requests=(MoveRequest,),
        replies=(MoveReply,),
        faults=SECTIONS,
        reasons={**REASONS, **kind.reasons},
        hidden=f"{kind.secrets + ', ' if kind.secrets else ''}replies or faults",
        fractions=True,
        bundled="small",
        log_player=partial(SmallLog, [*kind.reasons]),
        turns=turns,
        turn=Turn,
        person=type("Person", (Person,), {"kind": kind, "reader_type": turns}),
        statistics=SmallStatistics,
        starters=Starters(Path(__file__).with_name("starters"), "any_move"),
        cases=partial(_cases, kind, name, least),
        page=page_of(kind),
        simplest_reply=lambda request: {"type": "move-reply", "move": request["moves"][0]},
        make_environment=environment if kind.moves is not None and lists_all(kind) else None,
    )


def _check(kind: type[Game]) -> None:
    for method in ("start", "legal", "apply", "view", "scores"):
        if getattr(kind, method) is getattr(Game, method):
            raise MistakeError(kind, f"the class has no method `{method}`")
    for method, ours in vars(Game).items():
        if not method.startswith("_") and isinstance(ours, FunctionType | classmethod):
            _check_signature(kind, method, ours)
    try:
        signature(kind).bind()
    except (TypeError, ValueError):
        problem = "`__init__` has arguments: use `start` and `Options` instead"
        raise MistakeError(kind, problem, "__init__") from None
    for name, (is_right, give) in _ATTRIBUTES.items():
        value = getattr(kind, name)
        if not is_right(value):
            raise MistakeError(kind, f"`{name}` is {value!r:.100}: give {give}")
    seats = max(seats_of(kind))
    if any(type(means) is int and not 0 <= means < seats for means in kind.marks.values()):
        raise MistakeError(kind, f"`marks` is {kind.marks!r:.100}: seats are 0 to {seats - 1}")


def _check_signature(
    kind: type[Game], name: str, ours: FunctionType | classmethod[Any, ..., Any]
) -> None:
    wanted = signature(getattr(Game, name)).parameters
    try:
        signature(getattr(kind, name)).bind(*wanted)
    except (TypeError, ValueError):
        how = "def" if isinstance(ours, FunctionType) else "@classmethod def"
        own = [*["cls"] * isinstance(ours, classmethod), *wanted]
        problem = f"`{name}` has other arguments: write {how} {name}({', '.join(own)})"
        raise MistakeError(kind, problem, name) from None


def _are_players(value: Any) -> bool:
    least, most = value if isinstance(value, tuple) and len(value) == 2 else (value,) * 2
    # isinstance() would accept True as a number of players.
    return type(least) is type(most) is int and 1 < least <= most


def _are_texts(value: Any) -> bool:
    return isinstance(value, Sequence) and all(isinstance(text, str) for text in value)


def _is_reason(item: tuple[Any, Any]) -> bool:
    code, clause = item
    known = {*EndReason, *REASONS}
    if not isinstance(code, str) or not _CODE.fullmatch(code) or code in known:
        return False
    is_text = isinstance(clause, str) and bool(clause)
    return is_text and {"{winner}", "{loser}"}.issuperset(_BLANK.findall(clause))


def _is_mark(means: Any) -> bool:
    if isinstance(means, tuple):
        return len(means) == 2 and _are_texts(means)
    return isinstance(means, str) or type(means) is int


_ATTRIBUTES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "players": (_are_players, "a number from 2, or two of them"),
    "moves": (
        lambda value: value is None or isinstance(value, Sequence | Mapping),
        "a list or a dict of lists",
    ),
    "symbols": (_are_texts, "a list of texts"),
    "marks": (
        lambda value: isinstance(value, Mapping) and all(map(_is_mark, value.values())),
        "a seat, a word, or a word and a colour for each",
    ),
    "edges": (
        lambda value: (
            isinstance(value, Sequence) and len(value) == 2 and all(map(_are_texts, value))
        ),
        "the names of the columns and of the rows",
    ),
    "together": (lambda value: isinstance(value, bool), "True or False"),
    "wrong_move": (WRONG_MOVES.__contains__, f"one of {', '.join(map(repr, WRONG_MOVES))}"),
    "reasons": (
        lambda value: isinstance(value, Mapping) and all(map(_is_reason, value.items())),
        "a clause for each new code of a-z and -; it may have {winner} and {loser}",
    ),
    "secrets": (lambda value: isinstance(value, str), "a text"),
}
"""Class attribute -> whether a value is right, and what an author can give."""


def _cases(kind: type[Game], name: str, least: int) -> bytes:
    file = msgspec.json.decode(_CASES.read_bytes())
    file["game"] = name
    # The cases set `max_turns`. If the author has defined this option, it may not accept our value.
    if "max_turns" in get_type_hints(kind.Options):
        file["options"] = {}
    # With three or more players, the match continues after a player has left, so these cases don't
    # apply.
    if least > 2:
        file["shared"]["omit"] = _ONE_LEFT
    return msgspec.json.encode(file)


def options_of(kind: type[Game]) -> type[Struct]:
    """Create the struct of a game's options from the author's `Options`, and add `max_turns`."""
    author = kind.Options
    hints = get_type_hints(author, include_extras=True)
    # get_type_hints() doesn't return attributes without a type, so we'd silently ignore such an
    # option.
    bare = [word for word in vars(author) if not word.startswith("_") and word not in hints]
    if bare:
        raise MistakeError(kind, f"`Options.{bare[0]}` has no type: write {bare[0]}: int = 3")
    fields: list[Any] = []
    for word, hint in hints.items():
        if not hasattr(author, word):
            raise MistakeError(kind, f"`Options.{word}` has no default: write {word}: ... = 3")
        default = getattr(author, word)
        try:
            msgspec.convert(msgspec.to_builtins(default), hint)
        except (msgspec.ValidationError, TypeError) as error:
            raise MistakeError(kind, f"`Options.{word}` is {default!r:.60}: {error}") from None
        if isinstance(default, list | dict):
            default = msgspec.field(default_factory=partial(deepcopy, default))
        fields.append((word, hint, default))
    # Every match has to end, but two bots could move back and forth forever. Therefore we add this
    # option, unless the author has defined it.
    if "max_turns" not in hints:
        fields.append(("max_turns", MaxTurns, 500))
    text = {"__doc__": author.__doc__ or "The options."}
    return msgspec.defstruct("Options", fields, frozen=True, namespace=text)
