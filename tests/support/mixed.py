"""A test game with two kinds of rounds.

In a bidding round the seats name a number at the same time. The highest bidder then takes a prize,
and sits out the next bidding, unless it's seat 0. The largest bid is an option, so the number of
actions in the environment depends on the options.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from referee.games.interface.choices import Choices, ChoosingTranslator
from referee.games.interface.definition import GameDefinition
from referee.games.interface.dialogue import Choice, Decision, Question
from referee.games.interface.environment import Environment, Numbers
from referee.games.interface.faults import EndReason, Fault
from referee.games.interface.game import (
    LEFT,
    GameSetup,
    Outcome,
    Request,
    SeatState,
    Viewer,
    ranks,
)


class Options(Struct, frozen=True):
    biddings: int = 4
    top: int = 3


class Facts(Struct, frozen=True):
    pass


class GameInfo(Struct, frozen=True, tag="game-info"):
    biddings: int
    game: str = "mixed"


class NumberRequest(Struct, frozen=True, tag="number-request"):
    numbers: list[int]
    scores: list[int]


class NumberReply(Struct, frozen=True, tag="number-reply"):
    number: int


class Taken(Struct, frozen=True, tag="taken"):
    scores: list[int]


class View(Struct, frozen=True):
    scores: list[int]
    request: NumberRequest | None


class Mixed:
    def __init__(self, setup: GameSetup) -> None:
        self._options, self._left = setup.options, set(setup.absent)
        self._scores = [0] * len(setup.names)
        self._events: list[Struct] = [GameInfo(self._options.biddings)]
        self._rounds, self._taker, self._takes = 0, -1, False
        self.outcome: Outcome | None = None
        self.requests: tuple[Request, ...] = ()
        self._ask()

    def _ask(self) -> None:
        here = [seat for seat in range(len(self._scores)) if seat not in self._left]
        over = self._rounds == self._options.biddings and not self._takes
        self.requests = ()
        if len(here) < 2 or over:
            last = EndReason.LAST_PLAYER_STANDING if here else EndReason.NO_PLAYERS
            keys = [(seat in self._left, -score) for seat, score in enumerate(self._scores)]
            self.outcome = Outcome("all-bid" if len(here) > 1 else last, ranks(keys))
            return
        seats = [self._taker] if self._takes else [s for s in here if s != self._taker or s == 0]
        numbers = [*range(1, 1 + self._options.top)]
        asks = NumberRequest(numbers, self._scores.copy())
        self.requests = tuple(Request(seat, asks) for seat in seats)

    @property
    def turns(self) -> int:
        return self._rounds

    def advance(self, replies: Mapping[int, object]) -> None:
        assert set(replies) == {request.seat for request in self.requests}
        numbers = {}
        for seat, reply in sorted(replies.items()):
            if reply is LEFT:
                self._left.add(seat)
            elif isinstance(reply, NumberReply) and 0 < reply.number <= self._options.top:
                numbers[seat] = reply.number
            else:
                self._events.append(Fault(seat, "bad-number", "5", "that is no number"))
        if self._takes:
            self._takes = False
            for seat, number in numbers.items():
                self._scores[seat] += number
            self._events.append(Taken(self._scores.copy()))
        else:
            self._rounds += 1
            self._taker = max(numbers, key=lambda seat: numbers[seat], default=-1)
            self._takes = self._taker >= 0
        self._ask()

    def take_events(self) -> list[Struct]:
        events, self._events = self._events, []
        return events

    def view(self, viewer: Viewer) -> View:
        request: Any = next((r.message for r in self.requests if r.seat == viewer), None)
        return View(self._scores.copy(), request)

    def standings(self) -> Sequence[SeatState]:
        return [SeatState(score, self._rounds, Facts()) for score in self._scores]


class Person:
    def __init__(self, names: Sequence[str], seat: int) -> None:
        self._names = names

    def observe(self, message: Struct) -> list[str]:
        return [f"scores {message.scores}"] if isinstance(message, Taken) else []

    def end(self) -> list[str]:
        return []

    def decide(self, request: NumberRequest) -> Decision:
        picks = yield Question("Which number?", [Choice(str(each)) for each in request.numbers])
        return {"type": "number-reply", "number": picks[0] + 1}


def choices_of(options: Options) -> tuple[str, ...]:
    return tuple(f"number {number}" for number in range(1, 1 + options.top))


@cache
def translator_of(options: Options) -> type[ChoosingTranslator]:
    class Translator(ChoosingTranslator, choices=choices_of(options), names=("own", "best")):
        def choices(self) -> Choices:
            numbers = self.view.request.numbers
            return NumberReply((yield {f"number {number}": number for number in numbers}))

        def chosen(self, reply: Any) -> Iterable[str]:
            return [f"number {reply.number}"]

        def observe(self) -> NDArray[np.int32]:
            return np.array([self.view.scores[self.seat], max(self.view.scores)], np.int32)

    return Translator


class Tracker:
    def __init__(self, seat: int, seats: int) -> None:
        self._view = View([0] * seats, None)

    def observe(self, message: Struct) -> None:
        if isinstance(message, NumberRequest):
            self._view = View(message.scores, message)

    def view(self) -> View:
        return self._view


def layout(seats: int, options: Options) -> Numbers:
    high = np.full(2, options.top * options.biddings, np.int32)
    return Numbers(("own", "best"), np.zeros_like(high), high)


ENVIRONMENT = Environment(
    id="Mixed",
    opponent="",
    version=1,
    choices=choices_of,
    observation=layout,
    translator=lambda seat, seats, options: translator_of(options)(seat, seats),
    tracker=Tracker,
)

RULES = GameDefinition(
    name="mixed",
    specification="mixed",
    min_seats=3,
    max_seats=4,
    options=Options,
    facts=Facts,
    new=Mixed,
    public=(GameInfo, Taken),
    requests=(NumberRequest,),
    replies=(NumberReply,),
    faults={"bad-number": "5"},
    reasons={"all-bid": "all have bid"},
    person=Person,
    make_environment=lambda: ENVIRONMENT,
)
