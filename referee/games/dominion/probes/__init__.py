"""How another referee of Dominion is checked; loaded when one is.

The matches are in matches.json, with the style of each seat. The basic ones come first: a deviation
there affects all others. Each other match adds one thing, or a few that do not affect each other. A
match covers the cases that it names (`covers`, `may`) and the cases of its tricks.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec
from msgspec import Struct

from referee.games.dominion.probes.observed_chance import ABOUT, TABLES, DominionObservedChance
from referee.games.dominion.probes.probe_state import Style
from referee.games.dominion.probes.tricks import TRICKS, DominionProbePlayer
from referee.games.dominion.rules.cards import CARDS
from referee.games.interface.probing import ProbeMatch, Probes


class _Match(Struct, forbid_unknown_fields=True):
    """A match in the file; its fields are those in `ProbeMatch`.

    The cases in `covers` come up in every such match. The cases in `may` come up by chance: they
    count only if a message or a reply shows them.
    """

    id: str
    seats: list[Style]
    covers: str = ""
    controls: str = "pass buys money"
    may: str = ""

    def match(self) -> ProbeMatch:
        names = [name for seat in self.seats for name in seat.tricks.split()]
        words = [self.covers, self.may, *(TRICKS[name].cases for name in names if name in TRICKS)]
        covers = tuple(dict.fromkeys(" ".join(words).split()))
        controls, shows = tuple(self.controls.split()), tuple(self.covers.split())
        return ProbeMatch(self.id, covers, tuple(self.seats), controls, shows)


_FILE = Path(__file__).with_name("matches.json")
_MATCHES = msgspec.json.decode(_FILE.read_bytes(), type=list[_Match])


def _seeded(held: Collection[str]) -> tuple[str, ...]:
    """Random discards are of the referee's stream, all else of a seat's."""
    return ("4.7/3", "4.7/2") if "7.4/3" in held else ("4.7/2",)


PROBES = Probes(
    cases="vectors/referee-cases.json",
    matches=tuple(each.match() for each in _MATCHES),
    player=DominionProbePlayer,
    observed_chance=DominionObservedChance,
    about=ABOUT,
    shared=TABLES.shared,
    seeded=_seeded,
    names=frozenset(CARDS),
)
