"""A game for programs that learn to play it: numbers in, integers out (spec/python-rl.md).

Like a dialect, it is a translation, and it only knows `Game.view` of the seat. A policy learnt in
an environment can therefore play as a bot, whose view a `StateTracker` makes from lines. Each seat
of a match has an object of its own:

    player = environment.translator(seat, seats, options)
    player.look(game.view(seat), asked=True)
    reply = None
    while reply is None:  # a reply may take several actions
        reply = player.act(choose(player.observe(), player.legal()))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T", bound=Struct)


class Translator(Protocol):
    """The translation for one seat in one match."""

    def look(self, view: Any, *, asked: bool) -> None:
        """Take what the seat knows now."""

    def observe(self) -> NDArray[np.int32]:
        """Return the seat's knowledge, as `Environment.observation` says; a new array."""

    def legal(self) -> NDArray[np.int8] | None:
        """1 for each choice that is legal now, else 0; all 0 while the seat is not asked.

        None if an action is an array of choices: then all are legal.
        """

    def act(self, action: Any) -> Struct | None:
        """Take an action of a seat that has a request.

        Args:
            action: the index of a choice, or an array of them.

        Returns:
            The reply to the request, which is legal; None if it takes another action first.

        Raises:
            UsageError: the action is not legal; nothing has changed.
        """

    def show(self) -> str:
        """Show the seat's knowledge, for people: lines without a line end after the last."""


class StateTracker(Protocol):
    """A seat's knowledge of a match, from the lines that its bot gets."""

    def observe(self, message: Struct) -> None:
        """Take a public message of the game, a request to this seat, or its reply."""

    def view(self) -> Struct:
        """Return what `Game.view` gives to this seat at its request."""


class Numbers(Struct, frozen=True):
    """The names and bounds of the numbers in an observation.

    Attributes:
        names: of its entries; if it has more than one dimension, of its last.
        low, high: its bounds, both of its shape. A number beyond them is shown as the bound.
    """

    names: tuple[str, ...]
    low: NDArray[np.int32]
    high: NDArray[np.int32]


class Environment(Struct, frozen=True):
    """How a game is translated.

    Attributes:
        id: the name in an id of Gymnasium, such as "Dominion" in "referee/Dominion-v1".
        opponent: the bundled bot that `gym_env` plays against unless the caller names others.
        version: goes up when the meaning of observations or actions changes.
        choices: the name of each choice, from the game's options; its place is its number.
        observation: from the number of seats and the game's options.
        translator: from a seat, the number of seats and the game's options.
        tracker: from a seat and the number of seats.
        action_shape: from the game's options: () if an action is one choice, else the shape of
            an array of choices.
        simultaneous: whether all players move together, so that it is a parallel environment.
        earlier: the versions before this one that can still be used.
    """

    id: str
    opponent: str
    version: int
    choices: Callable[[Any], tuple[str, ...]]
    observation: Callable[[int, Any], Numbers]
    translator: Callable[[int, int, Any], Translator]
    tracker: Callable[[int, int], StateTracker]
    action_shape: Callable[[Any], tuple[int, ...]] = lambda options: ()
    simultaneous: bool = False
    earlier: tuple[Environment, ...] = ()

    def of_version(self, version: int | None) -> Environment:
        """Return a version of the environment; None: this one, the newest."""
        found = {one.version: one for one in (self, *self.earlier)}
        return self if version is None else found[version]


def made_of(kind: type[T], *sources: Struct, **others: Any) -> T:
    """Make a struct from given fields and from the fields of other structs, the first one first."""
    for source in sources[::-1]:
        others = {name: getattr(source, name) for name in source.__struct_fields__} | others
    return kind(**{name: others[name] for name in kind.__struct_fields__})
