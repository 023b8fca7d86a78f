"""Bot Wars for programs that learn: the grid as planes of numbers, a choice for each cell.

Each seat sees the grid as if it were red, with its own spawn point at the top left: blue's is
turned by half a turn (spec/python-rl.md, 3).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from referee.errors import UsageError
from referee.games.botwars.rules.board import COLOURS
from referee.games.botwars.rules.game import Options
from referee.games.botwars.rules.messages import MoveReply, State
from referee.games.botwars.rules.view import BotWarsTracker
from referee.games.interface.environment import Environment, Numbers

CHOICES = ("stay", "up", "left", "right", "down")
_STEPS = ((0, 0), (-1, 0), (0, -1), (0, 1), (1, 0))
"""Rows and columns of each choice."""
_PLANES = (
    *("own botlets", "other botlets", "energy", "died", "own spawn point", "other spawn point"),
    *("own energy", "other energy", "turns left"),
)


def layout(seats: int, options: Options) -> Numbers:
    """What an observation is made of: planes, of which the last three are the same everywhere."""
    gathered = 1 + 2 * options.max_turns  # at most two a turn appear
    high = np.ones((options.rows, options.cols, len(_PLANES)), np.int32)
    high[..., 6:] = gathered, gathered, options.max_turns
    return Numbers(_PLANES, np.zeros_like(high), high)


class Translator:
    """Implements `referee.games.interface.environment.Translator` for Bot Wars."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        self._state: State
        self._asked = False

    def look(self, view: State, *, asked: bool) -> None:
        """Take the state as it is now."""
        self._state, self._asked = view, asked

    def observe(self) -> NDArray[np.int32]:
        """What the seat knows, as `layout` says."""
        state = self._state
        planes = np.zeros((state.rows, state.cols, len(_PLANES)), np.int32)
        grid = self._grid()
        own, other = COLOURS[self._seat], COLOURS[1 - self._seat]
        for plane, what in enumerate((own, other, "*", "x")):
            planes[..., plane] = grid == ord(what)
        sides = (state.p1, state.p2) if self._seat == 0 else (state.p2, state.p1)
        flat = planes.reshape(-1, len(_PLANES))
        for plane, side in enumerate(sides, 4):
            flat[self._turned(side.spawn), plane] = not side.spawn_disabled
        left = state.max_turns - state.turns_elapsed
        planes[..., 6:] = sides[0].energy, sides[1].energy, left
        return planes

    def legal(self) -> None:
        """Every action is legal."""

    def act(self, action: Any) -> Struct | None:
        """Take a choice for each cell; those that move no own botlet inside the grid are left out.

        Raises:
            UsageError: it is no such array.
        """
        if not self._asked:
            raise UsageError("this seat is not asked")
        grid, choices = self._grid(), np.asarray(action)
        if not (
            choices.shape == grid.shape
            and choices.dtype.kind in "iu"
            and choices.min() >= 0
            and choices.max() < len(CHOICES)
        ):
            raise UsageError(
                f"an action is an array of integers from 0 to {len(CHOICES) - 1} of the shape "
                f"{grid.shape}"
            )
        rows, cols = grid.shape
        moves = []
        own = grid == ord(COLOURS[self._seat])
        for row, column in np.argwhere(own & (choices != 0)).tolist():
            down, right = _STEPS[choices[row, column]]
            if 0 <= row + down < rows and 0 <= column + right < cols:
                start, end = row * cols + column, (row + down) * cols + column + right
                moves.append({"from": self._turned(start), "to": self._turned(end)})
        self._asked = False
        return MoveReply(moves=moves)

    def show(self) -> str:
        """The grid as this seat sees it."""
        return "\n".join(bytes(row).decode() for row in self._grid())

    def _grid(self) -> NDArray[np.uint8]:
        """The characters of the grid as this seat sees it."""
        grid = np.frombuffer(self._state.grid.encode(), np.uint8)
        shape = (self._state.rows, self._state.cols)
        return (grid[::-1] if self._seat else grid).reshape(shape)

    def _turned(self, cell: int) -> int:
        """A cell of the game as this seat sees it, and the other way round."""
        return self._state.rows * self._state.cols - 1 - cell if self._seat else cell


ENVIRONMENT = Environment(
    version=1,
    choices=CHOICES,
    action_shape=lambda options: (options.rows, options.cols),
    observation=layout,
    translator=Translator,
    tracker=lambda seat, seats: BotWarsTracker(),
    simultaneous=True,
)
