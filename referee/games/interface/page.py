"""A game's parts of the page that shows its matches: `GameDefinition.page` (spec/page-data.md, 2).

Its drawing, `page/drawing.js` and `page/drawing.css` in the game's folder, draws its views; numbers
and names come from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from referee.games.interface.sentence import Part
from referee.games.interface.table import Moved


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

    def take_moved(self) -> Sequence[Moved]:
        """What was done since the last call, as far as the public knows it.

        Only a game with a `PageDefinition.now` is asked.
        """


class Counter(Struct, frozen=True, array_like=True):
    """A number that the player on turn has, such as its actions left; None: not known."""

    name: str
    value: int | None


class Now(Struct, frozen=True):
    """What happens now, as far as a viewer knows it.

    Attributes:
        seat: who is on turn.
        counters: its numbers. A game has the same ones in all states, so that they keep their
            place.
        did: what a player did last in this turn, a sentence.
        played, got: the cards that the player on turn has played and got in it, in order, as keys.
    """

    seat: int | None
    counters: tuple[Counter, ...]
    did: Sequence[Part] = ()
    played: Sequence[str] = ()
    got: Sequence[str] = ()


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
        fields: from a view, what the drawing gets of it, as in JSON; None: all of its fields.
        now: from any viewer's view, who is on turn and the counters; what was done comes from the
            moves. None: what was done is the line of the last turn.
        shows_result: whether a state shows what its turn led to, as where all decide at the same
            time. Else it shows what a decision of its turn is about.
    """

    folder: Path
    series: tuple[Series, ...]
    facts: Callable[[Any], Mapping[str, Any]] = lambda options: {}
    spectator: Callable[[int], Spectator] | None = None
    fields: Callable[[Any], dict[str, Any]] | None = None
    now: Callable[[Any], Now] | None = None
    shows_result: bool = False
