"""How another referee of Dominion is checked; loaded when one is."""

from __future__ import annotations

from referee.games.dominion.probes.follower import TABLES, Follower
from referee.games.dominion.probes.plans import MATCHES
from referee.games.dominion.probes.player import ProbePlayer
from referee.games.dominion.rules.cards import CARDS
from referee.seam.probing import Probes

PROBES = Probes(
    matches=MATCHES,
    player=ProbePlayer,
    follower=Follower,
    common={case: frozenset(each.split()) for case, each in TABLES.common.items()},
    veils=TABLES.veils,
    secrets=frozenset(CARDS),
)
