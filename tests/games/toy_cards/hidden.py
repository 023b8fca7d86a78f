"""Hidden cards of the toy card game: other hands, and the seat's own hand between its turns."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from tests.support.leaks import Pool

UNCOVERING: dict[type[Struct], type[Struct]] = {}
TOLD: frozenset[str] = frozenset()
GIVING: frozenset[str] = frozenset()
SHUFFLED: frozenset[str] = frozenset()


def pools(game: Any, seat: int) -> list[Pool]:
    """The cards not played yet, except the seat's own hand while it has a request."""
    known = [request.seat for request in game.requests if request.seat == seat]
    hands = [player.hand for player in game.table.players if player.seat not in known]
    return [Pool(game.table.deck, *hands)]
