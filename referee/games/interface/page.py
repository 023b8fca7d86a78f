"""The interface through which the page shows the matches of a game (`GameDefinition.page`).

The views are drawn by `page/drawing.js` and `page/drawing.css` in the game's folder. The drawing
gets all numbers and names from Python, so that we don't have to define them twice. See
tools/javascript/page-data.md, 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from referee.games.interface.sentence import Part
from referee.games.interface.table import Moved


class Spectator(Protocol):
    """Computes the public view of a match from its public messages.

    We need it to show a spectator log. A record is shown by running the game itself.
    """

    def observe(self, message: Struct) -> bool | None:
        """Read a public message of the game.

        Returns:
            True if `view` is up to date, or False if the next message belongs to the same change of
            the state. If the rules don't allow the message, this returns None, and we don't know
            the state any more.
        """

    def view(self) -> Struct:
        """Return the same as the game's `view(PUBLIC)` after these messages."""

    def take_moved(self) -> Sequence[Moved]:
        """Return the public moves since the last call.

        Called only if the game has `PageDefinition.now`.
        """
        return ()


class Counter(Struct, frozen=True, array_like=True):
    """A number that matters during a turn, e.g. the actions left.

    `value` is None if the viewer can't know the number.
    """

    name: str
    value: int | None


class Now(Struct, frozen=True):
    """The current turn, as a viewer sees it.

    Attributes:
        seat: the player whose turn it is.
        counters: numbers of this player. A game should always return the same counters, because
            each one has a fixed place on the page.
        did: a sentence about the last action of the turn.
        played, got: the cards that the player has played and received in this turn, in order. These
            are keys of the game's `facts`.
    """

    seat: int | None
    counters: tuple[Counter, ...]
    did: Sequence[Part] = ()
    played: Sequence[str] = ()
    got: Sequence[str] = ()


class Series(Struct, frozen=True):
    """A curve for each player. `of` takes any viewer's view and returns a number for each seat."""

    name: str
    unit: str
    of: Callable[[Any], list[float]]


class PageDefinition(Struct, frozen=True):
    """How the page shows a match, in addition to the game's views and turns.

    Attributes:
        folder: the folder with drawing.js and drawing.css.
        series: the curves to plot.
        facts: takes the options of the game, and returns facts that the drawing needs, such as the
            cost of each card. They must be JSON values.
        spectator: takes the number of seats, and creates a `Spectator`. A game with a
            `GameDefinition.log_player` doesn't need one.
        fields: takes a view, and returns the fields that the drawing needs, as JSON values. By
            default the drawing gets all fields.
        now: takes any viewer's view, and returns whose turn it is and the counters. The other
            fields of `Now` are filled in from the moves. Without this function, the page shows a
            summary of the last turn instead.
        shows_result: True if a state shows the result of its turn, as in games with simultaneous
            moves. False if it shows the situation before a decision.
    """

    folder: Path
    series: tuple[Series, ...]
    facts: Callable[[Any], Mapping[str, Any]] = lambda options: {}
    spectator: Callable[[int], Spectator] | None = None
    fields: Callable[[Any], dict[str, Any]] | None = None
    now: Callable[[Any], Now] | None = None
    shows_result: bool = False
