"""The checker's knowledge of a game: readings of its messages, each with the state of the seats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from msgspec import Struct

from referee.games.dominion.events import Event
from referee.games.interface.capabilities import Finding

S = TypeVar("S")
T = TypeVar("T")


class Sizes(NamedTuple):
    """How many cards lie where, outside a turn; in it, apart from those in play."""

    hand: int
    deck: int
    discard: int


class Seat(Struct, frozen=True):
    """The knowledge of a seat between turns.

    Attributes:
        sizes: every possible one.
        reach: of each card the most that can be in deck and hand; the others certainly lie on the
            discard pile.
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


def contradicts(event: Event, section: str, expected: str) -> Contradiction:
    """The contradiction of an event."""
    return Contradiction(event.line, section, expected, str(event))


def furthest(problems: Sequence[Finding]) -> Contradiction:
    """The contradiction to raise when every way has one: that of the latest line.

    The problems are findings: a list of exceptions would be kept alive by their own frames until
    the garbage collector runs.
    """
    last = max(problems, key=lambda problem: problem.line)
    return Contradiction(last.line, last.section, last.expected, last.found)


def every_way(go_on: Callable[[S], Iterable[T]], starts: Iterable[S]) -> list[T]:
    """All ways on from these starts, each up to where it is contradicted.

    Raises:
        Contradiction: all are.
    """
    ways: list[T] = []
    problems: list[Finding] = []
    for start in starts:
        try:
            for way in go_on(start):  # one by one: those before a contradiction count
                ways.append(way)  # noqa: PERF402
        except Contradiction as problem:
            problems.append(problem.finding)
    if problems and not ways:
        raise furthest(problems)
    return ways


def put(seats: tuple[Seat, ...], place: int, seat: Seat) -> tuple[Seat, ...]:
    """Return the seats with another one in this place."""
    return (*seats[:place], seat, *seats[place + 1 :])
