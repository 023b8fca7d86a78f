"""The actions of a learning program, as integers (spec/python-rl.md, 2).

A reply is put together from several of them. Cards are indices of `CARDS` here.
"""

from __future__ import annotations

from referee.games.dominion.environment.knowledge import INDEX
from referee.games.dominion.rules.cards import CARDS, KINGDOM

NAMES = (
    "done",
    "reveal moat",
    *(f"play {card}" for card in KINGDOM),
    *(f"{what} {card}" for what in ("buy", "gain", "trash", "discard", "top") for card in CARDS),
)
"""Every action's name; its place here is its number."""

_NUMBER = {name: number for number, name in enumerate(NAMES)}

DONE = _NUMBER["done"]
REVEAL_MOAT = _NUMBER["reveal moat"]


def _numbers(what: str) -> tuple[int, ...]:
    """One action for each card; -1 where there is none."""
    return tuple(_NUMBER.get(f"{what} {card}", -1) for card in CARDS)


PLAY, BUY, GAIN, TRASH, DISCARD, TOP = map(
    _numbers, ("play", "buy", "gain", "trash", "discard", "top")
)

CARD = tuple(INDEX.get(name.rpartition(" ")[2], -1) for name in NAMES)
"""The card that each action is about; of "done" none: -1."""
