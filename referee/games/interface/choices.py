"""Base class for environments in which a learner builds a reply from several choices.

A decision is a generator, as in the rules. It yields the legal options, receives the chosen one,
and so on, and finally returns the reply. Every option leads to a legal reply, so a learner can't
get stuck halfway.
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
"""The legal choices by name, never empty. If one is chosen, the generator receives its value."""
Choices: TypeAlias = Generator[Options, Any, Struct]
"""Yields options, receives the value of the chosen one, and returns the reply."""
DONE = "done"


def counted(
    first: Sequence[int], places: Iterable[int], bounds: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Create an observation by counting how often each index occurs in `places`.

    The counts at the beginning are then overwritten with `first`, and everything is clipped to
    0 and `bounds`.
    """
    counts = np.bincount(np.fromiter(places, np.intp), minlength=len(bounds)).astype(np.int32)
    counts[: len(first)] = first
    return counts.clip(0, bounds)


class ChoosingTranslator:
    """Base class for a `Translator` (environment.py) that takes one choice after the other.

    A subclass implements `choices`, `chosen` and `observe`. It also passes two class arguments:
    `choices` has the names of all choices, and `names` has the names of the numbers in an
    observation. An action is the index of a name in `choices`.

    Attributes:
        options: the choices that are legal now, or {} while the seat has no request.
        picks: the items picked so far in `pick`, as indices.
    """

    names: ClassVar[Sequence[str]]
    _choices: Sequence[str]
    _number: Mapping[str, int]

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
        """The request that the seat has to answer, or None."""
        return self.view.request if self.options else None

    def choices(self) -> Choices:
        """Build the reply to `self.view.request`, one choice at a time."""
        raise NotImplementedError

    def chosen(self, reply: Any) -> Iterable[str]:
        """Return the names of the choices that lead to this reply, in order, without any "done"."""
        raise NotImplementedError

    def observe(self) -> NDArray[Any]:
        """Return `self.view` as an array of numbers."""
        raise NotImplementedError

    def look(self, view: Any, *, asked: bool) -> None:
        """Show a new view to the translator, which forgets any unfinished reply."""
        self.view, self.options, self.picks = view, {}, []
        if asked:
            self._deciding = self.choices()
            self.options = next(self._deciding)

    def legal(self) -> NDArray[np.int8]:
        """Return the action mask, which has 1 for each legal choice and 0 for all others."""
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
            number = index(action)
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
        """Yield the choices that lead to a reply, carrying out each one before the next.

        Raises:
            NoActionError: no choices lead to this reply.
        """
        names, made = deque(self.chosen(reply)), None
        while made is None:
            # chosen() leaves out "done", so we insert it whenever the next name isn't an option. If
            # the reply is complete and there are still names left, our choices can't express it.
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
        """Let the player pick items one by one. Returns their indices in the order of the picks.

        Args:
            among: the names of the items. If two items have the same name, we pick the first one.
            least: the player can say "done" after this many picks.
            most: after this many picks we stop asking.
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
        """Return the error message for an illegal action. Override it if you know the reason."""
        return f"action {action!r} is not legal now: see the action mask"

    def show(self) -> str:
        """Format the observation for people, one number per line.

        We leave out zeros, because most of the numbers are zero.
        """
        numbers = zip(self.names, self.observe().tolist(), strict=True)
        return "\n".join(f"{name}: {number}" for name, number in numbers if number)
