"""What the match page shows of Bot Wars: the grid (drawing.js), and curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from referee.games.botwars.rules.board import COLOURS
from referee.games.botwars.rules.view import View
from referee.games.interface.page import Page, Series


def _botlets(view: View) -> list[float]:
    return [view.grid.count(colour) for colour in COLOURS]


def _energy(view: View) -> list[float]:
    return [view.p1.energy, view.p2.energy]


def _facts(options: Any) -> dict[str, Any]:
    return {}  # the view has all that is drawn


PAGE = Page(
    folder=Path(__file__).parent,
    series=(Series("botlets", "", _botlets), Series("energy", "", _energy)),
    facts=_facts,
    shows_result=True,
)
