"""What the match page shows of Bot Wars: the grid (drawing.js), and curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from referee.games.botwars.rules.board import COLOURS
from referee.games.botwars.rules.view import Follower, View
from referee.games.interface.page import Page, Series


def _botlets(view: View) -> list[float]:
    return [view.grid.count(colour) for colour in COLOURS]


def _energy(view: View) -> list[float]:
    return [view.p1.energy, view.p2.energy]


def _facts(options: Any) -> dict[str, Any]:
    return {}  # the view has all that is drawn


class Spectator:
    """Implements `referee.games.interface.page.Spectator` for Bot Wars."""

    def __init__(self, seats: int) -> None:
        self._follower = Follower()

    def hear(self, message: Struct) -> bool:
        """Take a public message; each leaves a whole state."""
        self._follower.hear(message)
        return True

    def view(self) -> View:
        """What `Game.view` says, to whomever."""
        return self._follower.view()


PAGE = Page(
    folder=Path(__file__).parent,
    series=(Series("botlets", "", _botlets), Series("energy", "", _energy)),
    facts=_facts,
    spectator=Spectator,
    shows_result=True,
)
