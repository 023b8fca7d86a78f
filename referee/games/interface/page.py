"""The parts of a game for the page of its matches: `GameDefinition.page` (spec/page-data.md, 2).

`page/drawing.js` and `page/drawing.css` in the game's folder draw its views. They get numbers and
names from this module and don't define their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from referee.games.interface.sentence import Part
from referee.games.interface.table import Moved


class Spectator(Protocol):
    """The public knowledge of a match, derived from its public messages only.

    The page uses it for spectator logs. For a record, it uses the game itself.
    """

    def observe(self, message: Struct) -> bool | None:
        """Read a public message of the game.

        Returns:
            True if the state is complete. False if the next message belongs to the same change.
            None if the rules don't allow the message; the state is unknown from then on.
        """

    def view(self) -> Struct:
        """Return `Game.view(PUBLIC)` after these messages."""

    def take_moved(self) -> Sequence[Moved]:
        """Return the public moves since the last call.

        Called only if the game has `PageDefinition.now`.
        """


class Counter(Struct, frozen=True, array_like=True):
    """A number of the player on turn, e.g. remaining actions. None if unknown."""

    name: str
    value: int | None


class Now(Struct, frozen=True):
    """The state of the current turn, as known to a viewer.

    Attributes:
        seat: the player on turn.
        counters: numbers of this player. A game has the same counters in all states, so that each
            has a fixed place on the page.
        did: the last action in this turn, a sentence.
        played, got: keys of the cards that the player has played and received in this turn, in
        order.
    """

    seat: int | None
    counters: tuple[Counter, ...]
    did: Sequence[Part] = ()
    played: Sequence[str] = ()
    got: Sequence[str] = ()


class Series(Struct, frozen=True):
    """Numbers to plot. `of` returns one number per seat, given any viewer's view."""

    name: str
    unit: str
    of: Callable[[Any], list[float]]


class PageDefinition(Struct, frozen=True):
    """The parts of a game for its page, in addition to views and turns.

    Attributes:
        folder: the folder of drawing.js and drawing.css.
        facts: returns facts for the drawing from the options of the game, such as the cost of each
            card. They must be JSON values. Default: none, because the views are sufficient.
        spectator: creates a spectator from the number of seats. None if the game has a
            `GameDefinition.log_player` instead.
        fields: returns the fields of a view that the drawing needs, as JSON values. None: all
            fields.
        now: returns the player on turn and the counters from any viewer's view. Moves provide the
            rest. None: the page shows the line of the last turn instead.
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
