"""Matches between random players in any game, for the tests that run over all games."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from functools import reduce
from operator import or_
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec import Struct, inspect

from referee.games import GAMES
from referee.games.interface.faults import Disqualification, InvalidReply
from referee.match.decode import decode_reply, reply_decoder
from referee.match.machine import Entry, Match, Received, Sent
from referee.match.spec import match_spec
from tests.support.helpers import NAMES, ROOT, TIMES, name_line, to_line
from tests.support.legal import Legal

# The game in `tests/games/toy_cards/`, which `tests/games/conftest.py` loads the way users do.
TOY = "toy_cards"
TOY_FOLDER = ROOT / "tests" / "games" / TOY
every_game = pytest.mark.parametrize("name", [*GAMES, TOY])
# A function that gets a seat and its request, and returns the reply as a line.
Reply = Callable[[int, Struct], bytes]


class Course:
    """A match between random players.

    Args:
        name: the name of the game.
        seed: determines the number of seats, the options and all choices.
        wrong: probability that a reply has a mistake.
        leaving: probability that a seat leaves instead of replying.
        absent: seats that fail the handshake.
        options: values for options of the game. The other options are chosen at random.
    """

    def __init__(
        self,
        name: str,
        seed: int,
        *,
        wrong: float = 0.0,
        leaving: float = 0.0,
        absent: Collection[int] = (),
        **options: Any,
    ) -> None:
        self.definition = definition = GAMES[name]
        self._dice = Random(seed)
        self._wrong, self._leaving, self._absent = wrong, leaving, absent
        self.seats = self._dice.randint(definition.min_seats, min(definition.max_seats, len(NAMES)))
        self.names = NAMES[: self.seats]
        there = definition.options.__struct_fields__
        given = {word: options[word] for word in options if word in there}
        self.options = random_options(definition.options, self._dice) | given
        self.spec = match_spec(self.names, game=name, seed=seed, options=self.options)
        self.match: Match = self.spec.new_match()
        self._legal = Legal(self.spec, seed)
        self._decoder = reply_decoder(definition.replies)

    def play(self, reply: Reply | None = None) -> Iterator[list[Entry]]:
        match, dice = self.match, self._dice
        match.start()
        for seat in match.due:
            if seat in self._absent:
                match.disqualify(seat, Disqualification.EXITED, "gone")
            else:
                match.receive(seat, name_line(seat))
        while True:
            entries = match.take_entries()
            yield entries
            asked = {e.to: e for e in entries if isinstance(e, Sent) and e.to is not None}
            for seat in match.due:
                if dice.random() < self._leaving:
                    match.disqualify(seat, Disqualification.TIMEOUT, "slow")
                elif reply is None:
                    line = self._legal.reply(match, seat)
                    if dice.random() < self._wrong:
                        line = spoilt(dice, line, msgspec.to_builtins(match.view(seat)))
                    match.receive(seat, line)
                else:
                    match.receive(seat, reply(seat, self.read(asked[seat])))
            if not match.due and not entries:
                return

    def read(self, sent: Sent) -> Struct:
        own: Any = reduce(or_, (*self.definition.public, *self.definition.requests))
        message: Struct = msgspec.json.decode(sent.line, type=own)
        return message

    def sent_to(self, seat: int, entries: list[Entry]) -> Iterator[Struct]:
        own = (*self.definition.public, *self.definition.requests)
        for entry in entries:
            if isinstance(entry, Sent) and entry.to in (None, seat):
                if isinstance(entry.message, own):
                    yield self.read(entry)
            elif isinstance(entry, Received) and entry.seat == seat:
                reply: Any = decode_reply(entry.line, self._decoder)
                if not isinstance(reply, InvalidReply):
                    yield reply


def random_options(options: type[Struct], dice: Random) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    info: Any = inspect.type_info(options)
    for field in info.fields:
        kind = field.type
        if isinstance(kind, inspect.IntType) and kind.ge is not None:
            least = kind.ge
            if field.name == "max_turns":
                # Long matches take long and rarely show more, so we only play them on request.
                chosen[field.name] = dice.choice([1, 4, 9] if TIMES == 1 else [1, 9, 30])
            elif dice.random() < 0.5:
                chosen[field.name] = dice.randint(least, least + 5)
        elif isinstance(kind, inspect.LiteralType):
            chosen[field.name] = dice.choice(kind.values)
    return chosen


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (container, key) for every value in a JSON value, however deeply nested."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def spoilt(dice: Random, line: bytes, view: Any) -> bytes:
    """Put a mistake into a reply.

    Most results still look like a reply, with values that the seat could have seen. Pure
    garbage would only test the decoder.
    """
    if dice.random() < 0.1:
        return dice.choice([b"?", b"null", b"{}", b"[" * 200])
    reply = json.loads(line)
    inside, key = dice.choice([*places(reply)])
    if dice.random() < 0.2:
        del inside[key]
    else:
        seen = [there[name] for there, name in places(view)]
        odd = [None, True, -1, 10**9, "", [], {}]
        same = [value for value in seen if type(value) is type(inside[key])]
        inside[key] = dice.choice(dice.choice([part for part in (odd, seen, same, same) if part]))
    return to_line(reply)
