"""The generator of random numbers (protocol, 4.11).

It is the same generator as in the engine. With `ENGINE`, a seed gives the same cards as in the
engine.
"""

from __future__ import annotations

from typing import Any

from referee.games.interface.random_source import RandomSource

TAVERN = "tavern"
STREAMS, ENGINE = "streams", "engine"
_MODULUS = 2**48


class Generator:
    """A linear congruential generator with a state of 48 bits."""

    __slots__ = ("state",)

    def __init__(self, seed: int) -> None:
        self.state = seed % _MODULUS

    def next(self) -> int:
        """Return the next number: 0 <= result < 2147483646."""
        self.state = state = (0x5DEECE66D * self.state + 0xB) & 0xFFFFFFFFFFFF
        return ((state >> 16) * 2147483646) >> 32

    def shuffle(self, items: list[Any]) -> None:
        """Shuffle in place, by drawing a number for each item and sorting by these numbers."""
        keys = [self.next() for _ in items]
        items[:] = [items[place] for place in sorted(range(len(items)), key=keys.__getitem__)]


def generators(
    kind: str, chance: RandomSource, seed: int, players: tuple[str, ...]
) -> dict[str, Generator]:
    """Create the random generators of a game. The keys are the names of their streams.

    Args:
        kind: `STREAMS` for one generator for the tavern and one per player, or `ENGINE` for a
            single generator.
        chance: source of the initial states of `STREAMS`.
        seed: seed of the match, the initial state of `ENGINE`.
    """
    streams = (TAVERN, *players)
    if kind == ENGINE:
        # fromkeys() uses the same object for all keys. That is right here, because all streams
        # share one generator.
        return dict.fromkeys(streams, Generator(seed))
    return {stream: Generator(chance.choose(stream, _MODULUS)) for stream in streams}
