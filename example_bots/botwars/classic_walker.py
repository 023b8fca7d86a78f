#!/usr/bin/env python3
"""Takes random steps. Play it as classic:classic_walker.

Every turn it reads a state and writes a bare array of moves. Run your copy with
`referee play --game botwars "classic:./my_bot.py" gatherer`.
"""

import json
import random
import sys


def steps(state, cell):
    """Return the cells above, below, left and right of a cell that are inside the grid."""
    rows, cols = state["rows"], state["cols"]
    row, column = divmod(cell, cols)
    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [r * cols + c for r, c in around if 0 <= r < rows and 0 <= c < cols]


def main():
    chance = random.Random(sys.argv[1] if len(sys.argv) > 1 else "1")
    for line in sys.stdin:
        if not line.endswith("\n"):
            break  # the line was cut off, so the referee is gone
        turn = json.loads(line)
        state, me = turn["state"], turn["player"]
        mine = [cell for cell, what in enumerate(state["grid"]) if what == me]
        moves = [{"from": cell, "to": chance.choice(steps(state, cell))} for cell in mine]
        print(json.dumps(moves), flush=True)  # without flush, it would stay in the buffer


if __name__ == "__main__":
    main()
