"""Where the random choices of a game come from.

In a match and its replay, they depend on a seed (`SeededRandomSource`). Tests can fix them, and if
we check another referee, we repeat the choices which that referee made. A game must not use any
other source of randomness. If it did, we couldn't replay its matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import tee
from random import Random
from typing import Any, Protocol


class RandomSource(Protocol):
    """The random choices of one game. Each game needs a new source.

    A source has several named streams: one for each seat ("player1"), and any others that a game
    uses. Draws from one stream don't affect the others, so a player who shuffles more often doesn't
    change the luck of the opponent.
    """

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Shuffle items in place. The last card of a deck is on top."""

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        """Called before `count` cards are drawn from the end of a deck into a hand.

        A source that follows another referee uses this to put the right cards on top of the deck.
        Other sources do nothing. If the deck runs out during a draw and has to be shuffled, there's
        one call for the cards before the shuffle and one for the cards after it.

        Args:
            count: at least 1, and at most `len(deck)`.
        """

    def take(self, stream: str, items: list[Any], count: int, owner: str = "") -> list[Any]:
        """Remove `count` random items from a list, and return them in the order of removal.

        Args:
            owner: the player number of the items' owner. Only sources that follow another referee
                need it.
        """

    def choose(self, stream: str, count: int) -> int:
        """Choose one of `count` things: 0 <= result < count."""


def shuffle(cards: list[Any], random: Callable[[], float]) -> None:
    """Shuffle in place: Fisher-Yates from the end, with one `random()` in [0, 1) per step.

    We don't use `Random.shuffle`, because it may change in a new version of Python, and a log must
    give the same match on every version. Python only guarantees that `Random.random` returns the
    same sequence for a seed.
    """
    for last in range(len(cards) - 1, 0, -1):
        chosen = int(random() * (last + 1))
        cards[last], cards[chosen] = cards[chosen], cards[last]


class SeededRandomSource:
    """A random source whose streams depend on their names and on a seed (protocol, 4.7).

    The seed must be from 0 to 2**53 - 1. We write it as JSON, and many languages read numbers as
    doubles.
    """

    __slots__ = ("_seed", "_streams")

    def __init__(self, seed: int) -> None:
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Restart all streams with another seed."""
        self._seed = seed
        self._streams: dict[str, Random | Iterator[float]] = {}

    def copy(self) -> SeededRandomSource:
        """Return a source that will make the same choices as this one from now on."""
        new = SeededRandomSource(self._seed)
        for name, stream in self._streams.items():
            numbers = iter(stream.random, None) if isinstance(stream, Random) else stream
            self._streams[name], new._streams[name] = tee(
                numbers
                # Copying a Random with its 625 numbers is expensive. Instead, both streams now read
                # from the same generator.
            )
        return new

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Shuffle items in place. The last card of a deck is on top."""
        shuffle(items, self._stream(stream))

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        """Do nothing. The deck was shuffled, so its order is already random."""

    def take(self, stream: str, items: list[Any], count: int, owner: str = "") -> list[Any]:
        """Remove `count` random items, and return them in the order of removal."""
        random = self._stream(stream)
        return [items.pop(int(random() * len(items))) for _ in range(count)]

    def choose(self, stream: str, count: int) -> int:
        """Choose one of `count` things: 0 <= result < count."""
        return int(self._stream(stream)() * count)

    def _stream(self, name: str) -> Callable[[], float]:
        stream = self._streams.get(name)
        if stream is None:
            # Seeding a Random is expensive, so a stream is only seeded when it's first used.
            stream = self._streams[name] = Random(f"{self._seed}/{name}")
        return stream.random if isinstance(stream, Random) else stream.__next__
