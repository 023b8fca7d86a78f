"""Shows the grid (drawing.js) and the curves on the match page of Bot Wars."""

from __future__ import annotations

from pathlib import Path

from referee.games.botwars.rules.board import COLOURS
from referee.games.interface.page import Now, PageDefinition, Series

PAGE = PageDefinition(
    folder=Path(__file__).parent,
    series=(
        Series("botlets", "", lambda view: [view.grid.count(colour) for colour in COLOURS]),
        Series("energy", "", lambda view: [view.p1.energy, view.p2.energy]),
    ),
    now=lambda view: Now(None, ()),
    shows_result=True,
)
