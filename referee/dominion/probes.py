"""How another referee of Dominion is checked; loaded when one is."""

from __future__ import annotations

from referee.dominion.cards import CARDS
from referee.dominion.follower import COMMON, VEILS, Follower
from referee.dominion.plans import MATCHES
from referee.dominion.probe_player import ProbePlayer
from referee.probing import Probes

PROBES = Probes(
    matches=MATCHES,
    player=ProbePlayer,
    follower=Follower,
    common=COMMON,
    veils=VEILS,
    secrets=frozenset(CARDS),
)
