"""Measure turns per second of Bot Wars, with 30 botlets per side: `botwars.py [TURNS]`.

The armies never meet: each goes one step down and one step up again. This measures a usual turn:
sorting and applying moves, finding neighbours, energy, the message with the state.
"""

from __future__ import annotations

import sys
import time
from random import Random

from referee.games.botwars.rules.game import BotWars, Options, begin_at
from referee.games.botwars.rules.messages import MoveReply
from referee.games.interface.game import GameSetup
from referee.games.interface.random_source import SeededRandomSource

SIDE = 30
COLS = 20


def armies() -> str:
    """Return a 20 by 20 grid: red botlets at the top and blue ones at the bottom, out of reach."""
    random = Random(3)
    grid = ["."] * COLS * COLS
    for what, cells in (("r", range(160)), ("b", range(240, 400))):
        for cell in random.sample(cells, SIDE):
            grid[cell] = what
    return "".join(grid)


def turns_a_second(turns: int, grid: str) -> float:
    options = Options(max_turns=10_000)
    setup = GameSetup(chance=SeededRandomSource(1), names=("red", "blue"), options=options)
    # Without spawn points nobody joins the armies.
    game = begin_at(setup, {"grid": grid, "disabled": [True, True]})
    taken = 0.0
    for turn in range(turns):
        replies = {seat: MoveReply(steps(game, seat, turn)) for seat in (0, 1)}
        started = time.perf_counter()
        game.advance(replies)
        game.take_events()
        taken += time.perf_counter() - started
    assert [len(side) for side in game.board.botlets] == [SIDE, SIDE]
    return turns / taken


def steps(game: BotWars, seat: int, turn: int) -> list[dict[str, int]]:
    step = COLS if turn % 2 == seat else -COLS
    return [{"from": cell, "to": cell + step} for cell in game.board.botlets[seat]]


if __name__ == "__main__":
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    rates = sorted(turns_a_second(turns, armies()) for _ in range(5))
    print(f"{rates[2]:.0f} turns/s ({rates[0]:.0f} to {rates[4]:.0f} in 5 runs of {turns} turns)")
