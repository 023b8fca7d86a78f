"""A game's entry in `referee.games.GAMES`: all that the rest of the referee knows of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from referee.errors import UsageError
from referee.seam.capabilities import LogChecker, Starters, Statistics, TurnReader
from referee.seam.dialect import DialectKind
from referee.seam.environment import Environment
from referee.seam.game import Game, Setup
from referee.seam.probing import Probes

if TYPE_CHECKING:
    from referee.seam.person import Dialogue  # few matches have a person


def _no_probes() -> Probes:
    raise UsageError("this game has no probes yet: other referees of it cannot be checked")


class Rules(Struct, frozen=True, eq=False, kw_only=True):
    """A game's entry in `referee.games.GAMES`.

    Attributes:
        name: the game's id in logs, such as "dominion".
        protocol: the version of the wire protocol that it speaks.
        specification: the page in spec/ that the sections of faults and findings are of.
        min_seats, max_seats: how many can play.
        options: what can be chosen for a game, with defaults; a struct whose values are numbers,
            strings, booleans or lists of them.
        limits: where the limits of a bot have other defaults: name -> value.
        facts: the struct of `Standing.facts`.
        new: makes a game.
        public: the structs of its public messages.
        requests: the structs of its requests.
        replies: the structs of its replies.
        faults: its fault codes, each with the section that defines it.
        reasons: its own end reasons, beside `Termination`.
        hidden: what a match record shows and a spectator log does not, in words.
        tie_break: what decides between equal scores, the less the better: "turns taken"; or empty.

    What follows a game may have or not; it is loaded when it is called:
        is_game_info: whether a message of type `game-info` is this game's; by default its field
            `game` says so.
        checker: makes a checker of logs from the players' names, in seat order.
        turns: makes a reader of turns, likewise.
        turn: the struct of these turns, a line of `referee replay --format json`.
        person: makes what a person at the terminal sees and chooses, from the players' names, in
            seat order, and the person's seat.
        statistics: makes what gathers facts of many matches, for tournaments.
        notes: what is no fault but hardly meant so, for the authors of the bots: from a game that
            is over, as `new` made it, sentences for each seat, in seat order.
        hint: what a fault most likely comes of, as a clause, from its code and from the request and
            the reply as JSON objects; empty where its own detail says it all.
        cases: the conformance cases for bots, as JSON (spec/vectors/README.md).
        situation: makes a game that begins in the middle, from a JSON object that says where.
        simplest_reply: the simplest legal reply to a request, both as JSON objects.
        probes: loads how other referees of it are checked; raises `UsageError` if there is no way.
        dialects: what else its bots may speak, each by its name.
        starters: bots to start from, for `referee new`.
        environment: loads how it is translated for programs that learn to play it.
    """

    name: str
    protocol: int
    specification: str
    min_seats: int
    max_seats: int
    options: type[Struct]
    limits: Mapping[str, float] = {}
    facts: type[Struct]
    new: Callable[[Setup], Game]
    public: tuple[type[Struct], ...]
    requests: tuple[type[Struct], ...]
    replies: tuple[type[Struct], ...]
    faults: Mapping[str, str]
    reasons: tuple[str, ...]
    hidden: str = "replies or faults"
    tie_break: str = ""
    is_game_info: Callable[[Mapping[str, Any]], bool] | None = None
    checker: Callable[[Sequence[str]], LogChecker] | None = None
    turns: Callable[[Sequence[str]], TurnReader] | None = None
    turn: Callable[[], type[Struct]] | None = None
    person: Callable[[Sequence[str], int], Dialogue] | None = None
    statistics: Callable[[], Statistics] | None = None
    notes: Callable[[Any], list[list[str]]] | None = None
    hint: Callable[[str, Mapping[str, Any], Mapping[str, Any]], str] | None = None
    cases: Callable[[], bytes] | None = None
    situation: Callable[[Setup, Mapping[str, Any]], Game] | None = None
    simplest_reply: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    probes: Callable[[], Probes] = _no_probes
    dialects: Mapping[str, Callable[[], DialectKind]] = {}
    starters: Starters | None = None
    environment: Callable[[], Environment] | None = None
