"""Plays a random match that sends and receives lines like a real one.

parts.py uses it to check the optional parts of a game, and page.py to get examples of messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import or_
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from referee.errors import GameError
from referee.gamecheck.match import MAX_ROUNDS, Setting
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Disqualification
from referee.match.machine import Entry, Match, Sent
from referee.match.players import Players, name_line


class LinesMatch:
    """A match between players who choose at random. Subclasses can override its steps.

    Attributes:
        names: the players' names, in seat order.
        options: the options of the game.
        match: the referee's side of the match.
        dice: chooses what the players don't choose.
        players: usually a single `Players`, which plays all seats. If there are several, they take
            turns with each round.
    """

    def __init__(
        self, definition: GameDefinition, setting: Setting, *, copies: bool = False
    ) -> None:
        self.definition, self.setting = definition, setting
        self.names = tuple(f"Bot {seat + 1}" for seat in range(setting.seats))
        self.options = definition.options()
        self.match = Match(
            definition, seats=setting.seats, seed=setting.seed, options=self.options, copies=copies
        )
        self.players: Sequence[Players] = []
        self.dice = Random(f"{setting.seed}/parts")
        self._own = (*definition.public, *definition.requests)
        self._decode = msgspec.json.Decoder(reduce(or_, self._own)).decode
        self._asked: dict[int, Struct] = {}

    def call(self, what: str, call: Callable[[], Any]) -> Any:
        """Call the game's code. Override this to handle its exceptions."""
        return call()

    def make_players(self) -> None:
        """Set `players`."""
        self.players = [Players(self.definition, self.names, self.options, self.setting.seed)]

    def play(self) -> None:
        """Play to the end."""
        match = self.match
        self.call("the players", self.make_players)
        match.start()
        for seat in match.due:
            line = name_line(seat, self.names[seat])
            self.call("the start of a match", partial(match.receive, seat, line))
        for number in range(MAX_ROUNDS):
            for entry in self.call("advance", match.take_entries):
                self.receive(entry)
            if not match.due:
                break
            for seat in match.due:
                if not self.leaves(seat):
                    self.reply(number, seat)
        for players in self.players:
            self.call("person.end", players.end)

    def leaves(self, seat: int) -> bool:
        """Let a seat leave at random, and return True if it has left."""
        if self.dice.random() >= self.setting.leaving:
            return False
        self.match.disqualify(seat, Disqualification.TIMEOUT, "slow")
        return True

    def receive(self, entry: Entry) -> None:
        """Let the players read a line, if it's one of the game's messages."""
        if not isinstance(entry, Sent) or not isinstance(entry.message, self._own):
            return
        message = self.read(entry)
        if entry.to is not None:
            self._asked[entry.to] = message
        for seat in range(self.setting.seats) if entry.to is None else (entry.to,):
            self.observe(seat, message)

    def read(self, entry: Sent) -> Struct:
        """Decode a message with the structs of the game.

        Raises:
            GameError: the line can't be decoded with the game's own structs.
        """
        try:
            message: Struct = self._decode(entry.line)
        except msgspec.MsgspecError as error:
            name = type(entry.message).__name__
            raise GameError(f"{name} is not as its own types have it: {error}") from error
        return message

    def observe(self, seat: int, message: Struct) -> None:
        """Pass a message to the players of a seat."""
        for players in self.players:
            self.call("person.observe", partial(players.observe, seat, message))

    def reply(self, number: int, seat: int) -> bytes:
        """Let a seat reply, and return the line. `number` is the number of the round."""
        players = self.players[number % len(self.players)]
        request, view = self._asked[seat], self.match.view(seat)
        assert view is not None  # the game exists by now
        line: bytes = self.call("a legal reply", partial(players.reply, seat, request, view))
        self.call("advance", partial(self.match.receive, seat, line))
        return line
