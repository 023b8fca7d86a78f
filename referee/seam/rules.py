"""A game's entry in `referee.games.GAMES`: all that the rest of the referee knows of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from referee.seam.capabilities import Observer, Story
from referee.seam.game import Game, Setup
from referee.seam.probing import Probes


class Rules(Struct, frozen=True, eq=False):
    """A game's entry in `referee.games.GAMES`.

    Attributes:
        name: the game's id in logs, such as "dominion".
        protocol: the version of the wire protocol that it speaks.
        min_seats, max_seats: how many can play.
        options: what can be chosen for a game, with defaults; a struct whose values are numbers,
            strings, booleans or lists of them.
        limits: where the limits of a bot's process have other defaults: name -> value.
        facts: the struct of `Standing.facts`.
        new: makes a game.
        public: the structs of its public messages.
        requests: the structs of its requests.
        replies: the structs of its replies.
        faults: its fault codes, each with the section that defines it.
        reasons: its own end reasons, beside `Termination`.
        observer: makes an observer; takes the players' names, in seat order.
        story: makes a story, likewise.
        turn: what its turns are, a line of `referee replay --format json`.
        situation: makes a game that begins in the middle, from a JSON object that says where
            (spec/vectors/README.md).
        simplest_reply: the simplest legal reply to a request, both as JSON objects.
        tie_break: what decides between equal scores, the less the better: "turns taken"; or empty.
        probes: how other referees of it are checked; loaded when it is called.
    """

    name: str
    protocol: int
    min_seats: int
    max_seats: int
    options: type[Struct]
    facts: type[Struct]
    new: Callable[[Setup], Game]
    public: tuple[type[Struct], ...]
    requests: tuple[type[Struct], ...]
    replies: tuple[type[Struct], ...]
    faults: Mapping[str, str]
    reasons: tuple[str, ...]
    observer: Callable[[Sequence[str]], Observer]
    story: Callable[[Sequence[str]], Story]
    turn: type[Struct]
    situation: Callable[[Setup, Mapping[str, Any]], Game]
    simplest_reply: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    probes: Callable[[], Probes]
    limits: Mapping[str, float] = {}
    tie_break: str = ""
