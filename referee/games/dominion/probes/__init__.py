"""How another referee of Dominion is checked; loaded when one is."""

from __future__ import annotations

from referee.games.dominion.probes.follower import COMMON, VEILS, Follower
from referee.games.dominion.probes.plans import MATCHES
from referee.games.dominion.probes.player import ProbePlayer
from referee.games.dominion.rules.cards import CARDS
from referee.seam.probing import Probes

PROBES = Probes(
    matches=MATCHES,
    player=ProbePlayer,
    follower=Follower,
    common=COMMON,
    veils=VEILS,
    secrets=frozenset(CARDS),
)
