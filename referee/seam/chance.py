"""All that is random in a game, as one object that the game is given.

Live and in replay it is seeded (`SeededChance`). In a test it is stacked, and where another referee
is followed it says what that one drew. A game draws from nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol

from referee.seam.seats import seat_id


class Chance(Protocol):
    """All that is random in a game. One game draws from it; the next one needs a new one.

    Seats are counted from 0.
    """

    def shuffle(self, seat: int, cards: list[str]) -> None:
        """Put a seat's cards, which become its deck, in a random order, in place.

        The last is on top.
        """

    def before_draw(self, seat: int, hand: Sequence[str], deck: list[str], count: int) -> None:
        """Learn that so many cards are about to be drawn from the end of a deck into a hand.

        A chance that follows another referee's puts on top what that one drew; others do nothing.
        A draw that goes on after a shuffle is announced in two parts.

        Args:
            count: 1 <= count <= len(deck).
        """

    def take(self, seat: int, cards: list[str], count: int) -> list[str]:
        """Take so many of a seat's cards at random out of a list, in place.

        Returns:
            Them, in the order in which they were taken.
        """

    def choose(self, stream: str, count: int) -> int:
        """Choose one of `count` things by a stream of that name: 0 <= result < count."""


def shuffle(cards: list[str], random: Callable[[], float]) -> None:
    """Shuffle in place: Fisher-Yates from the end, one `random()` in [0, 1) for each step.

    Python promises the sequence of `Random.random` for a seed across versions, and promises
    nothing for `Random.shuffle`; a log must play the same on every Python.
    """
    for last in range(len(cards) - 1, 0, -1):
        chosen = int(random() * (last + 1))
        cards[last], cards[chosen] = cards[chosen], cards[last]


class SeededChance:
    """The streams of protocol-v1, 4.7: one for each seat's shuffles, one for what is taken.

    A game may name more of them (`choose`). A seat's luck does not depend on what the others do.

    Args:
        seed: 0 <= seed < 2**53.
    """

    __slots__ = ("_seed", "_streams")

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._streams: dict[str, Callable[[], float]] = {}

    def shuffle(self, seat: int, cards: list[str]) -> None:
        """Shuffle with the seat's stream."""
        shuffle(cards, self._stream(seat_id(seat)))

    def before_draw(self, seat: int, hand: Sequence[str], deck: list[str], count: int) -> None:
        """Do nothing: the order of the deck says it all."""

    def take(self, seat: int, cards: list[str], count: int) -> list[str]:
        """Take with the referee's stream, whosever cards they are."""
        random = self._stream("referee")
        return [cards.pop(int(random() * len(cards))) for _ in range(count)]

    def choose(self, stream: str, count: int) -> int:
        """Choose with the stream of that name, one number of it."""
        return int(self._stream(stream)() * count)

    def _stream(self, name: str) -> Callable[[], float]:
        random = self._streams.get(name)
        if random is None:
            random = self._streams[name] = Random(f"{self._seed}/{name}").random
        return random
