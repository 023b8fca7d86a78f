"""A game for reinforcement learning, with numbers in and integers out (spec/python-rl.md).

Like a dialect, it's a translation. It only uses the seat's `Game.view`. Therefore a policy that was
trained in an environment can also play as a bot, whose view comes from a `StateTracker`. Each seat
of a match has its own translator:

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
    """The translation for one seat in one match.

    It stores the choices of an unfinished reply, so it isn't a pure function of the view.
    """

    def look(self, view: Any, *, asked: bool) -> None:
        """Set the current view of the seat. `asked` is True if the seat has a request."""

    def observe(self) -> NDArray[np.int32]:
        """Return the seat's knowledge as a new array; `Environment.observation` is its layout."""

    def legal(self) -> NDArray[np.int8] | None:
        """Return 1 for each legal choice, otherwise 0. All are 0 while the seat has no request.

        None if an action is an array of choices, because all such arrays are legal.
        """

    def act(self, action: Any) -> Struct | None:
        """Carry out an action of a seat with a request.

        Args:
            action: the index of a choice, or an array of them.

        Returns:
            The legal reply to the request, or None if it takes more actions.

        Raises:
            UsageError: the action isn't legal. The state is unchanged.
        """

    def actions_of(self, reply: Any) -> Iterator[Any]:
        """Yield the actions that express a reply. Each is carried out before the next is yielded.

        You can therefore call `observe` before each action, to get the pairs of a dataset.

        Args:
            reply: a valid reply to the request of the seat, or a part of one (`Environment.parts`).

        Raises:
            NoActionError: no actions express this reply.
        """

    def show(self) -> str:
        """Format the seat's knowledge for people, as lines without a final line end."""


class StateTracker(Protocol):
    """A seat's knowledge of a match, derived from the lines that its bot receives.

    It's only needed for a policy that plays as a bot, because an environment has the game itself.
    """

    def observe(self, message: Struct) -> None:
        """Read a public message of the game, a request to this seat, or its reply."""

    def view(self) -> Struct:
        """Return `Game.view` of this seat at its request."""


class Numbers(Struct, frozen=True):
    """Names and bounds of the numbers in an observation.

    Attributes:
        names: names of the entries along the last dimension.
        low, high: bounds with the shape of the observation. Numbers are clipped to them.
    """

    names: tuple[str, ...]
    low: NDArray[np.int32]
    high: NDArray[np.int32]


class Environment(Struct, frozen=True):
    """The environment of a game.

    Attributes:
        id: name in Gymnasium ids, such as "Dominion" in "referee/Dominion-v1".
        opponent: the default opponent in `gym_env`, a bundled bot.
        version: increases when the meaning of observations or actions changes.
        choices: options of the game -> names of the choices, in order of their numbers.
        observation: (number of seats, options of the game) -> layout.
        translator: (seat, number of seats, options of the game) -> translator.
        tracker: (seat, number of seats) -> tracker.
        action_shape: options of the game -> () if an action is one choice, otherwise the shape of
            an array of choices.
        simultaneous: True if all players move together, which makes it a parallel environment.
        parts: a reply -> replies with the same effect. Each answers a request of the same kind, and
            is made of actions.
        earlier: older versions that can still be used.
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
        """Return a version of the environment. None: the newest."""
        found = {one.version: one for one in (self, *self.earlier)}
        return self if version is None else found[version]


def made_of(kind: type[T], *sources: Struct, **others: Any) -> T:
    """Create a struct from given fields and from the fields of other structs.

    If a field occurs more than once, the given field or the earlier struct takes precedence.
    """
    for source in sources[::-1]:
        others = {name: getattr(source, name) for name in source.__struct_fields__} | others
    return kind(**{name: others[name] for name in kind.__struct_fields__})
