"""Bot Wars for reinforcement learning, with the grid as planes of numbers and one choice per cell.

Each seat sees the grid as if it were red, with its spawn point at the top left. (Blue's grid is
rotated by 180 degrees, see spec/python-rl.md, 3.) A policy can therefore play both seats without
learning two different games.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from referee.errors import UsageError
from referee.games.botwars.rules.board import COLOURS
from referee.games.botwars.rules.game import Options
from referee.games.botwars.rules.messages import MoveReply, State
from referee.games.botwars.rules.view import BotWarsTracker
from referee.games.interface.environment import Environment, Numbers

CHOICES = ("stay", "up", "left", "right", "down")
_STEPS = ((0, 0), (-1, 0), (0, -1), (0, 1), (1, 0))
"""The step of each choice: how many rows down and columns right the botlet moves."""
_PLANES = (
    *("own botlets", "other botlets", "energy", "died", "own spawn point", "other spawn point"),
    *("own energy", "other energy", "turns left"),
)

_KINDS = [
    bytes.maketrans(f"{own}{other}*x.".encode(), bytes(range(5)))
    for own, other in ("rb", "br")  # seat 0 is red, seat 1 is blue
]
"""For each seat, a table for `translate` that maps the characters of a grid to rows of `_CELLS`."""
_OWN = [bytes(chr(cell) == own for cell in range(256)) for own in COLOURS]
"""For each seat, a table for `translate` that maps own botlets to 1 and everything else to 0."""
_CELLS = np.eye(5, len(_PLANES), dtype=np.int32)
_CELLS[4] = 0  # an empty cell


def layout(seats: int, options: Options) -> Numbers:
    """Return the names and bounds of an observation's planes.

    The last three planes have the same number in every cell.
    """
    every = options.energy_every
    # This is the most energy that a side can gather in a match. Energy appears in pairs. The pair
    # of the last turn doesn't count, because the match is over before anybody can gather it.
    gathered = max(1, -2 * (-(options.max_turns - 1) // every)) if every else 1
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
        self._state, self._asked = view, asked

    def observe(self) -> NDArray[np.int32]:
        state = self._state
        sides = (state.p1, state.p2) if self._seat == 0 else (state.p2, state.p1)
        left = state.max_turns - state.turns_elapsed
        # The last three planes have the same number in each cell, but it changes from turn to turn.
        # Fill them in here, in a copy because `_CELLS` is shared.
        cells = _CELLS.copy()
        cells[:, 6:] = sides[0].energy, sides[1].energy, left
        planes = cells.take(self._grid(_KINDS[self._seat]), axis=0)
        flat = planes.reshape(-1, len(_PLANES))
        for plane, side in enumerate(sides, 4):
            flat[self._rotated(side.spawn), plane] = not side.spawn_disabled
        return planes

    def legal(self) -> None:
        """Return None, since every action is legal."""

    def act(self, action: Any) -> Struct | None:
        """Convert the policy's choices, one per cell, to a `move-reply`.

        `action` either has the shape of the grid or is flat, row by row. A policy has to choose
        something for every cell, even though most cells are empty. We ignore choices for cells
        without an own botlet, and steps that would leave the grid.

        Raises:
            UsageError: this seat isn't asked, or `action` has the wrong type, shape or values.
        """
        if not self._asked:
            raise UsageError("this seat is not asked")
        own, choices = self._grid(_OWN[self._seat]), np.asarray(action)
        if not (
            choices.shape in (own.shape, (own.size,))
            and choices.dtype.kind in "iu"
            and choices.view(f"u{choices.itemsize}").max()
            # As an unsigned number, -1 is large, so a single comparison finds both negative and too
            # large numbers.
            < len(CHOICES)
        ):
            raise UsageError(
                f"an action is an array of integers from 0 to {len(CHOICES) - 1} of the shape "
                f"{own.shape} or ({own.size},)"
            )
        choices = choices.reshape(own.shape)
        rows, cols = own.shape
        moves = []
        chosen = (own * choices).ravel()
        cells = chosen.nonzero()[0]
        for start, choice in zip(cells.tolist(), chosen[cells].tolist(), strict=True):
            row, column = divmod(start, cols)
            down, right = _STEPS[choice]
            if 0 <= row + down < rows and 0 <= column + right < cols:
                end = start + down * cols + right
                moves.append({"from": self._rotated(start), "to": self._rotated(end)})
        self._asked = False
        return MoveReply(moves=moves)

    def actions_of(self, reply: Any) -> Iterator[NDArray[np.int64]]:
        cols = self._state.cols
        # Choice 0 means that a botlet stays, so all cells without a move have this choice.
        choices = np.zeros(self._state.rows * cols, np.int64)
        for move in reply.moves:
            start, end = self._rotated(int(move["from"])), self._rotated(int(move["to"]))
            step = end // cols - start // cols, end % cols - start % cols
            choices[start] = _STEPS.index(step)
        yield choices

    def show(self) -> str:
        return "\n".join(bytes(row).decode() for row in self._grid(None))

    def _grid(self, kinds: bytes | None) -> NDArray[np.uint8]:
        grid = np.frombuffer(self._state.grid.encode().translate(kinds), np.uint8)
        shape = (self._state.rows, self._state.cols)
        return (grid[::-1] if self._seat else grid).reshape(shape)

    def _rotated(self, cell: int) -> int:
        # Two rotations restore the original cell, so this works in both directions.
        return self._state.rows * self._state.cols - 1 - cell if self._seat else cell


_VERSION_1 = Environment(
    id="BotWars",
    opponent="gatherer",
    version=1,
    choices=lambda options: CHOICES,
    action_shape=lambda options: (options.rows, options.cols),
    observation=layout,
    translator=lambda seat, seats, options: Translator(seat, seats),
    tracker=lambda seat, seats: BotWarsTracker(),
    simultaneous=True,
)
ENVIRONMENT = replace(
    _VERSION_1,
    version=2,
    action_shape=lambda options: (
        options.rows * options.cols,
    ),  # Libraries don't support grids of choices, so since version 2 an action is a flat array.
    earlier=(_VERSION_1,),
)
