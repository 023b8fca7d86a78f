"""Get the public messages of a match as JSON, and run a game's checkers and readers on them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import reduce
from operator import or_
from random import Random
from typing import Any

import msgspec

from referee.games.interface.capabilities import Finding, LogChecker
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Disqualification
from referee.games.interface.log_player import End, Gone
from referee.games.interface.seats import seat_index
from referee.games.interface.turns import TurnReader
from referee.match.machine import Match
from tests.support.helpers import Announced, name_line

Json = dict[str, Any]


def log_of(
    match: Match, seed: int, choose: Callable[[Random, Json], bytes], leaving: float = 0.0
) -> list[Json]:
    """Play a new match to its end, and return the public messages.

    Args:
        seed: seed of the dice that `choose` gets.
        choose: returns the reply to a request.
        leaving: probability of a timeout.
    """
    dice = Random(seed)
    match.start()
    match.take_entries()
    for seat in match.due:
        match.receive(seat, name_line(seat))
    public: list[Json] = []
    while True:
        told = Announced(match.take_entries())
        public += told.public
        if not match.due:
            return public
        if dice.random() < leaving:
            match.disqualify(match.due[0], Disqualification.TIMEOUT, "slow")
        else:
            match.receive(match.due[0], choose(dice, told.requests[0][1]))


class PublicLog:
    """Runs checkers and readers on logs of a game.

    Attributes:
        types: names of the game's own message types.
    """

    def __init__(self, definition: GameDefinition) -> None:
        self.types = {struct.__struct_config__.tag for struct in definition.public}
        self._decode = msgspec.json.Decoder(reduce(or_, definition.public)).decode

    def read(self, message: Json) -> Any:
        """Decode one of the game's messages. Raises ValidationError if it has the wrong form."""
        return self._decode(json.dumps(message))

    def findings(self, checker: LogChecker, log: list[Json]) -> list[Finding]:
        found: list[Finding] = []
        for line, message in enumerate(log, 1):
            if message["type"] == "game-end":
                end = End(message["scores"], message["winners"], message["reason"])
                found += checker.read(line, end)
            elif message["type"] == "player-disqualified":
                seat = seat_index(message["player_number"])
                found += checker.read(line, Gone(seat, message["reason"]))
            elif message["type"] in self.types:
                found += checker.read(line, self.read(message))
        return found

    def turns(self, reader: TurnReader[Any], log: list[Json]) -> list[Any]:
        own = [self.read(message) for message in log if message["type"] in self.types]
        return [*(turn for message in own for turn in reader.read(message, None)), *reader.end()]
