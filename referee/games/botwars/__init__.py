"""Bot Wars: two armies of botlets on a grid, both move at once, nothing is hidden.

rules/      the rules, pure
"""

from __future__ import annotations

from types import MappingProxyType

from referee.games.botwars.rules import messages, moves
from referee.games.botwars.rules.game import (
    REASONS,
    BotWars,
    Facts,
    Options,
    begin_at,
    simplest_reply,
)
from referee.seam.rules import Rules

RULES = Rules(
    name="botwars",
    protocol=1,
    specification="botwars/protocol",
    min_seats=2,
    max_seats=2,
    options=Options,
    limits=MappingProxyType({"time_limit": 5.0, "line_limit": 2**20}),
    facts=Facts,
    new=BotWars,
    public=messages.PUBLIC,
    requests=messages.REQUESTS,
    replies=messages.REPLIES,
    faults=moves.SECTIONS,
    reasons=REASONS,
    situation=begin_at,
    simplest_reply=simplest_reply,
)

__all__ = ["RULES", "BotWars"]
