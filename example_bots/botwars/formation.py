#!/usr/bin/env python3
"""Gathers energy, and attacks with a squad in formation.

If several botlets fight a single one, the single one dies. That's why a block beats botlets that
arrive one by one. Run it with `referee play --game botwars formation ./my_bot.py`.
"""

import json
import sys

SQUAD = 6  # size of the squad, which is formed once there are twice as many botlets
CLOSE = 2  # the leader waits for squad members that are more steps away
ABOUT = {"name": "Formation", "version": 1, "keep_alive": True}  # plays any number of matches


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

    def nearest(cell, goals):
        return min(goals, key=lambda goal: distance(cell, goal))

    mine = [cell for cell, what in enumerate(grid) if what == me]
    foes = [cell for cell, what in enumerate(grid) if what not in me + ".*x"]
    theirs = state["p2" if me == "r" else "p1"]
    energy = [cell for cell, what in enumerate(grid) if what == "*"]
    goals = foes if theirs["spawnDisabled"] else [*foes, theirs["spawn"]]
    if not mine or not goals:
        return []
    squad = sorted(mine, key=lambda cell: distance(cell, theirs["spawn"]))[:SQUAD]
    if len(mine) < 2 * SQUAD:
        squad = []
    targets = {cell: nearest(cell, energy or [cell]) for cell in mine if cell not in squad}
    if squad:
        leader = squad[0]
        targets |= dict.fromkeys(squad, leader)
        if all(distance(cell, leader) <= CLOSE for cell in squad):
            targets[leader] = nearest(leader, goals)
    moves = []
    planned = set()  # cells that our botlets will move to
    for cell, goal in targets.items():
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
