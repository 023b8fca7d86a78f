"""Two players take turns removing one to three sticks. Taking the last stick wins.

This is a whole game in one file, for tests of games from outside. They change some lines to break
it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import UNSET, Struct

from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import EndReason, Fault, InvalidReply
from referee.games.interface.game import LEFT, Outcome, Request, SeatState, ranks
from referee.games.interface.seats import seat_id

__version__ = "1.2"


class GameInfo(Struct, frozen=True, tag="game-info"):
    sticks: int
    game: str = "sticks"


class Taken(Struct, frozen=True, tag="sticks-taken"):
    player_number: str
    sticks: int


class TakeRequest(Struct, frozen=True, tag="take-request"):
    sticks: int


class TakeReply(Struct, frozen=True, tag="take-reply"):
    legal_has: ClassVar[tuple[str, ...]] = ("take",)
    take: Any = UNSET


class Options(Struct, frozen=True):
    sticks: int = 9


class Facts(Struct, frozen=True):
    most: int


class View(Struct, frozen=True):
    sticks: int


class Sticks:
    def __init__(self, setup):
        self.outcome, self.turns, self.most = None, 0, [0, 0]
        self.left, self.sticks = {*setup.absent}, setup.options.sticks
        self.events, self.seat = [GameInfo(self.sticks)], 0
        self._ask()

    def _ask(self):
        self.requests = ()
        if self.left or not self.sticks:
            reason = EndReason.LAST_PLAYER_STANDING if self.left else "all-taken"
            last = 1 - self.seat
            self.outcome = Outcome(reason, ranks([(s in self.left, s != last) for s in (0, 1)]))
            return
        self.turns += 1
        self.requests = (Request(self.seat, TakeRequest(self.sticks)),)

    def advance(self, replies):
        reply = replies[self.seat]
        take = 1
        if reply is LEFT:
            self.left.add(self.seat)
        elif isinstance(reply, InvalidReply):
            self.events.append(Fault(self.seat, reply.code, "5", reply.detail))
        elif reply.take in (1, 2, 3) and reply.take <= self.sticks:
            take = reply.take
        else:
            self.events.append(Fault(self.seat, "bad-take", "5", "that many cannot be taken"))
        self.sticks -= take
        self.most[self.seat] = max(self.most[self.seat], take)
        self.events.append(Taken(seat_id(self.seat), take))
        self.seat = 1 - self.seat
        self._ask()

    def take_events(self):
        events, self.events = self.events, []
        return events

    def view(self, viewer):
        return View(self.sticks)

    def standings(self):
        return [SeatState(int(s != self.seat), self.turns, Facts(self.most[s])) for s in (0, 1)]


GAME = GameDefinition(
    name="sticks",
    specification="sticks",
    options=Options,
    facts=Facts,
    new=Sticks,
    public=(GameInfo, Taken),
    requests=(TakeRequest,),
    replies=(TakeReply,),
    faults={"bad-take": "5", "invalid-json": "5", "wrong-type": "5"},
    reasons={"all-taken": "all sticks were taken"},
)
