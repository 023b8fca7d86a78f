"""Tests other referees of Dominion. We only import these modules if such a test is run.

A probe is a bot of ours that plays against another referee and checks how it reacts.

matches.py          the matches that probes play
probe_player.py     the probe itself
probe_state.py      normal moves of a probe, based on the messages that it gets
tricks.py           unusual or illegal replies that test certain cases
cases.py            which cases are tested by a message, a check and so on
observed_chance.py  finds out how the other referee has shuffled
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
    # Random discards (7.4/3) come from the random stream of the referee, everything else from the
    # stream of a seat. Without a random discard, a match only tests the latter.
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
