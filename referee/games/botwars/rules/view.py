"""The view of a match: its state and the events of the last turn. All viewers get the same view.

We compute it from public messages only. That's why it works for a game that is being played as well
as for a log.
"""

from __future__ import annotations

from collections import Counter

from msgspec import Struct
from msgspec.structs import asdict

from referee.games.botwars.rules import messages as say
from referee.games.botwars.rules.board import Board


class View(say.State, frozen=True, gc=False):
    """The state after a turn, and the events of that turn. Pairs are (red, blue).

    Attributes:
        died: for each side, the cells where its botlets died, in ascending order. If several of
            them died in the same cell, the list contains the cell several times.
    """

    moves: say.Moves  # the moves carried out
    died: tuple[list[int], list[int]]
    spawned: tuple[bool, bool]  # for each side, True if a botlet appeared


def begun(state: say.State) -> View:
    """Return the view of a game in which no turn has been played yet."""
    nothing = say.Moves([], [])
    return View(**asdict(state), moves=nothing, died=([], []), spawned=(False, False))


def after(before: say.State, played: say.TurnPlayed) -> View:
    """Return the view after a turn.

    `before` should be the state before that turn, but in a damaged log it can be any other state.
    """
    state = played.state
    red, red_spawned = _deaths_and_spawn("r", state.p1.spawn, before, played)
    blue, blue_spawned = _deaths_and_spawn("b", state.p2.spawn, before, played)
    died, spawned = (red, blue), (red_spawned, blue_spawned)
    return View(**asdict(state), moves=played.moves, died=died, spawned=spawned)


def _deaths_and_spawn(
    colour: str, spawn: int, before: say.State, played: say.TurnPlayed
) -> tuple[list[int], bool]:
    # Use slices instead of indices, because a damaged log may have any numbers. A slice outside the
    # grid is empty.
    stands = played.state.grid[spawn : spawn + 1] == colour
    if not played.died and not stands:
        return [], False  # by far the most frequent case
    moves: list[say.Move] = getattr(played.moves, colour)
    left = {move.from_ for move in moves}
    came = Counter(move.to for move in moves)

    def there(cell: int) -> int:
        stayed = before.grid[cell : cell + 1] == colour and cell not in left
        return came[cell] + stayed

    cells = dict.fromkeys(played.died)  # without duplicates, which a damaged log may have
    # Several botlets of a side may have moved to this cell, and then all of them died.
    died = [cell for cell in cells for _ in range(there(cell))]
    return died, stands and (spawn in played.died or not there(spawn))


class BotWarsTracker:
    """Implements `referee.games.interface.environment.StateTracker` for all viewers."""

    def __init__(self) -> None:
        self._state = Board.empty(2, 2).state(1, 0)  # a placeholder before the first message
        self._view = begun(self._state)

    def observe(self, message: Struct) -> None:
        if isinstance(message, say.TurnPlayed):
            self._view = after(self._state, message)
            self._state = message.state
        elif isinstance(message, say.GameInfo):
            self._begin(Board.empty(message.rows, message.cols).state(message.max_turns, 0))
        # If a game begins in the middle, this request is the first message that shows its state.
        elif isinstance(message, say.MoveRequest) and message.state != self._state:
            self._begin(message.state)

    def _begin(self, state: say.State) -> None:
        self._state, self._view = state, begun(state)

    def view(self) -> View:
        return self._view
