"""What the checker knows of a game: readings of its messages, each with the state of the seats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from referee.games.dominion.events import Event
from referee.seam.capabilities import Finding


class Sizes(NamedTuple):
    """How many cards lie where, outside a turn; in it, apart from those in play."""

    hand: int
    deck: int
    discard: int


class Seat(Struct, frozen=True):
    """What is known of a seat between turns.

    Attributes:
        sizes: every possible one.
        owned: all its cards.
        reach: of each card the most that can be in deck and hand; the others certainly lie on the
            discard pile.
        turns: that it has begun.
    """

    sizes: frozenset[Sizes]
    owned: Counter[str]
    reach: Counter[str]
    turns: int = 0


class Reading(Struct, frozen=True):
    """One way to divide the messages so far into turns.

    Attributes:
        seats: as they were when the turn began.
        active: the seat whose turn it is.
        events: of the turn so far.
        stage: "turn"; "played" after `player-played`; "done" after the clean-up's top discard.
        loose: the turn holds a message that was reported, so it cannot be explained.
    """

    seats: tuple[Seat, ...]
    active: int
    events: tuple[Event, ...] = ()
    stage: str = "turn"
    loose: bool = False


class Contradiction(Exception):
    """No course of the game sends this message."""

    def __init__(self, line: int, section: str, expected: str, found: str) -> None:
        super().__init__(expected)
        self.finding = Finding(line, section, expected, found)


def furthest(problems: Sequence[Finding]) -> Contradiction:
    """The contradiction to raise when every way has one: that of the latest line.

    The problems are findings: a list of exceptions would be kept alive by their own frames until
    the garbage collector runs.
    """
    latest = max(problems, key=lambda problem: problem.line)
    return Contradiction(latest.line, latest.section, latest.expected, latest.found)


def put(seats: tuple[Seat, ...], place: int, seat: Seat) -> tuple[Seat, ...]:
    """Return the seats with another one in this place."""
    return (*seats[:place], seat, *seats[place + 1 :])
