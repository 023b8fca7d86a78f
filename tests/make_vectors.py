"""Write the complete games of spec/vectors/games anew: python tests/make_vectors.py.

Their format is in spec/vectors/README.md. Between them they have every fault, every reason to leave
and every reason to end.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import msgspec
from helpers import COST, WORTH, to_line
from random_logs import Choose, idle, random_match, trasher
from random_players import doubtful, mixed, nonsense, right

from referee.dominion import player
from referee.dominion.player import Player
from referee.dominion.table import Table
from referee.game import Fault, player_number
from referee.match import Disqualified, Entry, Received, Sent

GAMES = Path(__file__).resolve().parent.parent / "spec" / "vectors" / "games"
Line = dict[str, Any]


def rich(chance: Random, request: Line, supply: Mapping[str, int]) -> bytes:
    """Buys what is dear, up to the last province."""
    if request["type"] == "attack-request" or not request["buys"]:
        return idle(chance, request, supply)
    treasures = [card for card in request["hand"] if card in WORTH]
    money = sum(WORTH[card] for card in treasures)
    for card in ("province", "gold", "silver"):
        if supply[card] and COST[card] <= money:
            reply = {"type": "play-reply", "phase": "buy", "played_treasures": treasures}
            return to_line(reply | {"cards_to_buy": [card]})
    return to_line({"type": "play-reply", "phase": "cleanup"})


MATCHES: list[tuple[int, list[Choose], int]] = [
    (1, [rich, rich], 500),
    (462, [right, right], 9),
    (342, [doubtful, nonsense], 3),
    (311, [mixed, nonsense], 9),
    (297, [right, right], 500),
    (71, [mixed, nonsense], 15),
    (43, [right, mixed], 500),
    (32, [right, mixed], 30),
    (2, [rich, right, rich], 500),
    (11, [right, mixed, idle], 500),
    (70, [doubtful, right, mixed], 9),
    (19, [right, right, mixed], 15),
    (61, [mixed, right, right], 9),
    (101, [right, right, doubtful], 9),
    (125, [nonsense, right, right], 500),
    (3, [rich, rich, trasher, rich], 500),
    (332, [right, doubtful, idle, nonsense], 3),
    (373, [right, mixed, mixed, doubtful], 9),
    (317, [right, right, idle, nonsense], 3),
    (139, [right, right, right, doubtful], 3),
    (145, [nonsense, trasher, nonsense, right], 30),
    (245, [idle, mixed, right, nonsense], 9),
    (209, [right, mixed, mixed, right], 15),
]
"""Seed, players, turns a player. Chosen so that nothing is missing, see tests/test_vectors.py."""


def game(seed: int, choosers: list[Choose], max_turns: int) -> list[Line]:
    """A match as the lines of a file."""
    header = {"entry": "header", "format": "complete-game", "version": 1, "game": "dominion"}
    header |= {"protocol": 1, "players": len(choosers), "seed": seed, "max_turns": max_turns}
    lines: list[Line] = [header]
    with chance_told(lines.append):
        lines.extend(line_of(entry) for entry in random_match(seed, choosers, max_turns))
    del lines[1 : 1 + len(choosers)]  # of a deal that is thrown away: the names are not known yet
    return lines


def line_of(entry: Entry) -> Line:
    """What is written of an entry: as in a record, without times and without words."""
    match entry:
        case Sent():
            to = "all" if entry.to is None else player_number(entry.to)
            return {"entry": "sent", "to": to, "message": msgspec.Raw(entry.line.rstrip())}
        case Received():
            said: Line = {"entry": "received", "player_number": player_number(entry.seat)}
            try:
                return said | {"line": entry.line.decode()}
            except UnicodeDecodeError:
                return said | {"base64": base64.b64encode(entry.line).decode()}
        case Fault():
            return {
                "entry": "fault",
                "player_number": player_number(entry.seat),
                "code": entry.code,
                "section": entry.section,
            }
        case Disqualified():
            number = player_number(entry.seat)
            return {"entry": "disqualified", "player_number": number, "code": entry.code}


@contextmanager
def chance_told(tell: Callable[[Line], None]) -> Iterator[None]:
    """Tell of each shuffle and each random discard in this block."""
    shuffle, take_at_random = player.shuffle, Table.take_at_random

    def told_shuffle(cards: list[str], random: Any) -> None:
        shuffle(cards, random)
        number = random.__self__.number
        tell({"entry": "shuffled", "player_number": number, "deck": cards[::-1]})

    def told_take(self: Table, player: Player, count: int) -> list[str]:
        hand = player.hand
        player.hand = list(range(len(hand)))  # type: ignore[arg-type]
        places: list[Any] = take_at_random(self, player, count)
        player.hand = [hand[place] for place in player.hand]  # type: ignore[call-overload]
        cards = [hand[place] for place in places]
        line: Line = {"entry": "drawn-by-lot", "player_number": player.number, "cards": cards}
        tell(line | {"places": places})
        return cards

    with (
        patch.object(player, "Random", Stream),
        patch.object(player, "shuffle", told_shuffle),
        patch.object(Table, "take_at_random", told_take),
    ):
        yield


class Stream(Random):
    """The random stream of a seat (4.7), which knows whose it is."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.number = seed.partition("/")[2]


def files() -> dict[str, bytes]:
    """File name -> what is in it."""
    return {
        f"{len(players)}-players-seed-{seed}.jsonl": b"".join(
            msgspec.json.encode(line) + b"\n" for line in game(seed, players, max_turns)
        )
        for seed, players, max_turns in MATCHES
    }


if __name__ == "__main__":
    GAMES.mkdir(parents=True, exist_ok=True)
    for name, data in files().items():
        (GAMES / name).write_bytes(data)
