"""What the checker knows of a game: readings of its messages, and what is known of the seats."""

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
    """What can be known of a seat between its turns.

    Attributes:
        sizes: all that are possible.
        owned: every card.
        reach: of each card how many can be in deck and hand at most; the others are known to lie
            on the discard pile.
        turns: begun.
    """

    sizes: frozenset[Sizes]
    owned: Counter[str]
    reach: Counter[str]
    turns: int = 0


class Reading(Struct, frozen=True):
    """One way to read the messages so far.

    Attributes:
        seats: as they were when the turn began.
        active: whose turn it is.
        events: of the turn so far.
        stage: "turn"; "played" after `player-played`; "done" after the clean-up's top discard.
        loose: the turn holds a message that was reported already, and is not explained.
    """

    seats: tuple[Seat, ...]
    active: int
    events: tuple[Event, ...] = ()
    stage: str = "turn"
    loose: bool = False


class Contradiction(Exception):
    """No course of the game sends this."""

    def __init__(self, line: int, section: str, expected: str, found: str) -> None:
        super().__init__(expected)
        self.finding = Finding(line, section, expected, found)


def furthest(problems: Sequence[Finding]) -> Contradiction:
    """What is to be raised when there is no way on: the problem that came latest in the log.

    Problems are kept as findings. A list of exceptions would be in a frame that they hold, and so
    stay in memory until the garbage collector finds it.
    """
    latest = max(problems, key=lambda problem: problem.line)
    return Contradiction(latest.line, latest.section, latest.expected, latest.found)


def put(seats: tuple[Seat, ...], place: int, seat: Seat) -> tuple[Seat, ...]:
    """Return the seats with another one in this place."""
    return (*seats[:place], seat, *seats[place + 1 :])
