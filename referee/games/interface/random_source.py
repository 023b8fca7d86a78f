"""All that is random in a game, as one object that the game is given.

Live and in replay it is seeded (`SeededRandomSource`). In a test it is stacked, and where another
referee is followed it says what that one drew. A game draws from nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import tee
from random import Random
from typing import Any, Protocol


class RandomSource(Protocol):
    """All that is random in a game. One game draws from it; the next one needs a new one.

    It has streams, each with a name: a seat has its own ("player1"), and a game names others as it
    likes. A draw from one stream does not change the others.
    """

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Put items in a random order, in place; the last of a deck is on top."""

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        """Learn that `count` cards are about to be drawn from the end of a deck into a hand.

        A source that copies another referee puts the cards that this one drew on top; others do
        nothing. A draw that continues after a shuffle is announced in two parts.

        Args:
            count: 1 <= count <= len(deck).
        """

    def take(self, stream: str, items: list[Any], count: int, owner: str = "") -> list[Any]:
        """Take `count` items at random out of a list, in place.

        Args:
            owner: the seat that they are of, for a chance that follows another referee's.

        Returns:
            Them, in the order in which they were taken.
        """

    def choose(self, stream: str, count: int) -> int:
        """Choose one of `count` things by a stream of that name: 0 <= result < count."""


def shuffle(cards: list[Any], random: Callable[[], float]) -> None:
    """Shuffle in place: Fisher-Yates from the end, one `random()` in [0, 1) for each step.

    Python promises the sequence of `Random.random` for a seed across versions, and promises
    nothing for `Random.shuffle`; a log must play the same on every Python.
    """
    for last in range(len(cards) - 1, 0, -1):
        chosen = int(random() * (last + 1))
        cards[last], cards[chosen] = cards[chosen], cards[last]


class SeededRandomSource:
    """Streams that follow from the seed, 0 <= seed < 2**53, and their own names (protocol, 4.7)."""

    __slots__ = ("_seed", "_streams")

    def __init__(self, seed: int) -> None:
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Begin all streams again, with another seed."""
        self._seed = seed
        self._streams: dict[str, Random | Iterator[float]] = {}

    def copy(self) -> SeededRandomSource:
        """Return a source whose streams continue as these do."""
        new = SeededRandomSource(self._seed)
        for name, stream in self._streams.items():
            numbers = iter(stream.random, None) if isinstance(stream, Random) else stream
            self._streams[name], new._streams[name] = tee(numbers)  # they share what both will read
        return new

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Shuffle with the stream of that name, a number of it for each step."""
        shuffle(items, self._stream(stream))

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        """Do nothing: the order of the deck says it all."""

    def take(self, stream: str, items: list[Any], count: int, owner: str = "") -> list[Any]:
        """Take with the stream of that name, a number of it for each item."""
        random = self._stream(stream)
        return [items.pop(int(random() * len(items))) for _ in range(count)]

    def choose(self, stream: str, count: int) -> int:
        """Choose with the stream of that name, one number of it."""
        return int(self._stream(stream)() * count)

    def _stream(self, name: str) -> Callable[[], float]:
        stream = self._streams.get(name)
        if stream is None:
            stream = self._streams[name] = Random(f"{self._seed}/{name}")
        return stream.random if isinstance(stream, Random) else stream.__next__
