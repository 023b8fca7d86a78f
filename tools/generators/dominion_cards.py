"""The cards of Dominion for its kit, a single file that authors of bots copy."""

from __future__ import annotations

import inspect

from referee.games.dominion.rules import cards


def card_table() -> str:
    """Return the source of `Card`, `CARDS` and `STARTING_DECK`."""
    source = inspect.getsource(cards)
    return source[source.index("class Card:") : source.index("KINGDOM = ")].strip()
