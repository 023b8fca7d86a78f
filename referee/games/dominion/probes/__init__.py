"""Tests of other referees of Dominion. Imported only for a test.

matches.py          the matches of the probes
probe_player.py     a probe
tricks.py           its tricks: replies that provoke the situation of a case
probe_state.py      its legal play, based on received messages
cases.py            tables of the cases, by subject
observed_chance.py  the random choices of the other referee
"""

from __future__ import annotations

from collections.abc import Collection

from referee.games.dominion.probes.cases import ABOUT, SHARED
from referee.games.dominion.probes.matches import MATCHES
from referee.games.dominion.probes.observed_chance import DominionObservedChance
from referee.games.dominion.probes.probe_player import DominionProbePlayer
from referee.games.dominion.rules.cards import CARDS
from referee.games.interface.probing import Probes


def _seeded(held: Collection[str]) -> tuple[str, ...]:
    # Random discards use the referee's stream. All other random choices use the stream of a seat.
    return ("4.7/3", "4.7/2") if "7.4/3" in held else ("4.7/2",)


PROBES = Probes(
    cases="vectors/referee-cases.json",
    matches=MATCHES,
    player=DominionProbePlayer,
    observed_chance=DominionObservedChance,
    about=ABOUT,
    shared=SHARED,
    seeded=_seeded,
    names=frozenset(CARDS),
)
