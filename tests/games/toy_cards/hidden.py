"""What a seat of the toy card game may not know: the hands of others, and its own between turns."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from tests.support.leaks import Pool

UNCOVERING: dict[type[Struct], type[Struct]] = {}
TOLD: frozenset[str] = frozenset()
GIVING: frozenset[str] = frozenset()
SHUFFLED: frozenset[str] = frozenset()


def pools(game: Any, seat: int) -> list[Pool]:
    """All cards that were not played."""
    known = [request.seat for request in game.requests if request.seat == seat]
    hands = [player.hand for player in game.table.players if player.seat not in known]
    return [Pool(game.table.deck, *hands)]
