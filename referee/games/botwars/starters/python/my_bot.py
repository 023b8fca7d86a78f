#!/usr/bin/env python3
"""A bot for Bot Wars whose botlets take random steps. README.md says how to play it."""

import json
import random
import sys

NAME = "My Bot"


def steps(state, cell):
    """The cells next to a cell: above, below, left, right; none outside the grid."""
    rows, cols = state["rows"], state["cols"]
    row, column = divmod(cell, cols)
    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [r * cols + c for r, c in around if 0 <= r < rows and 0 <= c < cols]


def choose_moves(state, me):
    """A step for each botlet of yours. `me` is "r" or "b", like your botlets in the grid."""
    mine = [cell for cell, what in enumerate(state["grid"]) if what == me]
    return [{"from": cell, "to": random.choice(steps(state, cell))} for cell in mine]


def send(reply):
    print(json.dumps(reply), flush=True)  # without the flush the referee waits in vain


for line in sys.stdin.buffer:  # it ends when the referee has no more to say
    if not line.endswith(b"\n"):
        break  # cut off in the middle: the referee is gone
    message = json.loads(line)
    match message.get("type"):
        case "player-name-request":  # a match begins; it may not be the first
            reply = {"type": "player-name-reply", "player_number": message["player_number"]}
            send(reply | {"name": NAME, "version": 1, "keep_alive": True})
        case "move-request":
            moves = choose_moves(message["state"], message["player"])
            send({"type": "move-reply", "moves": moves})
        # All other types are news about the game, or newer than this bot: not an error.
