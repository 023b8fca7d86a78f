"""Write the complete games in spec/vectors/games: python -m tools.generators.make_vectors.

Their format is in spec/vectors/README.md. Together they contain every fault, every reason to leave
and every reason to end.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from referee.games.interface.faults import Fault
from referee.games.interface.random_source import SeededRandomSource
from referee.games.interface.seats import seat_id
from referee.match.machine import Disqualified, Entry, Received, Sent
from tests.support.helpers import COST, WORTH, to_line
from tests.support.random_logs import Choose, idle, random_match, trasher
from tests.support.random_players import doubtful, mixed, nonsense, right

GAMES = Path(__file__).resolve().parents[2] / "spec" / "vectors" / "games"
Line = dict[str, Any]


def rich(chance: Random, request: Line, supply: Mapping[str, int]) -> bytes:
    """Buy a province, gold or silver: the most expensive one that the hand pays for."""
    if request["type"] == "attack-request" or not request["buys"]:
        return idle(chance, request, supply)
    treasures = [card for card in request["hand"] if card in WORTH]
    money = sum(WORTH[card] for card in treasures)
    for card in ("province", "gold", "silver"):
        if supply[card] and COST[card] <= money:
            reply = {"type": "play-reply", "phase": "buy", "played_treasures": treasures}
            return to_line(reply | {"cards_to_buy": [card]})
    return to_line({"type": "play-reply", "phase": "cleanup"})


# Seed, players and turns per player. tests/test_vectors.py checks that together these matches
# contain everything.
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


def game(seed: int, choosers: list[Choose], max_turns: int) -> list[Line]:
    """Play a match, and return it as the lines of a file."""
    header = {"entry": "header", "format": "complete-game", "version": 1, "game": "dominion"}
    header |= {"protocol": 1, "players": len(choosers), "seed": seed, "max_turns": max_turns}
    lines: list[Line] = [header]
    played = random_match(seed, choosers, max_turns, PrintingRandomSource(seed, lines.append))
    lines.extend(line_of(entry) for entry in played)
    return lines


def line_of(entry: Entry) -> Line:
    """Convert an entry to a line like in a record, but without times and details."""
    match entry:
        case Sent():
            to = "all" if entry.to is None else seat_id(entry.to)
            return {"entry": "sent", "to": to, "message": msgspec.Raw(entry.line.rstrip())}
        case Received():
            said: Line = {"entry": "received", "player_number": seat_id(entry.seat)}
            try:
                return said | {"line": entry.line.decode()}
            except UnicodeDecodeError:
                return said | {"base64": base64.b64encode(entry.line).decode()}
        case Fault():
            return {
                "entry": "fault",
                "player_number": seat_id(entry.seat),
                "code": entry.code,
                "section": entry.section,
            }
        case Disqualified():
            number = seat_id(entry.seat)
            return {"entry": "disqualified", "player_number": number, "code": entry.code}


class PrintingRandomSource(SeededRandomSource):
    """A seeded random source that records each shuffle and each random discard."""

    def __init__(self, seed: int, tell: Callable[[Line], None]) -> None:
        super().__init__(seed)
        self._tell = tell

    def shuffle(self, stream: str, items: list[str]) -> None:
        super().shuffle(stream, items)
        self._tell({"entry": "shuffled", "player_number": stream, "deck": items[::-1]})

    def take(self, stream: str, items: list[str], count: int, owner: str = "") -> list[str]:
        left = [str(place) for place in range(len(items))]
        places = [int(place) for place in super().take(stream, left, count)]
        taken = [items[place] for place in places]
        items[:] = [items[int(place)] for place in left]
        line: Line = {"entry": "drawn-by-lot", "player_number": owner}
        self._tell(line | {"cards": taken, "places": places})
        return taken


def files() -> dict[str, bytes]:
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
