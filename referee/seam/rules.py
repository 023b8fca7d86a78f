"""A game's entry in `referee.games.GAMES`: all that the rest of the referee knows of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from referee.seam.capabilities import LogChecker, TurnReader
from referee.seam.game import Game, Setup
from referee.seam.probing import Probes


class Rules(Struct, frozen=True, kw_only=True):
    """A game's entry in `referee.games.GAMES`.

    Attributes:
        name: the game's id in logs, such as "dominion".
        protocol: the version of the wire protocol that it speaks.
        min_seats, max_seats: how many can play.
        new: makes a game, not yet started.
        public: the structs of its public messages.
        requests: the structs of its requests.
        replies: the structs of its replies.
        faults: its fault codes, each with the section that defines it.
        reasons: its own end reasons, beside `Termination`.
        checker: makes a checker of logs from the players' names, in seat order; None if the game
            has none. Like the next two it loads what it needs when it is called.
        turns: makes a reader of turns, likewise.
        turn: the struct of these turns, a line of `referee replay --format json`; with `turns`.
        situation: makes a game that begins in the middle, from a JSON object that says where
            (spec/vectors/README.md).
        simplest_reply: the simplest legal reply to a request, both as JSON objects.
        probes: how other referees of it are checked; loaded when it is called.
    """

    name: str
    protocol: int
    min_seats: int
    max_seats: int
    new: Callable[[Setup], Game]
    public: tuple[type[Struct], ...]
    requests: tuple[type[Struct], ...]
    replies: tuple[type[Struct], ...]
    faults: Mapping[str, str]
    reasons: tuple[str, ...]
    checker: Callable[[Sequence[str]], LogChecker] | None = None
    turns: Callable[[Sequence[str]], TurnReader] | None = None
    turn: Callable[[], type[Struct]] | None = None
    situation: Callable[[Setup, Mapping[str, Any]], Game]
    simplest_reply: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    probes: Callable[[], Probes]
