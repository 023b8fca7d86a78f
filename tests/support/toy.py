"""A toy game for tests. In each turn all players name a number, and the highest sum wins.

It uses every feature that the referee has for games: simultaneous moves, a shared deck from which a
card is turned each turn, a fault, options, facts, a view, a drawing, a log checker, turns,
statistics, conformance cases, and bots given as files. It has three dialects. In `bare` and
`bare-form` a bot receives {"turn":1,"you":"player1","game":SEED} and replies with only the number.
In `spoken`, requests, news, replies and the end take several lines each.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, Struct, field

from referee.games.interface import turns
from referee.games.interface.capabilities import (
    Finding,
    Phrase,
    Picture,
    SeatFacts,
    StatisticsTable,
    Summary,
)
from referee.games.interface.definition import GameDefinition
from referee.games.interface.dialect import DialectKind
from referee.games.interface.dialogue import Choice, Decision, Question
from referee.games.interface.faults import EndReason, Fault, InvalidReply
from referee.games.interface.game import (
    ALL,
    LEFT,
    GameSetup,
    Outcome,
    Request,
    SeatState,
    Viewer,
    ranks,
)
from referee.games.interface.log_player import End
from referee.games.interface.page import PageDefinition, Series
from referee.games.interface.seats import seat_id, seat_index
from referee.games.interface.table import Moved


class GameInfo(Struct, frozen=True, tag="game-info"):
    turns: int
    game: str = "toy"


class NumberRequest(Struct, frozen=True, tag="number-request"):
    turn: int


class NumberReply(Struct, frozen=True, tag="number-reply"):
    legal_has: ClassVar[tuple[str, ...]] = ("number",)

    number: Any = UNSET


class NumbersNamed(Struct, frozen=True, tag="numbers-named"):
    turn: int
    numbers: dict[str, int]


class CardTurned(Struct, frozen=True, tag="card-turned"):
    card: int


class Options(Struct, frozen=True):
    turns: int = 3
    cards: int = 0
    clock: str = ""


class Facts(Struct, frozen=True):
    best: int


class ToyView(Struct, frozen=True):
    turn: int
    scores: list[int]
    turned: list[int]
    deck: list[int]


class Toy:
    def __init__(self, setup: GameSetup) -> None:
        self.outcome: Outcome | None = None
        self.requests: tuple[Request, ...] = ()
        self._turns = setup.options.turns
        self._clock = setup.options.clock
        self._turned: list[int] = []
        self._deck = list(range(setup.options.cards))
        setup.chance.shuffle("deck", self._deck)
        self._turn = 0
        self._left = set(setup.absent)
        self._scores = [0] * len(setup.names)
        self._best = [0] * len(setup.names)
        self._events: list[Struct] = [GameInfo(self._turns)]
        self._run_to_requests()

    def _run_to_requests(self) -> None:
        here = [seat for seat in range(len(self._scores)) if seat not in self._left]
        self.requests = ()
        if len(here) < 2:
            reason = EndReason.LAST_PLAYER_STANDING if here else EndReason.NO_PLAYERS
            self._end(reason)
        elif self._turn == self._turns:
            self._end("all-named")
        else:
            self._turn += 1
            if self._deck:
                self._turned.append(self._deck.pop())
                self._events.append(CardTurned(self._turned[-1]))
            asked = NumberRequest(self._turn)
            self.requests = tuple(Request(seat, asked, self._clock) for seat in here)

    def _end(self, reason: str) -> None:
        scores = enumerate(self._scores)
        self.outcome = Outcome(reason, ranks([(s in self._left, -score) for s, score in scores]))

    @property
    def turns(self) -> int:
        return self._turn * len(self._scores)  # all players are in the same turn

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
                code = reply.code if isinstance(reply, InvalidReply) else "no-number"
                self._events.append(Fault(seat, code, "5", "that is no number"))
        self._events.append(NumbersNamed(self._turn, numbers))
        self._run_to_requests()

    def take_events(self) -> list[Struct]:
        events, self._events = self._events, []
        return events

    def view(self, viewer: Viewer) -> ToyView:
        deck = self._deck.copy() if viewer is ALL else []
        return ToyView(self._turn, self._scores.copy(), self._turned.copy(), deck)

    def standings(self) -> Sequence[SeatState]:
        return [
            SeatState(score, self._turn, Facts(best))
            for score, best in zip(self._scores, self._best, strict=True)
        ]


class Bare:
    def __init__(self, seat: int, seed: int, name: str) -> None:
        self._seat = seat
        self._seed = seed
        self._name = name
        self._asked: dict[str, Any] = {}

    def send(self, line: bytes) -> bytes:
        self._asked = asked = json.loads(line)
        if asked["type"] != "number-request":
            return b""
        you = seat_id(self._seat)
        sent = {"turn": asked["turn"], "you": you, "game": self._seed}
        return msgspec.json.encode(sent) + b"\n"

    def answer(self) -> bytes | None:
        if self._asked["type"] != "player-name-request":
            return None
        number = self._asked["player_number"]
        reply = {"type": "player-name-reply", "player_number": number, "name": self._name}
        return msgspec.json.encode(reply)

    def reply(self, data: bytes) -> bytes:
        try:
            return msgspec.json.encode(NumberReply(msgspec.json.decode(data, type=int)))
        except msgspec.MsgspecError:
            return b"[%b]" % data if data.startswith(b"{") else data


class Spoken:
    def __init__(self, seat: int, seed: int, name: str) -> None:
        self._seat = seat
        self._name = name

    def send(self, line: bytes) -> bytes:
        message = json.loads(line)
        match message["type"]:
            case "player-name-request":
                return b"who are\nyou?\n"
            case "number-request":
                return b"turn\n%d\nyour number?\n" % message["turn"]
            case "numbers-named":
                numbers = "\n".join(f"{who} {what}" for who, what in message["numbers"].items())
                return f"named\n{numbers}\n.\n".encode()
            case "game-end":
                return f"the end\n{' '.join(message['winners'])}\n.\n".encode()
        return b""

    def answer(self) -> bytes | None:
        return None

    def reply(self, data: bytes) -> bytes:
        kind, _, text = data.strip().decode().partition("\n")
        if kind == "I am":
            number = seat_id(self._seat)
            reply = {"type": "player-name-reply", "player_number": number, "name": text}
        elif kind == "I say" and text.isdecimal():
            reply = {"type": "number-reply", "number": int(text)}
        else:
            return data
        return msgspec.json.encode(reply)


class Checker:
    def __init__(self, names: Sequence[str]) -> None:
        self._scores = [0] * len(names)

    def read(self, line: int, message: Struct) -> list[Finding]:
        if isinstance(message, NumbersNamed):
            for player, number in message.numbers.items():
                self._scores[seat_index(player)] += number
        if isinstance(message, End) and list(message.scores) != self._scores:
            return [Finding(line, "4.1", f"scores {self._scores}", str(list(message.scores)))]
        return []


class Turn(turns.Turn, kw_only=True):
    numbers: dict[str, int] = field(default_factory=dict)


class Turns(turns.TurnReader[Turn]):
    turn_type = Turn

    def read(self, message: Struct, to: int | None) -> list[Turn]:
        if not isinstance(message, NumbersNamed):
            return []
        self.now.turn, self.now.numbers = message.turn, message.numbers
        return [self.close()]

    def seats(self, turn: Turn) -> tuple[int, ...]:
        return tuple(map(seat_index, turn.numbers))

    def words(self, turn: Turn) -> list[Phrase | Picture]:
        return [Phrase("named", ", ".join(map(str, turn.numbers.values())))]

    def summary(self, turns: Sequence[Turn]) -> Summary:
        players = [seat_id(seat) for seat in range(len(self._names))]
        rows = [[str(t.turn), *(str(t.numbers.get(p, "-")) for p in players)] for t in turns]
        return Summary(["turn", *self._names], rows)


class Teller:
    def __init__(self, names: Sequence[str], seat: int) -> None:
        self._names = names

    def observe(self, message: Struct) -> list[str]:
        if not isinstance(message, NumbersNamed):
            return []
        numbers = {self._names[seat_index(p)]: number for p, number in message.numbers.items()}
        return [", ".join(f"{name} named {number}" for name, number in numbers.items())]

    def end(self) -> list[str]:
        return ["No more numbers."]

    def decide(self, request: Struct) -> Decision:
        choices = [Choice(str(number)) for number in (1, 2, 3)]
        picks = yield Question("Which number?", choices)
        return {"type": "number-reply", "number": picks[0] + 1}


class Spectator:
    def __init__(self, seats: int) -> None:
        self._turns = 0
        self._view = ToyView(0, [0] * seats, [], [])

    def observe(self, message: Struct) -> bool:
        view = self._view
        if isinstance(message, GameInfo):
            self._turns = message.turns
            self._view = msgspec.structs.replace(view, turn=1)
        elif isinstance(message, NumbersNamed):
            named = [message.numbers.get(seat_id(seat), 0) for seat in range(len(view.scores))]
            scores = [sum(pair) for pair in zip(view.scores, named, strict=True)]
            turn = min(message.turn + 1, self._turns)
            self._view = msgspec.structs.replace(view, turn=turn, scores=scores)
        elif isinstance(message, CardTurned):
            self._view = msgspec.structs.replace(view, turned=[*view.turned, message.card])
        return True

    def view(self) -> ToyView:
        return self._view

    def take_moved(self) -> Sequence[Moved]:
        raise NotImplementedError  # `PAGE` has no `now`, so the page never calls this


PAGE = PageDefinition(
    folder=Path(__file__).with_name("toy_page"),
    series=(Series("numbers", "", lambda view: view.scores),),
    facts=lambda options: {"turns": options.turns},
    spectator=Spectator,
)


class Statistics:
    def of_match(self, game: Toy) -> list[bytes]:
        return [msgspec.json.encode(standing.facts) for standing in game.standings()]

    def tables(self, seats: Iterable[SeatFacts]) -> list[StatisticsTable]:
        best: dict[str, list[int]] = defaultdict(list)
        for seat in seats:
            best[seat.bot].append(msgspec.json.decode(seat.facts, type=Facts).best)
        rows = [[bot, len(best[bot]), max(best[bot])] for bot in sorted(best)]
        return [StatisticsTable("Largest numbers", ["bot", "matches", "best"], rows)]


CASES = {
    "format": "conformance-cases",
    "version": 1,
    "game": "toy",
    "options": {"turns": 2},
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
            "requirement": "The number is one.",
            "seat": "player2",
            "others": {"player1": [{"type": "number-reply", "number": 1}] * 2},
        },
    ],
}

GAME = RULES = GameDefinition(
    name="toy",
    protocol=1,
    specification="toy",
    min_seats=2,
    max_seats=6,
    options=Options,
    limits={"time_limit": 5.0},
    facts=Facts,
    new=Toy,
    public=(GameInfo, NumbersNamed, CardTurned),
    requests=(NumberRequest,),
    replies=(NumberReply,),
    faults={"no-number": "5", "invalid-json": "5", "wrong-type": "5"},
    reasons={"all-named": "all were named"},
    dialects={
        "bare": DialectKind(Bare, over_http=True),
        "bare-form": DialectKind(Bare, over_http=True, form_field="data"),
        "spoken": DialectKind(Spoken, reply_end=b"over\n"),
    },
    checker=Checker,
    turns=Turns,
    turn=Turn,
    person=Teller,
    statistics=Statistics,
    page=PAGE,
    cases=lambda: json.dumps(CASES).encode(),
)
