#!/usr/bin/env python3
"""Every botlet takes a random step: copy this one.

Its steps follow from a seed, its side and all grids that it has seen in the match, so that each
match has steps of its own: `random_walker.py [SEED]`.
Run your copy with `referee play --game botwars ./my_bot.py gatherer`.
"""

import json
import random
import sys

ABOUT = {"name": "Random Walker", "version": 1, "keep_alive": True}  # it plays match after match


def steps(state, cell):
    """The cells next to a cell: above, below, left, right; none outside the grid."""
    rows, cols = state["rows"], state["cols"]
    row, column = divmod(cell, cols)
    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [r * cols + c for r, c in around if 0 <= r < rows and 0 <= c < cols]


class Bot:
    """The bot in one match."""

    hears = ()  # what news it reads

    def __init__(self, seed="1"):
        self.seed = seed

    def __call__(self, message):
        """Return the reply to a request; None to news."""
        match message.get("type"):
            case "player-name-request":
                number = message["player_number"]
                self.chance = random.Random(f"{self.seed}/{number}")
                return {"type": "player-name-reply", "player_number": number, **ABOUT}
            case "move-request":
                state, me = message["state"], message["player"]
                chance = self.chance
                chance.seed(f"{chance.random()} {state['grid']}")  # another grid, another step
                mine = [cell for cell, what in enumerate(state["grid"]) if what == me]
                moves = [{"from": cell, "to": chance.choice(steps(state, cell))} for cell in mine]
                return {"type": "move-reply", "moves": moves}
            # All other types are news about the game, or newer than this bot: not an error.
        return None


if __name__ == "__main__":
    seed = sys.argv[1] if len(sys.argv) > 1 else "1"
    bot = Bot(seed)
    for line in sys.stdin.buffer:  # bytes, so that no locale spoils the bots' names
        if not line.endswith(b"\n"):
            break  # cut off in the middle: the referee is gone
        message = json.loads(line)
        if message.get("type") == "player-name-request":
            bot = Bot(seed)  # a match begins, maybe not the first
        reply = bot(message)
        if reply:
            print(json.dumps(reply), flush=True)  # without the flush the referee waits in vain
