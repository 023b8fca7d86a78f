"""A slow second implementation of a Bot Wars turn, used to check the real rules.

It follows spec/botwars/protocol.md, 4.3 and 5.2, cell by cell, and shares no code with the
rules. It makes no random choices: the caller passes in the new energy.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
OWN = {"r": "p1", "b": "p2"}
FOE = {"r": "b", "b": "r"}


def beside(state: Json, cell: Any) -> Iterator[int]:
    """Yield the cells above, below, left and right, as far as they're on the grid."""
    row, column = divmod(cell, state["cols"])
    for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
        if 0 <= r < state["rows"] and 0 <= c < state["cols"]:
            yield r * state["cols"] + c


def play(state: Json, moves: dict[str, list[Json]]) -> tuple[Json, Json, list[int]]:
    """Play steps 0 to 5 of a turn.

    Returns:
        The new state (without counting the turn), the moves that were carried out, and the cells
        where botlets died.
    """
    new = copy.deepcopy(state)
    grid = ["." if what == "x" else what for what in state["grid"]]

    # 1: everybody steps at once.
    done: dict[str, list[Json]] = {"r": [], "b": []}
    at: dict[int, list[str]] = {}
    for colour in "rb":
        for cell, what in enumerate(state["grid"]):
            if what == colour:
                end = cell
                for move in moves[colour]:
                    if move["from"] == cell and move["to"] in list(beside(state, cell)):
                        end = int(move["to"])
                        break
                at.setdefault(end, []).append(colour)
                grid[cell] = "."
        moved = set()
        for move in moves[colour]:
            start, end = move["from"], move["to"]
            if start not in range(len(grid)) or state["grid"][int(start)] != colour:
                continue
            if start in moved or end not in list(beside(state, start)):
                continue
            moved.add(start)
            done[colour].append({"from": start, "to": end})
    dead = set()
    for cell, who in at.items():
        grid[cell] = who[0] if len(who) == 1 else "x"
        if len(who) > 1:
            dead.add(cell)

    # 2: battles, all on the same positions.
    def foes(cell: int) -> list[int]:
        return [near for near in beside(state, cell) if grid[near] == FOE.get(grid[cell])]

    fallen = set()
    for cell, what in enumerate(grid):
        if what in FOE and any(len(foes(cell)) >= len(foes(foe)) for foe in foes(cell)):
            fallen.add(cell)
    for cell in fallen:
        grid[cell] = "x"

    # 3 and 4: razing, then spawning.
    for colour, side in OWN.items():
        if grid[state[side]["spawn"]] == FOE[colour]:
            new[side]["spawnDisabled"] = True
    for colour, side in OWN.items():
        spawn = state[side]["spawn"]
        if new[side]["energy"] and not new[side]["spawnDisabled"] and grid[spawn] not in FOE:
            new[side]["energy"] -= 1
            grid[spawn] = colour

    # 5: gathering.
    for cell in [cell for cell, what in enumerate(grid) if what == "*"]:
        near = {grid[spot] for spot in beside(state, cell)} & {"r", "b"}
        if near:
            grid[cell] = "."
        if len(near) == 1:
            new[OWN[near.pop()]]["energy"] += 1

    new["grid"] = "".join(grid)
    return new, done, sorted(dead | fallen)


def free_pairs(state: Json) -> list[int]:
    """Step 6: where new energy may appear."""
    spawns = (state["p1"]["spawn"], state["p2"]["spawn"])
    grid = state["grid"]
    cells = []
    for cell in range(len(grid)):
        row, column = divmod(cell, state["cols"])
        mirror = (state["rows"] - 1 - row) * state["cols"] + state["cols"] - 1 - column
        if grid[cell] == grid[mirror] == "." and cell not in spawns and cell != mirror:
            cells.append(cell)
    return cells


def mirrored(state: Json) -> Json:
    """Rotate the grid by 180 degrees and swap the two sides."""
    grid = state["grid"][::-1].translate(str.maketrans("rb", "br"))
    last = len(grid) - 1
    p1, p2 = (dict(state[side], spawn=last - state[side]["spawn"]) for side in ("p2", "p1"))
    return dict(state, grid=grid, p1=p1, p2=p2)
