"""Hidden information in Star Realms, for test_leaks.py (protocol, 4.9)."""

from __future__ import annotations

from typing import Any

from referee.games.starrealms.rules.messages import PlayerDiscarded, PlayerShuffled
from tests.support.leaks import Pool

UNCOVERING = {PlayerDiscarded: PlayerShuffled}
TOLD: frozenset[str] = frozenset()
GIVING: frozenset[str] = frozenset()
SHUFFLED = frozenset({"seats.deck"})  # The view doesn't contain the trade deck.


def pools(game: Any, seat: int) -> list[Pool]:
    """Hands and the order of decks, including the seat's own hand while it has no request.

    Everybody has seen the ships that were put on top of a deck, so they're left out.
    """
    asked = [request.seat for request in game.requests]
    found = [Pool(game.table.trade_deck)]
    for player in game.table.players:
        below = (player.deck, slice(len(player.deck) - player.known))
        found.append(Pool(below) if player.seat == seat in asked else Pool(player.hand, below))
    return found
