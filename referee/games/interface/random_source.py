"""Sources of the random choices of a game.

In a match and its replay, the choices depend on a seed (`SeededRandomSource`). In a test they are
fixed. A check of another referee repeats that referee's choices. A game must not use any other
source of randomness, because its matches couldn't be replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import tee
from random import Random
from typing import Any, Protocol


class RandomSource(Protocol):
    """The random choices of one game. Each game needs a new source.

    It has named streams. Each seat has a stream ("player1"), and games can use others. Draws from
    one stream don't affect the others, so a player who shuffles more often doesn't change the luck
    of the opponent.
    """

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Shuffle items in place. The last card of a deck is on top."""

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        """Announce that `count` cards will be drawn from the end of a deck into a hand.

        A source that follows another referee puts the right cards on top; others do nothing. If the
        deck runs out and is shuffled, there is one announcement for each part of the draw.

        Args:
            count: 1 <= count <= len(deck).
        """

    def take(self, stream: str, items: list[Any], count: int, owner: str = "") -> list[Any]:
        """Remove `count` random items from a list and return them in order of removal.

        Args:
            owner: the seat that owns the items, for sources that follow another referee.
        """

    def choose(self, stream: str, count: int) -> int:
        """Choose one of `count` things: 0 <= result < count."""


def shuffle(cards: list[Any], random: Callable[[], float]) -> None:
    """Shuffle in place: Fisher-Yates from the end, one `random()` in [0, 1) per step.

    We don't use `Random.shuffle`, because it may change between versions of Python, and a log must
    give the same match on every version. For `Random.random`, Python guarantees the same sequence
    for a seed.
    """
    for last in range(len(cards) - 1, 0, -1):
        chosen = int(random() * (last + 1))
        cards[last], cards[chosen] = cards[chosen], cards[last]


class SeededRandomSource:
    """Streams that depend on the seed, 0 <= seed < 2**53, and on their names (protocol, 4.7).

    (The limit is 2**53 because the seed is written as JSON, and many languages read numbers as
    doubles.)
    """

    __slots__ = ("_seed", "_streams")

    def __init__(self, seed: int) -> None:
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Restart all streams with another seed."""
        self._seed = seed
        self._streams: dict[str, Random | Iterator[float]] = {}

    def copy(self) -> SeededRandomSource:
        """Return a source whose streams continue in the same way."""
        new = SeededRandomSource(self._seed)
        for name, stream in self._streams.items():
            numbers = iter(stream.random, None) if isinstance(stream, Random) else stream
            self._streams[name], new._streams[name] = tee(
                numbers
                # From here on both streams use the same generator, because copying a Random with
                # its 625 numbers is expensive.
            )
        return new

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Shuffle, with one number from the stream per step."""
        shuffle(items, self._stream(stream))

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        """Do nothing, because the deck is in order already."""

    def take(self, stream: str, items: list[Any], count: int, owner: str = "") -> list[Any]:
        """Take items, with one number from the stream per item."""
        random = self._stream(stream)
        return [items.pop(int(random() * len(items))) for _ in range(count)]

    def choose(self, stream: str, count: int) -> int:
        """Choose with one number from the stream."""
        return int(self._stream(stream)() * count)

    def _stream(self, name: str) -> Callable[[], float]:
        stream = self._streams.get(name)
        if stream is None:
            # Seeding a Random is expensive, so a stream is only seeded when it's first used.
            stream = self._streams[name] = Random(f"{self._seed}/{name}")
        return stream.random if isinstance(stream, Random) else stream.__next__
