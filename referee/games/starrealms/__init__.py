"""Star Realms: two players, decks that grow, hands that are hidden. Nothing outside knows it.

rules/         the rules, pure
"""

from __future__ import annotations

from referee.games.interface.rules import Rules
from referee.games.starrealms.rules import faults, messages
from referee.games.starrealms.rules.game import REASONS, Facts, Options, StarRealms, begin_at
from referee.games.starrealms.rules.situation import simplest_reply

RULES = Rules(
    name="starrealms",
    protocol=1,
    specification="starrealms/protocol",
    min_seats=2,
    max_seats=2,
    options=Options,
    facts=Facts,
    new=StarRealms,
    public=messages.PUBLIC,
    requests=messages.REQUESTS,
    replies=messages.REPLIES,
    faults=faults.SECTIONS,
    reasons=REASONS,
    hidden="hands, replies or faults",
    extras={
        "situation": begin_at,
        "simplest_reply": simplest_reply,
    },
)

__all__ = ["RULES", "StarRealms"]
