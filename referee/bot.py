"""For authors of bots in Python: the kits of the games.

    from referee.bot import DominionBot

Each is one file that needs nothing but Python and can be copied.
"""

from __future__ import annotations

# Importing this is part of the start of a bot: a kit imports nothing of the referee.
from referee.games.dominion.kit import (
    CARDS,
    Card,
    Cards,
    DominionBot,
    PublicPlayer,
    Reply,
    State,
    buy,
    end_turn,
    play,
    reveal_moat,
)

__all__ = [
    "CARDS",
    "Card",
    "Cards",
    "DominionBot",
    "PublicPlayer",
    "Reply",
    "State",
    "buy",
    "end_turn",
    "play",
    "reveal_moat",
]
