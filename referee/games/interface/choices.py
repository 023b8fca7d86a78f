"""Shared code of environments whose replies consist of several choices.

As in the rules, a decision is a generator. It yields the legal options, receives the chosen one,
and returns the reply. Every option leads to a legal reply, so a learner can't get stuck halfway.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from operator import index
from typing import Any, ClassVar, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from referee.errors import UsageError
from referee.games.interface.environment import NoActionError

Options: TypeAlias = Mapping[str, Any]
"""Name of a legal choice -> the value that is sent to the generator if it's chosen. Never empty."""
Choices: TypeAlias = Generator[Options, Any, Struct]
"""Yields options, receives the value of the chosen one, and returns the reply."""
DONE = "done"


def counted(
    first: Sequence[int], places: Iterable[int], bounds: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return an observation: `first`, then the number of items at each place, clipped to bounds."""
    counts = np.bincount(np.fromiter(places, np.intp), minlength=len(bounds)).astype(np.int32)
    counts[: len(first)] = first
    return counts.clip(0, bounds)


class ChoosingTranslator:
    """The action part of a `referee.games.interface.environment.Translator`.

    A game adds `choices`, `chosen` and `observe`, and two class arguments: the names of its choices
    in order of their numbers, and the names of the entries of an observation.

    Attributes:
        options: the legal options. Empty while the seat has no request.
        picks: indices of the options picked so far for this reply.
    """

    names: ClassVar[Sequence[str]]
    _choices: ClassVar[Sequence[str]]
    _number: ClassVar[Mapping[str, int]]

    def __init_subclass__(cls, *, choices: Sequence[str], names: Sequence[str] = ()) -> None:
        cls.names = names
        cls._choices = choices
        cls._number = {name: number for number, name in enumerate(choices)}

    def __init__(self, seat: int, seats: int) -> None:
        self.seat = seat
        self.view: Any = None
        self.options: Options = {}
        self.picks: list[int] = []
        self._deciding: Choices

    @property
    def asked(self) -> Any:
        """The open request of the seat. None if there isn't one."""
        return self.view.request if self.options else None

    def choices(self) -> Choices:
        """Build the reply to the request of the view, one choice at a time."""
        raise NotImplementedError

    def chosen(self, reply: Any) -> Iterable[str]:
        """Return the names of the choices in a reply, in order, without "done"."""
        raise NotImplementedError

    def observe(self) -> NDArray[np.int32]:
        """Return the seat's knowledge in the format of the game's `layout`."""
        raise NotImplementedError

    def look(self, view: Any, *, asked: bool) -> None:
        """Set the current view of the seat. This discards an unfinished reply."""
        self.view, self.options, self.picks = view, {}, []
        if asked:
            self._deciding = self.choices()
            self.options = next(self._deciding)

    def legal(self) -> NDArray[np.int8]:
        """Return 1 for each legal choice, otherwise 0."""
        # This is faster than setting the elements of an array one by one.
        mask = bytearray(len(self._choices))
        for number in map(self._number.__getitem__, self.options):
            mask[number] = 1
        return np.frombuffer(mask, np.int8)

    def act(self, action: Any) -> Struct | None:
        """Carry out a choice by its number. Returns the reply if it is complete.

        Raises:
            UsageError: the choice isn't legal.
        """
        # Policies return all kinds of integers, e.g. NumPy's. index() accepts them and rejects 1.5,
        # which int() would truncate.
        try:
            number = index(action)  # accepts any integer type
        except TypeError:
            number = -1
        name = self._choices[number] if 0 <= number < len(self._choices) else ""
        if name not in self.options:
            raise UsageError(self.refusal(action))
        chosen, self.options = self.options[name], {}
        # Once the reply is complete, the generator returns, and no options are left.
        try:
            self.options = self._deciding.send(chosen)
        except StopIteration as done:
            reply: Struct = done.value
            return reply
        return None

    def actions_of(self, reply: Any) -> Iterator[int]:
        """Yield the choices that express a reply. Each is carried out before the next is yielded.

        Raises:
            NoActionError: no choices express this reply.
        """
        names, made = deque(self.chosen(reply)), None
        while made is None:
            # The names don't include "done". If the next name isn't an option, we try to end the
            # reply here. Any names left after that show that the choices can't express the reply.
            name = names.popleft() if names and names[0] in self.options else DONE
            if name not in self.options:
                raise NoActionError
            number = self._number[name]
            yield number
            made = self.act(number)
        if names:
            raise NoActionError

    def pick(
        self, among: Sequence[str], least: int, most: int
    ) -> Generator[Options, int, Sequence[int]]:
        """Let the player pick different items one by one. Returns their indices in that order.

        Args:
            among: names of the items. If several items have the same name, the first is picked.
            least: number of picks from which "done" is an option.
            most: number of picks that ends the decision.
        """
        # Iterate backwards, so that among items with the same name the first overwrites the others.
        places = range(len(among))[::-1]
        while True:
            options = {among[place]: place for place in places if place not in self.picks}
            if len(self.picks) >= least:
                options[DONE] = -1
            place = yield options
            if place >= 0:
                self.picks.append(place)
            if place < 0 or len(self.picks) >= most:
                return self.picks

    def refusal(self, action: object) -> str:
        """Explain that an action isn't legal. Games can override this to give the reason."""
        return f"action {action!r} is not legal now: see the action mask"

    def show(self) -> str:
        """Format the seat's knowledge for people.

        Zeros are left out, since most entries are zero.
        """
        numbers = zip(self.names, self.observe().tolist(), strict=True)
        return "\n".join(f"{name}: {number}" for name, number in numbers if number)
