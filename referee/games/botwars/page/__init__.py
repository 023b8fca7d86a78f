"""Shows the grid (drawing.js) and the curves on the match page of Bot Wars."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from referee.games.botwars.rules.board import COLOURS
from referee.games.botwars.rules.view import View
from referee.games.interface.page import Now, PageDefinition, Series


def _fields(view: View) -> dict[str, Any]:
    # A cell and the difference to the next one pack better than two cells, by a tenth of the page.
    moves = {
        colour: [(move.from_, move.to - move.from_) for move in getattr(view.moves, colour)]
        for colour in COLOURS
    }
    return msgspec.to_builtins(view) | {"moves": moves}  # type: ignore[no-any-return]


PAGE = PageDefinition(
    folder=Path(__file__).parent,
    series=(
        Series("botlets", "", lambda view: [view.grid.count(colour) for colour in COLOURS]),
        Series("energy", "", lambda view: [view.p1.energy, view.p2.energy]),
    ),
    now=lambda view: Now(None, ()),
    fields=_fields,
    shows_result=True,
)
