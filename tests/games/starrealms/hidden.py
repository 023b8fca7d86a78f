"""What a seat of Star Realms may not know: protocol, 4.9."""

from __future__ import annotations

from typing import Any

from referee.games.starrealms.rules.messages import PlayerDiscarded, PlayerShuffled
from tests.support.leaks import Pool

UNCOVERING = {PlayerDiscarded: PlayerShuffled}
TOLD: frozenset[str] = frozenset()
GIVING: frozenset[str] = frozenset()


def pools(game: Any, seat: int) -> list[Pool]:
    """Hands and the order of decks; its own hand while it is not asked."""
    asked = [request.seat for request in game.requests]
    return [
        Pool(game.table.trade_deck),
        *(
            Pool(player.deck) if player.seat == seat in asked else Pool(player.hand, player.deck)
            for player in game.table.players
        ),
    ]
