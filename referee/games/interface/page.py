"""A game's parts of the page that shows its matches: `GameDefinition.page` (spec/page.md).

Its drawing, `page/drawing.js` and `page/drawing.css` in the game's folder, draws its views; numbers
and names come from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct, to_builtins


class Spectator(Protocol):
    """The public knowledge of a match, from its public messages only."""

    def observe(self, message: Struct) -> bool | None:
        """Take a public message of the game.

        Returns:
            Whether the state is whole: False if the next message belongs to this one. None: the
            rules do not allow it here, and no state is known from here on.
        """

    def view(self) -> Struct:
        """What `Game.view(PUBLIC)` says after these messages."""


class Series(Struct, frozen=True):
    """Numbers to be drawn as a curve; `of` makes one per seat from any viewer's view."""

    name: str
    unit: str
    of: Callable[[Any], list[float]]


class PageDefinition(Struct, frozen=True):
    """A game's parts of the page, beside views and turns.

    Attributes:
        folder: has drawing.js and drawing.css.
        facts: from the game's options, the facts of the game for the drawing, such as the cost of
            each card; it can be written as JSON. By default the views have all of it.
        spectator: from the number of seats; None where a `GameDefinition.log_player` takes its
            place.
        fields: from a view, what the drawing gets of it, as in JSON; by default all of its fields.
        shows_result: whether a state shows what its turn led to, as where all decide at the same
            time. Else it shows what a decision of its turn is about.
    """

    folder: Path
    series: tuple[Series, ...]
    facts: Callable[[Any], Mapping[str, Any]] = lambda options: {}
    spectator: Callable[[int], Spectator] | None = None
    fields: Callable[[Any], dict[str, Any]] = to_builtins
    shows_result: bool = False
