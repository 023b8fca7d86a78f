"""The view of every viewer: the state, and the events of the last turn.

Nothing is hidden: all of it follows from the public messages, both in the game and in a log.
"""

from __future__ import annotations

from collections import Counter

from msgspec import Struct
from msgspec.structs import asdict

from referee.games.botwars.rules import messages as say
from referee.games.botwars.rules.board import Board


class View(say.State, frozen=True, gc=False):
    """The state with the events of the last turn; pairs are (red, blue).

    Attributes:
        died: where botlets of a side died: a cell for each of them, ascending.
    """

    moves: say.Moves  # that were carried out
    died: tuple[list[int], list[int]]
    spawned: tuple[bool, bool]  # whether a botlet appeared


def begun(state: say.State) -> View:
    """The view of a state before any turn is known."""
    nothing = say.Moves([], [])
    return View(**asdict(state), moves=nothing, died=([], []), spawned=(False, False))


def after(before: say.State, played: say.TurnPlayed) -> View:
    """The view after a turn; in a damaged log, `before` may be any state."""
    state = played.state
    red, red_spawned = _became("r", state.p1.spawn, before, played)
    blue, blue_spawned = _became("b", state.p2.spawn, before, played)
    died, spawned = (red, blue), (red_spawned, blue_spawned)
    return View(**asdict(state), moves=played.moves, died=died, spawned=spawned)


def _became(
    colour: str, spawn: int, before: say.State, played: say.TurnPlayed
) -> tuple[list[int], bool]:
    """Where botlets of a side died, and whether one appeared."""
    stands = played.state.grid[spawn : spawn + 1] == colour
    if not played.died and not stands:
        return [], False  # as in most turns
    moves: list[say.Move] = getattr(played.moves, colour)
    left = {move.from_ for move in moves}
    came = Counter(move.to for move in moves)

    def there(cell: int) -> int:
        """How many of its botlets were there when all had moved."""
        # A slice is empty where a cell is outside the grid, as it may be in a damaged log.
        stayed = before.grid[cell : cell + 1] == colour and cell not in left
        return came[cell] + stayed

    cells = dict.fromkeys(played.died)  # each once, whatever a damaged log says
    died = [cell for cell in cells for _ in range(there(cell))]
    return died, stands and (spawn in played.died or not there(spawn))


class BotWarsTracker:
    """Implements `referee.games.interface.environment.StateTracker` for everybody."""

    def __init__(self) -> None:
        self._state = Board.empty(2, 2).state(1, 0)  # until a message tells of one
        self._view = begun(self._state)

    def observe(self, message: Struct) -> None:
        """Take a public message, a request, or a reply."""
        if isinstance(message, say.TurnPlayed):
            self._view = after(self._state, message)
            self._state = message.state
        elif isinstance(message, say.GameInfo):
            self._begin(Board.empty(message.rows, message.cols).state(message.max_turns, 0))
        elif isinstance(message, say.MoveRequest) and message.state != self._state:
            self._begin(message.state)  # of a game that begins in the middle

    def _begin(self, state: say.State) -> None:
        self._state, self._view = state, begun(state)

    def view(self) -> View:
        """What `Game.view` says, to whomever."""
        return self._view
