#!/usr/bin/env python3
"""Moves every botlet at random. Copy this one.

The steps depend on a seed, on the bot's side, and on the grids that it has seen in the match. For
other steps, give it another seed: `random_walker.py [SEED]`.
Run your copy with `referee play --game botwars ./my_bot.py gatherer`.
"""

import json
import random
import sys

ABOUT = {"name": "Random Walker", "version": 1, "keep_alive": True}  # plays any number of matches


def steps(state, cell):
    """Return the cells above, below, left and right of a cell that are inside the grid."""
    rows, cols = state["rows"], state["cols"]
    row, column = divmod(cell, cols)
    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [r * cols + c for r, c in around if 0 <= r < rows and 0 <= c < cols]


class Bot:
    """Plays one match."""

    hears = ()  # the news that it needs

    def __init__(self, seed="1"):
        self.seed = seed

    def __call__(self, message):
        """Return the reply to a request, or None if the message is only news."""
        match message.get("type"):
            case "player-name-request":
                number = message["player_number"]
                self.chance = random.Random(f"{self.seed}/{number}")
                return {"type": "player-name-reply", "player_number": number, **ABOUT}
            case "move-request":
                state, me = message["state"], message["player"]
                chance = self.chance
                chance.seed(f"{chance.random()} {state['grid']}")  # other steps for other grids
                mine = [cell for cell, what in enumerate(state["grid"]) if what == me]
                moves = [{"from": cell, "to": chance.choice(steps(state, cell))} for cell in mine]
                return {"type": "move-reply", "moves": moves}
            # Ignore other types: they're news about the game, or newer than this bot.
        return None


if __name__ == "__main__":
    seed = sys.argv[1] if len(sys.argv) > 1 else "1"
    bot = Bot(seed)
    for line in sys.stdin.buffer:  # bytes, because the locale may not be UTF-8
        if not line.endswith(b"\n"):
            break  # the line was cut off, so the referee is gone
        message = json.loads(line)
        if message.get("type") == "player-name-request":
            bot = Bot(seed)  # a new match begins
        reply = bot(message)
        if reply:
            print(json.dumps(reply), flush=True)  # without flush, it would stay in the buffer
