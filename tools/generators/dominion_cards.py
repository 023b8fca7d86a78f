"""The cards of Dominion for its kit, which authors of bots copy without any other file."""

from __future__ import annotations

import inspect

from referee.games.dominion.rules import cards


def card_table() -> str:
    """The source of `Card`, `CARDS` and `STARTING_DECK`."""
    source = inspect.getsource(cards)
    return source[source.index("class Card:") : source.index("KINGDOM = ")].strip()
