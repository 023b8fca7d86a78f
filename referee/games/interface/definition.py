"""A game's entry in `referee.games.GAMES`: all that the rest of the referee knows of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import Struct

from referee._lazy import loaded as loaded
from referee.errors import UsageError
from referee.games.interface.capabilities import LogChecker, Starters, Statistics
from referee.games.interface.dialect import Adapter, DialectKind
from referee.games.interface.dialogue import Dialogue
from referee.games.interface.environment import Environment
from referee.games.interface.game import Game, GameSetup
from referee.games.interface.log_player import LogPlayer
from referee.games.interface.page import PageDefinition
from referee.games.interface.turns import TurnReader
from referee.games.interface.vocabulary import Vocabulary

if TYPE_CHECKING:
    from referee.games.interface.probing import Probes

T = TypeVar("T")


class Extra(Generic[T]):
    """An optional part of a game, listed in `GameDefinition.extras`; None if it is missing."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, rules: GameDefinition, owner: type) -> T | None:
        found: T | str | None = rules.extras.get(self._name)
        return loaded(found) if isinstance(found, str) else found


class GameDefinition(Struct, frozen=True, eq=False, kw_only=True):
    """A game's entry in `referee.games.GAMES`.

    Attributes:
        name: the game's id in logs, such as "dominion".
        specification: the page in spec/ that the sections of faults and findings are of.
        options: what can be chosen for a game, with defaults; a struct whose values are numbers,
            strings, booleans or lists of them.
        limits: where the limits of a bot have other defaults: name -> value.
        facts: the struct of `SeatState.facts`.
        public: the structs of its public messages.
        requests: the structs of its requests.
        replies: the structs of its replies.
        faults: its fault codes, each with the section that defines it.
        reasons: its own end reasons, beside `EndReason`.
        hidden: the things that a match record shows and a spectator log does not, in words.
        tie_break: what decides between equal scores, the less the better: "turns taken"; or empty.
        dialects: what else its bots may speak, each by its name.
        extras: its optional parts, under the names of the attributes that are an `Extra` here: the
            object, or "module:attribute" to load it from on first use.
    """

    name: str
    protocol: int = 1
    specification: str
    min_seats: int = 2
    max_seats: int = 2
    options: type[Struct]
    limits: Mapping[str, float] = {}
    tournament_limits: Mapping[str, float] = {}
    facts: type[Struct]
    new: Callable[[GameSetup], Game]
    public: tuple[type[Struct], ...]
    requests: tuple[type[Struct], ...]
    replies: tuple[type[Struct], ...]
    faults: Mapping[str, str]
    reasons: tuple[str, ...]
    hidden: str = "hands, replies or faults"
    tie_break: str = ""
    dialects: Mapping[str, Callable[[], DialectKind]] = {}
    extras: Mapping[str, Any] = {}

    is_game_info = Extra[Callable[[Mapping[str, Any]], bool]]()
    """Whether a message of type `game-info` is this game's; None: its field `game` says so."""
    checker = Extra[Callable[[Sequence[str]], LogChecker]]()
    """Makes a checker of logs from the players' names, in seat order."""
    log_player = Extra[Callable[[], LogPlayer]]()
    """Makes what lets the rules check a log, and follow it for the page, in place of a checker."""
    turns = Extra[Callable[[Sequence[str]], TurnReader[Any]]]()
    """Makes a reader of turns, from the same names."""
    turn = Extra[type[Struct]]()
    """The struct of these turns, a line of `referee replay --format json`."""
    person = Extra[Callable[[Sequence[str], int], Dialogue]]()
    """Makes what a person at the terminal sees and chooses, from the players' names, in seat order,
    and the person's seat."""
    statistics = Extra[Callable[[], Statistics]]()
    """Makes what gathers facts of many matches, for tournaments."""
    adapters = Extra[Mapping[str, Adapter]]()
    """Prefix of a BOT argument, such as "sot" -> what plays the bots that have it."""
    notes = Extra[Callable[[Any], list[list[str]]]]()
    """Probable slips that are not faults, for the authors of the bots: from a game that is over, as
    `new` made it, sentences for each seat, in seat order."""
    hint = Extra[Callable[[str, Mapping[str, Any], Mapping[str, Any]], str]]()
    """The likely cause of a fault, as a clause, from its code and from the request and the reply as
    JSON objects; empty if the fault's own detail is enough."""
    cases = Extra[Callable[[], bytes]]()
    """The conformance cases for bots, as JSON (spec/vectors/README.md)."""
    situation = Extra[Callable[[GameSetup, Mapping[str, Any]], Game]]()
    """Makes a game that begins in the middle, from a JSON object that says where."""
    simplest_reply = Extra[Callable[[Mapping[str, Any]], Mapping[str, Any]]]()
    """The simplest legal reply to a request, both as JSON objects."""
    starters = Extra[Starters]()
    """Bots to start from, for `referee new`."""
    page = Extra[PageDefinition]()
    """Its parts of the page that shows its matches."""
    vocabulary = Extra[Vocabulary]()
    """The words of rule files for it, and what plays by them."""
    environment = Extra[Environment]()
    """How it is translated for programs that learn to play it."""

    def probes(self) -> Probes:
        """Load how other referees of it are checked.

        Raises:
            UsageError: the game does not have probes yet.
        """
        if "probes" not in self.extras:
            raise UsageError("this game has no probes yet: other referees of it cannot be checked")
        probes: Probes = loaded(self.extras["probes"])
        return probes
