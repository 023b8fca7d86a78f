"""A toy game, known to tests alone: in each round all name a number at once.

The lowest number that nobody else names wins the round's prize. It is here to go through all that
the referee does with a game, so it has a bit of everything: simultaneous moves, chance, a fault,
an option, facts, a checker of logs, turns, conformance cases.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct, field

from referee.seam.capabilities import Finding, Phrase, Summary
from referee.seam.faults import Fault, Termination
from referee.seam.game import LEFT, Outcome, Request, Setup, Standing, ranks
from referee.seam.rules import Rules


class GameInfo(Struct, frozen=True, tag_field="type", tag="game-info"):
    game: str
    rounds: int


class Pick(Struct, frozen=True, tag_field="type", tag="pick"):
    prize: int


class Picked(Struct, frozen=True, tag_field="type", tag="picked"):
    legal_has: ClassVar[tuple[str, ...]] = ("number",)
    number: Any = None


class RoundOver(Struct, frozen=True, tag_field="type", tag="round-over"):
    prize: int
    numbers: list[int]


class Options(Struct, frozen=True):
    rounds: int = 3


class Facts(Struct, frozen=True):
    won: int


def winner(numbers: Sequence[int]) -> int | None:
    alone = [number for number in numbers if number and numbers.count(number) == 1]
    return numbers.index(min(alone)) if alone else None


class Toy:
    def __init__(self, setup: Setup) -> None:
        self.outcome: Outcome | None = None
        self._setup = setup
        self._left = set(setup.absent)
        self._scores = [0] * len(setup.names)
        self._won = [0] * len(setup.names)
        self._round = 0
        self._events: list[Struct] = [GameInfo("toy", setup.options.rounds)]
        self._go_on()

    def _go_on(self) -> None:
        there = [seat for seat in range(len(self._scores)) if seat not in self._left]
        self._prize = 1 + self._setup.chance.choose("prize", 9)
        self.requests = [Request(seat, Pick(self._prize)) for seat in there]
        if len(there) > 1 and self._round < self._setup.options.rounds:
            self._round += 1
            return
        self.requests = []
        keys = [(s in self._left, 0 if s in self._left else -n) for s, n in enumerate(self._scores)]
        reason = (Termination.NO_PLAYERS, Termination.LAST_PLAYER_STANDING, Termination.TURN_LIMIT)
        self.outcome = Outcome(reason[min(len(there), 2)], ranks(keys))

    def advance(self, replies: Mapping[int, object]) -> None:
        numbers = [0] * len(self._scores)
        for seat, reply in replies.items():
            if reply is LEFT:
                self._left.add(seat)
            elif isinstance(reply, Picked) and type(reply.number) is int and reply.number > 0:
                numbers[seat] = reply.number
            else:
                self._events.append(Fault(seat, "bad-number", "5.1", "names no number above 0"))
        won = winner(numbers)
        if won is not None:
            self._scores[won] += self._prize
            self._won[won] += 1
        self._events.append(RoundOver(self._prize, numbers))
        self._go_on()

    def take_events(self) -> list[Struct]:
        events, self._events = self._events, []
        return events

    def standings(self) -> list[Standing]:
        both = zip(self._scores, self._won, strict=True)
        return [Standing(score, self._round, Facts(won)) for score, won in both]


class Checker:
    def __init__(self, names: Sequence[str]) -> None:
        self._scores = [0] * len(names)

    def read(self, line: int, message: Struct) -> list[Finding]:
        if isinstance(message, RoundOver) and (won := winner(message.numbers)) is not None:
            self._scores[won] += message.prize
        return []

    def disqualify(self, line: int, seat: int, code: str) -> list[Finding]:
        return []

    def end(
        self, line: int, scores: Sequence[int], winners: Sequence[str], reason: str
    ) -> list[Finding]:
        if list(scores) == self._scores:
            return []
        return [Finding(line, "4.1", f"scores {self._scores}", str(list(scores)))]


class Turn(Struct):
    turn: int
    numbers: list[int]
    faults: list[str] = field(default_factory=list)


class Turns:
    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._turn = 0
        self._faults: list[str] = []

    def read(self, message: Struct, to: int | None) -> list[Turn]:
        if not isinstance(message, RoundOver):
            return []
        self._turn += 1
        turn = Turn(self._turn, message.numbers, self._faults)
        self._faults = []
        return [turn]

    def fault(self, fault: Fault) -> list[Turn]:
        self._faults.append(fault.code)
        return []

    def disqualify(self, seat: int, text: str) -> list[Turn]:
        return []

    def end(self) -> list[Turn]:
        return []

    def seats(self, turn: Turn) -> tuple[int, ...]:
        return tuple(seat for seat, number in enumerate(turn.numbers) if number)

    def title(self, turn: Turn) -> str:
        return ""

    def show(self, turn: Turn) -> list[Phrase]:
        numbers = ", ".join(map(str, turn.numbers))
        return [Phrase("named", numbers), *(Phrase("fault", code) for code in turn.faults)]

    def summary(self, turns: Sequence[Turn]) -> Summary:
        return Summary(
            ["round", *self._names], [[str(t.turn), *map(str, t.numbers)] for t in turns]
        )


CASES = {
    "format": "conformance-cases",
    "version": 1,
    "game": "toy",
    "options": {"rounds": 2},
    "chapters": {"3": "Handshake", "5": "Numbers"},
    "cases": [
        {
            "id": "3.1/1",
            "level": "MUST",
            "requirement": "The name is told.",
            "until": "handshake",
            "basic": True,
            "vital": True,
        },
        {
            "id": "5.1/1",
            "level": "MUST",
            "requirement": "The number is above 0.",
            "seat": "player2",
            "others": {"player1": [{"type": "picked", "number": 1}] * 2},
        },
    ],
}

RULES = Rules(
    name="toy",
    protocol=1,
    specification="toy",
    min_seats=2,
    max_seats=6,
    options=Options,
    limits={"time_limit": 5.0},
    facts=Facts,
    new=Toy,
    public=(GameInfo, RoundOver),
    requests=(Pick,),
    replies=(Picked,),
    faults={"bad-number": "5.1"},
    reasons=(),
    checker=Checker,
    turns=Turns,
    turn=lambda: Turn,
    cases=lambda: json.dumps(CASES).encode(),
)
