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


class Counter(Struct, frozen=True, array_like=True):
    """A number that the player on turn has, such as its actions left; None: not known."""

    name: str
    value: int | None


class Now(Struct, frozen=True):
    """What happens now, as far as a viewer knows it: who is on turn, and its counters.

    A game has the same counters in all states, so that they keep their place.
    """

    seat: int | None
    counters: tuple[Counter, ...] = ()


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
        now: from any viewer's view, what happens now; None where a game does not say it.
        shows_result: whether a state shows what its turn led to, as where all decide at the same
            time. Else it shows what a decision of its turn is about.
    """

    folder: Path
    series: tuple[Series, ...]
    facts: Callable[[Any], Mapping[str, Any]] = lambda options: {}
    spectator: Callable[[int], Spectator] | None = None
    fields: Callable[[Any], dict[str, Any]] = to_builtins
    now: Callable[[Any], Now | None] = lambda view: None
    shows_result: bool = False
