"""How the page shows small games.

All of them use the same drawing (drawing.js), which draws the boards, hands and cards in a view and
shows the rest as text. The curve has the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from referee.games.interface.page import PageDefinition, Series
from referee.games.interface.table import Moved
from referee.games.small.cells import Meaning
from referee.games.small.messages import GameInfo, MovesPlayed, View


def page_of(means: Callable[[], Meaning]) -> PageDefinition:
    """Create the `PageDefinition` of a game.

    `means` returns the meaning of the game's moves. It's a function, because we have to play some
    random turns to find out, and most matches are never shown on a page.
    """

    def fields(view: View) -> dict[str, Any]:
        return {"parts": to_builtins(means().parts(view.state, len(view.scores)))}

    return PageDefinition(
        folder=Path(__file__).parent,
        series=(Series("points", "", lambda view: view.scores),),
        facts=lambda options: {"marks": means().marks},
        fields=fields,
        spectator=LoggedStates,
    )


class LoggedStates:
    """The `Spectator` of small games: each message with a new state has all of it."""

    def __init__(self, seats: int) -> None:
        self._view = View(0, [0] * seats, [], {})

    def observe(self, message: Struct) -> bool:
        """Read a message, and return True if the view is up to date."""
        if isinstance(message, GameInfo):
            self._view = View(0, self._view.scores, [], message.state)
        elif isinstance(message, MovesPlayed):
            self._view = View(message.turn, message.scores, [], message.state)
        return bool(self._view.state)

    def view(self) -> View:
        """Return the public view."""
        return self._view

    def take_moved(self) -> Sequence[Moved]:
        """Return nothing, because small games don't tell which things moved."""
        return ()
