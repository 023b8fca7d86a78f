"""The random number generator (protocol, 4.11).

The engine uses the same algorithm. With `ENGINE`, a seed therefore deals the same cards as there.
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
        """Return the next random number, from 0 to 2147483645."""
        self.state = state = (0x5DEECE66D * self.state + 0xB) & 0xFFFFFFFFFFFF
        return ((state >> 16) * 2147483646) >> 32

    def shuffle(self, items: list[Any]) -> None:
        """Shuffle in place, by drawing a number for each item and sorting by these numbers."""
        keys = [self.next() for _ in items]
        items[:] = [items[place] for place in sorted(range(len(items)), key=keys.__getitem__)]


def generators(
    kind: str, chance: RandomSource, seed: int, players: tuple[str, ...]
) -> dict[str, Generator]:
    """Create the generators of a game: one for the tavern, and one for each player.

    Args:
        kind: with `STREAMS`, the generators are independent of each other. With `ENGINE`, the
            tavern and the players share a single generator, as in the engine.
        chance: chooses the initial states for `STREAMS`.
        seed: seed of the match, used as the initial state for `ENGINE`.
    """
    streams = (TAVERN, *players)
    if kind == ENGINE:
        # fromkeys() doesn't copy the generator, so all streams share it.
        return dict.fromkeys(streams, Generator(seed))
    return {stream: Generator(chance.choose(stream, _MODULUS)) for stream in streams}
