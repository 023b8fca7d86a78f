"""A game for tests in which all move at once: everybody names a number, and the sums are compared.

It has two dialects, `bare` and `bare-form`: a bot is sent {"turn":1,"you":"player1","game":SEED}
and answers with the number alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from referee.seam.dialect import DialectKind
from referee.seam.faults import Fault, Malformed, Termination
from referee.seam.game import LEFT, Outcome, Request, Setup, Standing, ranks
from referee.seam.rules import Rules
from referee.seam.seats import seat_id


class GameInfo(Struct, frozen=True, tag="game-info"):
    turns: int


class NumberRequest(Struct, frozen=True, tag="number-request"):
    turn: int


class NumberReply(Struct, frozen=True, tag="number-reply"):
    number: Any = UNSET


class NumbersNamed(Struct, frozen=True, tag="numbers-named"):
    turn: int
    numbers: dict[str, int]


class Options(Struct, frozen=True):
    turns: int = 3


class Facts(Struct, frozen=True):
    best: int


class Toy:
    def __init__(self, setup: Setup) -> None:
        self.outcome: Outcome | None = None
        self.requests: tuple[Request, ...] = ()
        self._turns = setup.options.turns
        self._turn = 0
        self._left = set(setup.absent)
        self._scores = [0] * len(setup.names)
        self._best = [0] * len(setup.names)
        self._events: list[Struct] = [GameInfo(self._turns)]
        self._go_on()

    def _go_on(self) -> None:
        here = [seat for seat in range(len(self._scores)) if seat not in self._left]
        self.requests = ()
        if len(here) < 2:
            reason = Termination.LAST_PLAYER_STANDING if here else Termination.NO_PLAYERS
            self._end(reason)
        elif self._turn == self._turns:
            self._end("all-named")
        else:
            self._turn += 1
            self.requests = tuple(Request(seat, NumberRequest(self._turn)) for seat in here)

    def _end(self, reason: str) -> None:
        scores = enumerate(self._scores)
        self.outcome = Outcome(reason, ranks([(s in self._left, -score) for s, score in scores]))

    def advance(self, replies: Mapping[int, object]) -> None:
        assert set(replies) == {request.seat for request in self.requests}
        numbers = {}
        for seat in sorted(replies):
            reply = replies[seat]
            if reply is LEFT:
                self._left.add(seat)
            elif isinstance(reply, NumberReply) and type(reply.number) is int:
                numbers[seat_id(seat)] = reply.number
                self._scores[seat] += reply.number
                self._best[seat] = max(self._best[seat], reply.number)
            else:
                code = reply.code if isinstance(reply, Malformed) else "no-number"
                self._events.append(Fault(seat, code, "5", "that is no number"))
        self._events.append(NumbersNamed(self._turn, numbers))
        self._go_on()

    def take_events(self) -> list[Struct]:
        events, self._events = self._events, []
        return events

    def standings(self) -> Sequence[Standing]:
        return [
            Standing(score, self._turn, Facts(best))
            for score, best in zip(self._scores, self._best, strict=True)
        ]


class Bare:
    def __init__(self, seat: int, seed: int, name: str) -> None:
        self._seat = seat
        self._seed = seed
        self._name = name

    def request(self, lines: Sequence[bytes]) -> bytes | None:
        asked = json.loads(lines[-1])
        if asked["type"] != "number-request":
            return None
        you = seat_id(self._seat)
        return msgspec.json.encode({"turn": asked["turn"], "you": you, "game": self._seed})

    def answer_for(self, request: bytes) -> bytes:
        number = json.loads(request)["player_number"]
        reply = {"type": "player-name-reply", "player_number": number, "name": self._name}
        return msgspec.json.encode(reply)

    def reply(self, data: bytes) -> bytes:
        try:
            return msgspec.json.encode(NumberReply(msgspec.json.decode(data, type=int)))
        except msgspec.MsgspecError:
            return b"[%b]" % data if data.startswith(b"{") else data


RULES = Rules(
    name="toy",
    protocol=1,
    specification="none",
    min_seats=2,
    max_seats=4,
    options=Options,
    facts=Facts,
    new=Toy,
    public=(GameInfo, NumbersNamed),
    requests=(NumberRequest,),
    replies=(NumberReply,),
    faults={"no-number": "5", "invalid-json": "5", "wrong-type": "5"},
    reasons=("all-named",),
    dialects={
        "bare": lambda: DialectKind(Bare),
        "bare-form": lambda: DialectKind(Bare, form_field="data"),
    },
)
