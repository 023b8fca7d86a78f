#!/usr/bin/env python3
"""Every botlet goes to the nearest energy, onto no other.

Run it with `referee play --game botwars gatherer ./my_bot.py`.
"""

import json
import sys

ABOUT = {"name": "Gatherer", "version": 1, "keep_alive": True}  # it plays match after match


def steps(state, cell):
    """The cells next to a cell: above, below, left, right; none outside the grid."""
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
    planned = set()  # cells that a botlet is about to enter
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
    """The bot in one match."""

    hears = ()  # what news it reads

    def __call__(self, message):
        """Return the reply to a request; None to news."""
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
            break  # cut off in the middle: the referee is gone
        message = json.loads(line)
        if message.get("type") == "player-name-request":
            bot = Bot()  # a match begins, maybe not the first
        reply = bot(message)
        if reply:
            print(json.dumps(reply), flush=True)  # without the flush the referee waits in vain
