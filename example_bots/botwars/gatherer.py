#!/usr/bin/env python3
"""Sends every botlet to the nearest energy.

Botlets never move to a cell that is occupied, or will be.
Run it with `referee play --game botwars gatherer ./my_bot.py`.
"""

import json
import sys

ABOUT = {"name": "Gatherer", "version": 1, "keep_alive": True}  # plays any number of matches


def steps(state, cell):
    """Return the cells above, below, left and right of a cell that are inside the grid."""
    rows, cols = state["rows"], state["cols"]
    row, column = divmod(cell, cols)
    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [r * cols + c for r, c in around if 0 <= r < rows and 0 <= c < cols]


def choose_moves(state, me):
    grid, cols = state["grid"], state["cols"]

    def distance(cell, goal):
        return abs(cell // cols - goal // cols) + abs(cell % cols - goal % cols)

    energy = [cell for cell, what in enumerate(grid) if what == "*"]
    moves = []
    planned = set()  # cells that our botlets will move to
    for cell in [cell for cell, what in enumerate(grid) if what == me]:
        goal = min(energy, key=lambda goal: distance(cell, goal), default=None)
        if goal is None:
            continue
        free = [to for to in steps(state, cell) if grid[to] in ".x" and to not in planned]
        to = min(free, key=lambda to: distance(to, goal), default=cell)
        if distance(to, goal) < distance(cell, goal):
            planned.add(to)
            moves.append({"from": cell, "to": to})
    return moves


class Bot:
    """Plays one match."""

    hears = ()  # the news that it needs

    def __call__(self, message):
        """Return the reply to a request, or None if the message is only news."""
        match message.get("type"):
            case "player-name-request":
                number = message["player_number"]
                return {"type": "player-name-reply", "player_number": number, **ABOUT}
            case "move-request":
                return {
                    "type": "move-reply",
                    "moves": choose_moves(message["state"], message["player"]),
                }
        return None


if __name__ == "__main__":
    bot = Bot()
    for line in sys.stdin.buffer:
        if not line.endswith(b"\n"):
            break  # the line was cut off, so the referee is gone
        message = json.loads(line)
        if message.get("type") == "player-name-request":
            bot = Bot()  # a new match begins
        reply = bot(message)
        if reply:
            print(json.dumps(reply), flush=True)  # without flush, it would stay in the buffer
