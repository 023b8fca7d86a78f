"""Make spectator logs of Dominion with random players in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from referee.games import GAMES
from referee.games.dominion.rules.game import Options
from referee.games.interface.faults import Disqualification
from referee.games.interface.random_source import RandomSource
from referee.match.machine import Entry, Match, Sent
from tests.support.helpers import name_line, to_line
from tests.support.random_players import doubtful, mixed, nonsense, right

Choose = Callable[[Random, dict[str, Any], Mapping[str, int]], bytes]


def idle(chance: Random, request: dict[str, Any], supply: Mapping[str, int]) -> bytes:
    """Play no cards. Every now and then, take a copper or a curse, which are free."""
    if request["type"] == "attack-request":
        return to_line(
            {"type": "attack-reply", "discard": request["options"][: request["discard"]]}
        )
    if request["buys"] and chance.random() < 0.2:
        card = chance.choice(["copper", "curse"])
        return to_line({"type": "play-reply", "phase": "buy", "cards_to_buy": [card]})
    return to_line({"type": "play-reply", "phase": "cleanup"})


def trasher(chance: Random, request: dict[str, Any], supply: Mapping[str, int]) -> bytes:
    """Play villages, cellars and remodels, and trash cards even until the hand is empty."""
    if request["type"] == "attack-request" or not request["actions"]:
        return right(chance, request, supply)
    hand = request["hand"]
    for card in ("village", "cellar", "remodel"):
        if card in hand:
            rest = hand.copy()
            rest.remove(card)
            parameters: dict[str, Any] = {
                "cards": chance.sample(rest, chance.randint(0, len(rest)))
            }
            if card == "remodel":
                if not rest:
                    continue
                cheap = [c for c in ("copper", "curse") if supply[c]]
                parameters = {"card_to_trash": chance.choice(rest)}
                parameters |= {"desired_card": cheap[0]} if cheap else {}
            reply = {"type": "play-reply", "phase": "action", "card": card}
            return to_line(reply | {"additional_parameters": parameters})
    if request["buys"]:
        treasures = [card for card in hand if card in ("copper", "silver", "gold")]
        wanted = chance.choice(["remodel", "cellar", "village", "copper", "curse"])
        reply = {"type": "play-reply", "phase": "buy", "played_treasures": treasures}
        return to_line(reply | {"cards_to_buy": [wanted]})
    return to_line({"type": "play-reply", "phase": "cleanup"})


MAX_TURNS = [500, 60, 9, 1]
CHOOSERS: list[Choose] = [right, right, right, mixed, doubtful, nonsense, idle, trasher]


def random_log(seed: int, choosers: list[Choose] | None = None) -> bytes:
    entries = random_match(seed, choosers)
    return b"".join(entry.line for entry in entries if isinstance(entry, Sent) and entry.to is None)


def random_match(
    seed: int,
    choosers: list[Choose] | None = None,
    max_turns: int | None = None,
    luck: RandomSource | None = None,
) -> Iterator[Entry]:
    """Yield the entries of a match. If an argument is None, its value is chosen at random."""
    chance = Random(seed)
    count = chance.choice([2, 2, 3, 4])
    players = choosers or [chance.choice(CHOOSERS) for _ in range(count)]
    leaving = chance.choice([0, 0, 0, 0.003, 0.01])
    drawn = chance.choice(MAX_TURNS)
    match = Match(
        GAMES["dominion"],
        seats=len(players),
        seed=seed,
        options=Options(max_turns or drawn),
        chance=luck,
    )
    for entries in _steps(chance, match, players, leaving):
        yield from entries


def _steps(
    chance: Random, match: Match, players: list[Choose], leaving: float = 0
) -> Iterator[list[Entry]]:
    asked: list[dict[str, Any]] = [{} for _ in players]
    supply: dict[str, int] = {}
    match.start()
    yield match.take_entries()
    while match.due:
        for seat in match.due:
            request = asked[seat]
            handshake = not request
            if chance.random() < (leaving * 10 if handshake else leaving):
                code = "startup-timeout" if handshake else chance.choice(["timeout", "exited"])
                match.disqualify(seat, Disqualification(code), "it is gone")
            elif handshake:
                match.receive(seat, name_line(seat, version=chance.choice([1, 1, 1, 1, ...])))
            else:
                match.receive(seat, players[seat](chance, request, supply))
        entries = match.take_entries()
        for entry in entries:
            if isinstance(entry, Sent):
                message = json.loads(entry.line)
                if entry.to is not None:
                    asked[entry.to] = message
                elif message["type"] == "supply-info":
                    supply = {pile["card"]: pile["count"] for pile in message["cards"]}
        yield entries
