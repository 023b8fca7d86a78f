"""Hidden information in Bot Wars, for test_leaks.py. The whole state is public (protocol, 4)."""

from __future__ import annotations

from typing import Any

from tests.support.leaks import Pool

UNCOVERING: dict[Any, Any] = {}
TOLD: frozenset[str] = frozenset()
# Both dialects send the seed of the match as `gameId` (6.1).
GIVING = frozenset({"classic", "classic-form"})
SHUFFLED: frozenset[str] = frozenset()


def pools(game: Any, seat: int) -> list[Pool]:
    """Return no pools: there are no hidden cards to exchange."""
    return []
