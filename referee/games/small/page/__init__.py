"""The page of a small game, with the parts of its views (drawing.js) and a curve of the scores.

All small games use the same drawing. It draws boards, hands and lists, and shows the rest as text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from referee.games.interface.page import PageDefinition, Series
from referee.games.small.cells import Meaning
from referee.games.small.messages import View


def page_of(means: Callable[[], Meaning]) -> PageDefinition:
    """Make the page of a game.

    `means` returns the meaning of the game's moves. It's a function because learning the meaning
    takes some random turns, and most matches are never shown on a page.
    """

    def fields(view: View) -> dict[str, Any]:
        return {"parts": to_builtins(means().parts(view.state, len(view.scores)))}

    return PageDefinition(
        folder=Path(__file__).parent,
        series=(Series("points", "", lambda view: view.scores),),
        facts=lambda options: {"marks": means().marks},
        fields=fields,
    )
