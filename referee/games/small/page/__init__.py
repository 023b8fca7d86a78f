"""How the page shows small games.

All of them use the same drawing (drawing.js), which draws the boards, hands and cards in a view and
shows the rest as text. The curve has the scores.
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
    )
