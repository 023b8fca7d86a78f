"""Run matches in the test process: parse messages, set up a position, use functions as bots."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from referee.games.dominion import RULES, Dominion
from referee.games.dominion.rules.game import Options
from referee.games.dominion.rules.situation import Situation
from referee.games.dominion.rules.table import Table
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Fault
from referee.games.interface.game import Game, GameSetup, Request
from referee.games.interface.random_source import SeededRandomSource
from referee.games.interface.seats import seat_id
from referee.match.decode import decode_reply, reply_decoder
from referee.match.machine import Disqualified, Entry, Match, Sent

ROOT = Path(__file__).parents[2]
# Multiplies the number of random trials.
TIMES = int(os.environ.get("REFEREE_TEST_TIMES", "1"))
Say = Callable[..., tuple[int, str, str]]
"""The fixture `say`: runs a command, and returns its exit code, stdout and stderr."""
NAMES = ("Ann", "Ben", "Cid", "Dee")
DEFAULT_SEAT = {
    "hand": ["copper"] * 5,
    "deck": ["copper", "copper", "estate", "estate", "estate"],
}
PILES = [
    *("curse", "copper", "silver", "gold", "estate", "duchy", "province"),
    *("cellar", "market", "militia", "mine", "moat"),
    *("remodel", "smithy", "village", "woodcutter", "workshop"),
]
KINGDOM = PILES[7:]
COST = dict(zip(PILES, [0, 0, 3, 6, 2, 5, 8, 2, 5, 4, 5, 2, 4, 4, 3, 3, 3], strict=True))
WORTH = {"copper": 1, "silver": 2, "gold": 3}
POINTS = {"curse": -1, "estate": 1, "duchy": 3, "province": 6}
# The piles whose size depends on the number of players (protocol-v1, 4.2).
SUPPLY = {
    2: {"curse": 10, "copper": 46, "estate": 8, "duchy": 8, "province": 8},
    3: {"curse": 20, "copper": 39, "estate": 12, "duchy": 12, "province": 12},
    4: {"curse": 30, "copper": 32, "estate": 12, "duchy": 12, "province": 12},
}

_decoder = reply_decoder(RULES.replies)


def cautious(message: Mapping[str, Any]) -> Mapping[str, object] | None:
    """A bot that ends each turn immediately. It doesn't answer the handshake."""
    match message["type"]:
        case "play-turn":
            return {"type": "play-reply", "phase": "cleanup"}
        case "attack-request":
            return {"type": "attack-reply", "discard": message["options"][: message["discard"]]}
    return None


# --- Chance ---------------------------------------------------------------------------------------


def stream(seed: int, owner: str) -> Random:
    """Seed a random stream in the way that 4.7 describes for other languages."""
    text = f"{seed}/{owner}".encode()
    return Random(int.from_bytes(text + hashlib.sha512(text).digest(), "big"))


def chi_square(seen: Counter[object], expected: dict[object, float]) -> float:
    """Return the chi-square statistic of counts. Any key that isn't expected is an error."""
    assert set(seen) <= set(expected)
    return sum((seen[key] - count) ** 2 / count for key, count in expected.items())


# --- Lines ----------------------------------------------------------------------------------------


def to_line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def newer_form(value: Any) -> Any:
    """Add unknown fields to all objects of a message. Inside they have the names of the known."""
    if isinstance(value, list):
        return [newer_form(each) for each in value]
    if not isinstance(value, dict):
        return value
    details = [{name: type(known)() for name, known in value.items()} | {"type": "x"}]
    known = {name: newer_form(each) for name, each in value.items()}
    return {"details": details, "text": json.dumps(details), **known, "more": details[0]}


def from_struct(message: msgspec.Struct) -> Any:
    """Encode a message and decode it again, to get the plain JSON values that its receiver sees."""
    return json.loads(msgspec.json.encode(message))


def decoded(line: bytes) -> Any:
    return decode_reply(line, _decoder)


def name_line(seat: int, name: Any = None, **changes: Any) -> bytes:
    """Return a handshake reply with these fields. The value `...` leaves a field out."""
    reply = {
        "type": "player-name-reply",
        "player_number": seat_id(seat),
        "name": NAMES[seat] if name is None else name,
        "version": 1,
        **changes,
    }
    return to_line({field: value for field, value in reply.items() if value is not ...})


def full_supply(players: int) -> dict[str, int]:
    return dict.fromkeys(PILES, 10) | {"silver": 40, "gold": 30} | SUPPLY[players]


def seat_of(number: str) -> int:
    return int(number.removeprefix("player")) - 1


# --- Entries of a match ---------------------------------------------------------------------------


