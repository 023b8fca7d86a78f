"""The games that the referee knows."""

from __future__ import annotations

from referee.games.dominion import RULES as DOMINION
from referee.seam.rules import Rules

GAMES: dict[str, Rules] = {DOMINION.name: DOMINION}
"""Every game by its id."""
