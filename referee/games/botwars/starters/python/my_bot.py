#!/usr/bin/env python3
"""A bot for Bot Wars whose botlets take random steps. README.md says how to play it."""

import json
import random
import sys

NAME = "My Bot"


def steps(state, cell):
    """Return the cells above, below, left and right of a cell that are on the grid."""
    rows, cols = state["rows"], state["cols"]
    row, column = divmod(cell, cols)
    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [r * cols + c for r, c in around if 0 <= r < rows and 0 <= c < cols]


def choose_moves(state, me):
    """Return a move for each of your botlets. In the grid, `me` ("r" or "b") marks them."""
    mine = [cell for cell, what in enumerate(state["grid"]) if what == me]
    return [{"from": cell, "to": random.choice(steps(state, cell))} for cell in mine]


def send(reply):
    print(json.dumps(reply), flush=True)  # without flush, the reply would stay in a buffer


for line in sys.stdin.buffer:  # the loop ends when the referee closes our standard input
    if not line.endswith(b"\n"):
        break  # the line is incomplete, so the referee has crashed or was killed
    message = json.loads(line)
    match message.get("type"):
        case "player-name-request":  # a new match begins
            reply = {"type": "player-name-reply", "player_number": message["player_number"]}
            send(reply | {"name": NAME, "version": 1, "keep_alive": True})
        case "move-request":
            moves = choose_moves(message["state"], message["player"])
            send({"type": "move-reply", "moves": moves})
        # Ignore all other messages. They're news about the game, or newer than this bot.