class Announced:
    """Sorts the entries of a match by kind.

    Attributes:
        public: messages to everybody.
        requests: player number and message of each request.
        faults: the faults.
        left: the disqualifications.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.public: list[dict[str, Any]] = []
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.faults: list[Fault] = []
        self.left: list[Disqualified] = []
        for entry in entries:
            if isinstance(entry, Sent):
                assert entry.line.endswith(b"\n")
                assert entry.line.count(b"\n") == 1
                message = json.loads(entry.line)
                if entry.to is None:
                    self.public.append(message)
                else:
                    self.requests.append((seat_id(entry.to), message))
            elif isinstance(entry, Fault):
                self.faults.append(entry)
            elif isinstance(entry, Disqualified):
                self.left.append(entry)

    def codes(self) -> list[tuple[int, str, str]]:
        return [(fault.seat, fault.code, fault.section) for fault in self.faults]


def shake_hands(match: Match) -> Announced:
    match.start()
    match.take_entries()
    for seat in match.due:
        match.receive(seat, name_line(seat))
    return Announced(match.take_entries())


def new_setup(
    players: int = 2, *, seed: int = 1, max_turns: int = 9, absent: Iterable[int] = ()
) -> GameSetup:
    return GameSetup(
        chance=SeededRandomSource(seed),
        names=NAMES[:players],
        options=Options(max_turns),
        absent=frozenset(absent),
    )


def new_match(
    seats: int = 2, *, seed: int = 1, definition: GameDefinition = RULES, **options: Any
) -> Match:
    return Match(definition, seats=seats, seed=seed, options=Options(**options))


def begun(seats: int = 2, *, seed: int = 1, **options: Any) -> Match:
    # `shake_hands` takes the entries so far, so callers only see what comes after the handshakes.
    match = new_match(seats, seed=seed, **options)
    shake_hands(match)
    return match


def play_out(match: Match, decide: Callable[[str, dict[str, Any]], bytes]) -> list[Entry]:
    """Play a new match from start to end.

    Args:
        decide: gets a player number and a request, and returns the reply as a line. Handshakes
            don't call it.

    Returns:
        All entries of the match.
    """
    match.start()
    entries: list[Entry] = []
    asked: dict[int, bytes] = {}
    while match.due:
        new = match.take_entries()
        entries += new
        for entry in new:
            if isinstance(entry, Sent) and entry.to is not None:
                asked[entry.to] = entry.line
        seat = match.due[0]
        request = json.loads(asked.pop(seat))
        if request["type"] == "player-name-request":
            match.receive(seat, name_line(seat))
        else:
            match.receive(seat, decide(seat_id(seat), request))
    return entries + match.take_entries()


# --- Imposed states -------------------------------------------------------------------------------


class Imposed:
    """A game of Dominion that starts in a given state (see scenarios/README.md).

    Attributes:
        definition: the game definition to use for a match.
        game: the game that is being played, or was played last.
    """

    def __init__(self, setup: Mapping[str, Any]) -> None:
        self._setup = setup
        self.definition: GameDefinition = msgspec.structs.replace(RULES, new=self._new)
        self.game: Dominion

    def _new(self, setup: GameSetup) -> Dominion:
        if not self._setup.get("dealt"):
            chance = Arranged(self._setup.get("streams", {}))
            setup = msgspec.structs.replace(setup, chance=chance)
        self.game = Dominion(setup, Layout(scenario=dict(self._setup)))
        return self.game


class Layout(Situation, frozen=True):
    """Lays out the table as described by the `setup` of a scenario."""

    scenario: dict[str, Any] = msgspec.field(default_factory=dict)

    def lay_out(self, table: Table) -> None:
        supply = self.scenario.get("supply", {})
        assert supply.keys() <= table.supply.counts.keys()
        table.supply.set(supply)
        if self.scenario.get("dealt"):
            return
        seats = self.scenario.get("seats", {})
        for player in table.players:
            cards = seats.get(player.number, DEFAULT_SEAT)
            player.hand = list(cards.get("hand", ()))
            player.deck = list(reversed(cards.get("deck", ())))
            player.discard_pile = list(cards.get("discard_pile", ()))
            player.turns = cards.get("turns", 0)

    def publish(self, table: Table) -> None:
        pass


class Arranged:
    """A random source that follows the `streams` of a scenario."""

    def __init__(self, streams: Mapping[str, str]) -> None:
        self._place = {"first": 0, "last": -1}[streams.get("referee", "first")]
        seats = {number: how for number, how in streams.items() if number != "referee"}
        assert set(seats.values()) <= {"keep", "bottom-up"}
        self._bottom_up = {seat_of(number) for number, how in seats.items() if how == "bottom-up"}

    def shuffle(self, stream: str, items: list[str]) -> None:
        if seat_of(stream) in self._bottom_up:
            items.append(items.pop(0))

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        pass

    def take(self, stream: str, items: list[str], count: int, owner: str = "") -> list[str]:
        return [items.pop(self._place) for _ in range(count)]


# --- A game without a match -----------------------------------------------------------------------


def asked(game: Game) -> Request:
    (request,) = game.requests
    return request


def answer(game: Game, reply: object) -> None:
    game.advance({asked(game).seat: reply})
