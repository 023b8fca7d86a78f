"""Generate the cards in Dominion's kit. Bot authors copy that file, so it can't import them."""

from __future__ import annotations

import inspect

from referee.games.dominion.rules import cards


def card_table() -> str:
    """Return the Python source of `Card`, `CARDS` and `STARTING_DECK`."""
    source = inspect.getsource(cards)
    return source[source.index("class Card:") : source.index("KINGDOM = ")].strip()
