"""A random source that behaves like another one up to a certain draw.

With it, tests can change hidden cards in the middle of a match, and check who notices.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.games.interface.random_source import SeededRandomSource


class Forked(SeededRandomSource):
    """Uses another seed after `fork` draws and random discards."""

    def __init__(self, seed: int, fork: int) -> None:
        super().__init__(seed)
        self._other = SeededRandomSource(seed + 1)
        self._left = fork

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        self._left -= 1
        if self._left < 0:
            self._other.shuffle(stream, deck)

    def take(self, stream: str, items: list[str], count: int, owner: str = "") -> list[str]:
        self._left -= 1
        return (self._other if self._left < 0 else super()).take(stream, items, count)
