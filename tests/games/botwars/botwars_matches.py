"""Play Bot Wars matches inside the test process, with functions as bots."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from referee.games.botwars import RULES
from referee.games.interface.game import GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.match.machine import Entry, Match, Sent
from tests.games.botwars.naive_turn import beside
from tests.support.helpers import name_line, to_line

Json = dict[str, Any]
Decide = Callable[[str, Json], bytes]
"""Called with the side's colour and the current state; returns the bot's reply line."""


def new_match(seed: int = 1, **options: Any) -> Match:
    return Match(RULES, seats=2, seed=seed, options=RULES.options(**options))


def new_setup(seed: int = 1, **options: Any) -> GameSetup:
    return GameSetup(
        chance=SeededRandomSource(seed), names=("Ann", "Ben"), options=RULES.options(**options)
    )


def play_out(match: Match, decide: Decide, *, backwards: bool = False) -> list[Entry]:
    """Play a new match to its end and return its entries.

    Args:
        backwards: in every round, deliver seat 2's reply before seat 1's.
    """
    match.start()
    entries = match.take_entries()
    for seat in match.due:
        match.receive(seat, name_line(seat))
    while match.due:
        new = match.take_entries()
        entries += new
        asked = {e.to: json.loads(e.line) for e in new if isinstance(e, Sent) and e.to is not None}
        lines = {seat: decide(asked[seat]["player"], asked[seat]["state"]) for seat in match.due}
        first, second = reversed(match.due) if backwards else match.due
        match.receive(first, lines[first])
        entries += match.take_entries()
        match.receive(second, lines[second])
    return entries + match.take_entries()


def reply(moves: list[Json]) -> bytes:
    return to_line({"type": "move-reply", "moves": moves})


def wandering(random: Random) -> Decide:
    """Move every botlet to a random neighbouring cell."""

    def decide(colour: str, state: Json) -> bytes:
        return reply(
            [
                {"from": cell, "to": random.choice(list(beside(state, cell)))}
                for cell, what in enumerate(state["grid"])
                if what == colour
            ]
        )

    return decide


def wild(random: Random) -> Decide:
    """Mix legal moves with illegal ones: cells off the grid, two-cell steps, even a half."""

    def decide(colour: str, state: Json) -> bytes:
        cells = range(-2, len(state["grid"]) + 2)
        own = [cell for cell, what in enumerate(state["grid"]) if what == colour] or [0]
        moves = []
        for _ in range(random.randrange(2 * len(own) + 2)):
            start = random.choice(own) if random.random() < 0.9 else random.choice(cells)
            end = start + random.choice((1, -1, state["cols"], -state["cols"], 0, 2, 0.5))
            moves.append({"from": start, "to": end})
        return reply(moves)

    return decide


def gathering(colour: str, state: Json) -> bytes:
    """Move every botlet towards the nearest energy.

    Both armies grow this way, and sooner or later they meet.
    """
    cols = state["cols"]
    goals = [cell for cell, what in enumerate(state["grid"]) if what == "*"]

    def far(one: int, other: int) -> int:
        return abs(one // cols - other // cols) + abs(one % cols - other % cols)

    moves = []
    for cell, what in enumerate(state["grid"]):
        if what == colour and goals:
            goal = min(goals, key=lambda goal: (far(cell, goal), goal))
            end = min(beside(state, cell), key=lambda end: (far(end, goal), end))
            moves.append({"from": cell, "to": end})
    return reply(moves)
