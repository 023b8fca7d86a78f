"""The grid of Bot Wars, and how a turn changes it (protocol, 4.3).

Cells are integers; sides are 0 (red) and 1 (blue). We keep sets of cells instead of a grid, so the
cost of a turn depends on the number of botlets, which is much smaller than the number of cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import compress
from operator import and_
from typing import NamedTuple

from referee.games.botwars.rules.messages import Side, State
from referee.games.botwars.rules.moves import Neighbours

COLOURS = "rb"


# All grids of a tournament have the same size, so its matches share one result.
@lru_cache(maxsize=16)
def neighbours_of(rows: int, cols: int) -> Neighbours:
    """Return the cells above, left, right and below, for every cell of the grid."""
    found = []
    for cell in range(rows * cols):
        near = [cell - cols] * (cell >= cols) + [cell - 1] * (cell % cols > 0)
        near += [cell + 1] * (cell % cols < cols - 1) + [cell + cols] * (cell < (rows - 1) * cols)
        found.append(tuple(near))
    return tuple(found)


class TurnResult(NamedTuple):
    """The events of a turn. `died` is a sorted list of cells, and pairs are (red, blue)."""

    died: list[int]
    lost: tuple[int, int]
    spawned: tuple[int, int]
    gathered: tuple[int, int]


class Board:
    """The grid, plus the energy and spawn point of each side.

    Args:
        state: the initial state. We ignore its numbers of turns, because the game counts turns.

    Attributes:
        disabled: for each side, True if its spawn point was razed.
    """

    def __init__(self, state: State) -> None:
        self.rows, self.cols = state.rows, state.cols
        self.neighbours = neighbours_of(state.rows, state.cols)
        self.spawns = (state.p1.spawn, state.p2.spawn)
        self.stores = [state.p1.energy, state.p2.energy]  # unused energy of each side
        self.disabled = [state.p1.spawn_disabled, state.p2.spawn_disabled]

        def cells(what: str) -> set[int]:
            return {cell for cell, found in enumerate(state.grid) if found == what}

        self.botlets = (cells("r"), cells("b"))  # cells with botlets of each side
        self.energy = cells("*")
        self.died: Sequence[int] = sorted(cells("x"))

    @staticmethod
    def empty(rows: int, cols: int) -> Board:
        """Return the grid at the start (4.2)."""
        first, last = cols + 1, (rows - 2) * cols + cols - 2
        grid = "." * (rows * cols)
        return Board(State(rows, cols, Side(1, first, False), Side(1, last, False), grid, 1, 0))

    def state(self, max_turns: int, turns_elapsed: int) -> State:
        red, blue = map(Side, self.stores, self.spawns, self.disabled)
        grid = self._grid().decode()
        return State(self.rows, self.cols, red, blue, grid, max_turns, turns_elapsed)

    def play(self, moves: Sequence[Mapping[int, int]]) -> TurnResult:
        """Play a turn. The caller has to add new energy afterwards.

        Args:
            moves: for each side, a dict from cell to target cell. All moves must be legal (5.2).
        """
        before = [len(side) for side in self.botlets]
        # The protocol defines the order of these steps. For example, a botlet that dies in a battle
        # can't raze a spawn point.
        died = self._move(moves)
        died |= self._battle()
        self.died = sorted(died)
        lost = [count - len(side) for count, side in zip(before, self.botlets, strict=True)]
        for side in (0, 1):
            if self.spawns[1 - side] in self.botlets[side]:
                self.disabled[1 - side] = True
        spawned = (self._spawn(0), self._spawn(1))
        return TurnResult(self.died, (lost[0], lost[1]), spawned, self._gather())

    def free_pairs(self) -> list[int]:
        """Return the free cells whose mirror cell is also free, in ascending order (4.3).

        New energy can only appear in such a pair of cells.
        """
        # Each free cell becomes a byte of 1. The bitwise AND of these bytes and their reverse gives
        # the cells whose mirror is also free, without a loop in Python.
        grid = self._grid()
        for spawn in self.spawns:
            grid[spawn] = 0
        free = grid.translate(_IS_FREE)
        if len(free) % 2:
            free[len(free) // 2] = 0  # the middle cell has no mirror
        return list(compress(range(len(free)), map(and_, free, reversed(free))))

    def add_energy(self, cell: int) -> None:
        self.energy |= {cell, len(self.neighbours) - 1 - cell}

    # --- the steps of a turn (4.3) ------------------------------------------------------------

    def _move(self, moves: Sequence[Mapping[int, int]]) -> set[int]:
        # Only the target cells matter, because all botlets move at the same time. Two botlets that
        # swap their cells don't meet.
        ends = [
            [targets.get(cell, cell) for cell in own]
            for own, targets in zip(self.botlets, moves, strict=True)
        ]
        everywhere = ends[0] + ends[1]
        living = set(everywhere)
        met = set()
        # In most turns no botlets meet, so check that first, before counting.
        if len(living) < len(everywhere):
            met = {cell for cell, count in Counter(everywhere).items() if count > 1}
        self.botlets = (set(ends[0]) - met, set(ends[1]) - met)
        self.energy -= living
        return met

    def _battle(self) -> set[int]:
        foes = []
        for own, other in (self.botlets, self.botlets[::-1]):
            beside = {}
            for cell in own:
                near = self.neighbours[cell]
                if not other.isdisjoint(near):
                    beside[cell] = [spot for spot in near if spot in other]
            foes.append(beside)
        red, blue = foes
        # Botlets are removed only after all battles are decided, because battles happen at the same
        # time.
        fallen = {
            cell
            for mine, theirs in ((red, blue), (blue, red))
            for cell, near in mine.items()
            if any(len(near) >= len(theirs[foe]) for foe in near)
        }
        for own in self.botlets:
            own -= fallen
        return fallen

    def _spawn(self, side: int) -> int:
        spawn = self.spawns[side]
        if self.disabled[side] or not self.stores[side]:
            return 0
        # If a botlet is on the spawn point, the new botlet has to wait. The energy stays in the
        # store. (A botlet of the other side would have razed the spawn point.)
        if spawn in self.botlets[side]:
            return 0
        self.stores[side] -= 1
        self.botlets[side].add(spawn)
        return 1

    def _gather(self) -> tuple[int, int]:
        gathered = [0, 0]
        red, blue = self.botlets
        everybody = red | blue
        found = [cell for cell in self.energy if not everybody.isdisjoint(self.neighbours[cell])]
        for cell in found:
            near = self.neighbours[cell]
            by_red = not red.isdisjoint(near)
            by_blue = not blue.isdisjoint(near)
            self.energy.remove(cell)
            # If both sides are next to the energy, it disappears and nobody gets it.
            if by_red != by_blue:
                gathered[by_blue] += 1
        for side in (0, 1):
            self.stores[side] += gathered[side]
        return gathered[0], gathered[1]

    def _grid(self) -> bytearray:
        grid = bytearray(b".") * (self.rows * self.cols)
        # The order matters here. A botlet can be on a cell where another botlet died, because
        # spawning comes last.
        for what, cells in zip(b"x*rb", (self.died, self.energy, *self.botlets), strict=True):
            for cell in cells:
                grid[cell] = what
        return grid


_IS_FREE = bytes(cell == ord(".") for cell in range(256))
"""A table for `translate` that maps "." to 1 and every other character to 0."""
