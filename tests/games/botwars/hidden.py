"""What a seat of Bot Wars may not know: nothing that is there (protocol, 4)."""

from __future__ import annotations

from typing import Any

from tests.support.leaks import Pool

UNCOVERING: dict[Any, Any] = {}
TOLD: frozenset[str] = frozenset()
GIVING = frozenset({"classic", "classic-form"})  # as `gameId` (6.1)
SHUFFLED: frozenset[str] = frozenset()


def pools(game: Any, seat: int) -> list[Pool]:
    """None: hidden are only what comes, and the moves of the other before the turn is played."""
    return []
