"""A game's entry in `referee.games.GAMES`: all that the rest of the referee knows of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec import Struct

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


class GameDefinition(Struct, frozen=True, eq=False, kw_only=True):
    """A game's entry in `referee.games.GAMES`.

    Attributes:
        name: the game's id in logs, such as "dominion".
        specification: the page that the sections of faults and findings are of: its path in spec/,
            without ".md"; or its name, if `specification_text` has its text.
        specification_text: what the game adds to that page, as Markdown; or the whole page, if
            there is none in spec/. Its sections have numbers: "### 4.3 Options".
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
        fractions: whether a score may be a fraction, such as 0.5.
        bundled: the folder of example_bots/ with the bundled bots of a game from outside; empty:
            none. A game of the referee has them in the folder of its name.
    """

    name: str
    protocol: int = 1
    specification: str
    specification_text: str = ""
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
    dialects: Mapping[str, DialectKind] = {}
    fractions: bool = False
    bundled: str = ""

    # The optional parts of a game. Without them it still plays, records and enters tournaments.

    is_game_info: Callable[[Mapping[str, Any]], bool] | None = None
    """Whether a message of type `game-info` is this game's; None: its field `game` says so."""
    checker: Callable[[Sequence[str]], LogChecker] | None = None
    """Makes a checker of logs from the players' names, in seat order."""
    log_player: Callable[[], LogPlayer] | None = None
    """Makes what lets the rules check a log, and follow it for the page, in place of a checker."""
    turns: Callable[[Sequence[str]], TurnReader[Any]] | None = None
    """Makes a reader of turns, from the same names."""
    turn: type[Struct] | None = None
    """The struct of these turns, a line of `referee replay --format json`."""
    person: Callable[[Sequence[str], int], Dialogue] | None = None
    """Makes what a person at the terminal sees and chooses, from the players' names, in seat order,
    and the person's seat."""
    statistics: Callable[[], Statistics] | None = None
    """Makes what gathers facts of many matches, for tournaments."""
    adapters: Mapping[str, Adapter] = {}
    """Prefix of a BOT argument, such as "sot" -> what plays the bots that have it."""
    notes: Callable[[Any], list[list[str]]] | None = None
    """Probable slips that are not faults, for the authors of the bots: from a game that is over, as
    `new` made it, sentences for each seat, in seat order."""
    hint: Callable[[str, Mapping[str, Any], Mapping[str, Any]], str] | None = None
    """The likely cause of a fault, as a clause, from its code and from the request and the reply as
    JSON objects; empty if the fault's own detail is enough."""
    cases: Callable[[], bytes] | None = None
    """The conformance cases for bots, as JSON (spec/vectors/README.md)."""
    situation: Callable[[GameSetup, Mapping[str, Any]], Game] | None = None
    """Makes a game that begins in the middle, from a JSON object that says where."""
    simplest_reply: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    """The simplest legal reply to a request, both as JSON objects."""
    starters: Starters | None = None
    """Bots to start from, for `referee new`."""
    page: PageDefinition | None = None
    """Its parts of the page that shows its matches."""
    vocabulary: Vocabulary | None = None
    """The words of rule files for it, and what plays by them."""
    make_environment: Callable[[], Environment] | None = None
    """Makes `environment`, or returns it: a function, because it loads numpy."""
    make_probes: Callable[[], Probes] | None = None
    """Returns `probes()`."""

    @property
    def environment(self) -> Environment | None:
        """How it is translated for programs that learn to play it; loaded on first use."""
        return None if self.make_environment is None else self.make_environment()

    def probes(self) -> Probes:
        """How other referees of it are checked; loaded on first use.

        Raises:
            UsageError: the game does not have probes yet.
        """
        if self.make_probes is None:
            raise UsageError("this game has no probes yet: other referees of it cannot be checked")
        return self.make_probes()


def part_of(module: str, name: str) -> Callable[[], Any]:
    """Make a function that returns the attribute of a module, which it loads on its first call."""
    return lambda: getattr(import_module(module), name)
