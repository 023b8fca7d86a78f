"""A game for reinforcement learning, with numbers in and integers out (spec/python-rl.md).

An environment translates between the game and a policy, much like a dialect. It only looks at the
`Game.view` of the policy's seat. A policy that was trained in the environment can therefore also
play as a bot, which gets its view from a `StateTracker`. Each seat of a match has its own
translator:

    player = environment.translator(seat, seats, options)
    player.look(game.view(seat), asked=True)
    reply = None
    while reply is None:  # a reply may take several actions
        reply = player.act(choose(player.observe(), player.legal()))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T", bound=Struct)


class NoActionError(Exception):
    """The actions of an environment can't express a reply.

    This isn't a bug. An environment has few actions, and bots may reply in other ways.
    """


class Translator(Protocol):
    """Translates for one seat in one match.

    A reply may take several actions, so a translator remembers the ones before the reply is
    complete.
    """

    def look(self, view: Any, *, asked: bool) -> None:
        """Show the current view to the translator. `asked` is True if the seat has to reply."""

    def observe(self) -> NDArray[Any]:
        """Return the observation as a new array. `Environment.observation` has its layout."""

    def legal(self) -> NDArray[np.int8] | None:
        """Return the action mask, with 1 for each legal choice, or None if there's no mask.

        It's all zeros while the seat has no request. If an action is an array of choices, we don't
        need a mask, because all arrays are legal.
        """

    def act(self, action: Any) -> Struct | None:
        """Carry out an action. The seat must have a request.

        Args:
            action: the index of a choice, or an array of such indices.

        Returns:
            The reply to the request, which is legal, or None if the reply needs more actions.

        Raises:
            UsageError: the action isn't legal. Nothing has changed.
        """

    def actions_of(self, reply: Any) -> Iterator[Any]:
        """Yield the actions that lead to a reply, carrying out each one before the next.

        If you call `observe` whenever you get an action, you get the pairs of a dataset.

        Args:
            reply: a valid reply to the request, or one of its parts (`Environment.parts`).

        Raises:
            NoActionError: no actions lead to this reply.
        """

    def show(self) -> str:
        """Format the observation for people. There's no newline at the end."""


class StateTracker(Protocol):
    """Computes the view of a seat from the lines that its bot receives.

    You only need this for a policy that plays as a bot. An environment can ask the game itself.
    """

    def observe(self, message: Struct) -> None:
        """Read a public message, a request to this seat, or the seat's reply."""

    def view(self) -> Struct:
        """Return the same as the game's `view` of this seat. The seat must have a request."""


class Numbers(Struct, frozen=True):
    """The names and bounds of the numbers in an observation.

    Attributes:
        names: names of the entries along the last dimension.
        low, high: bounds with the shape of the observation. Numbers are clipped to them. They have
            the type of the observation: int32, or float32 if there may be fractions.
    """

    names: tuple[str, ...]
    low: NDArray[Any]
    high: NDArray[Any]


class Environment(Struct, frozen=True):
    """The environment of a game.

    Attributes:
        id: the name in Gymnasium ids, e.g. "Dominion" in "referee/Dominion-v1".
        opponent: the default opponent in `gym_env`, which is a bundled bot.
        version: increases when the meaning of observations or actions changes.
        choices: returns the names of all choices from the options of the game. Actions are indices
            of this tuple.
        observation: returns the layout from the number of seats and the options.
        translator: creates a translator from the seat, the number of seats and the options.
        tracker: creates a tracker from the seat and the number of seats.
        action_shape: returns () from the options if an action is a single choice. Otherwise it
            returns the shape of an array of choices.
        simultaneous: True if all players move together. You can then use the parallel API.
        parts: splits a reply into replies that a policy would choose one after the other, e.g. if a
            bot sends a whole turn in one reply. Together they have the same effect, and each of
            them answers a request of the same kind. By default a reply is its only part.
        earlier: older versions that you can still use.
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
    parts: Callable[[Struct], Sequence[Struct]] = lambda reply: (reply,)
    earlier: tuple[Environment, ...] = ()

    def of_version(self, version: int | None) -> Environment:
        """Return this version of the environment, or the newest one if `version` is None."""
        found = {one.version: one for one in (self, *self.earlier)}
        return self if version is None else found[version]


def made_of(kind: type[T], *sources: Struct, **others: Any) -> T:
    """Create a struct, and take its fields from keyword arguments or from other structs.

    Keyword arguments come first, and then the structs in the given order.
    """
    for source in sources:
        others = {name: getattr(source, name) for name in source.__struct_fields__} | others
    return kind(**{name: others[name] for name in kind.__struct_fields__})
