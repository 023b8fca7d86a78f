"""How the page shows small games.

All of them use the same drawing (drawing.js), which draws the boards, hands and cards in a view and
shows the rest as text. The curve has the scores.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, to_builtins

from referee.games.interface.page import PageDefinition, Series, Spectator
from referee.games.small.author import Game
from referee.games.small.messages import GameInfo, MovesPlayed, View
from referee.games.small.parts import parts


def page_of(kind: type[Game]) -> PageDefinition:
    """Create the `PageDefinition` of a game."""
    return PageDefinition(
        folder=Path(__file__).parent,
        series=(Series("points", "", lambda view: view.scores),),
        facts=lambda options: {"marks": kind.marks},
        fields=lambda view: {"parts": to_builtins(parts(kind, view.state, len(view.scores)))},
        spectator=LoggedStates,
    )


class LoggedStates(Spectator):
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
