"""The matches in which other referees are watched, from matches.json: who plays how, and why.

The basic ones come first: what is wrong there is wrong everywhere. Each other match adds one thing,
or a few that keep out of each other's way. A match is there for the cases that it names (`covers`)
and for those of its tricks. Words of one field are parted by spaces; "silver:2 moat" are two
silvers at the most, then as many moats as there are.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from referee.games.dominion.probes.sight import MANY, Style, Wishes
from referee.games.dominion.probes.tricks import TRICKS
from referee.seam.probing import Plan, ProbeMatch

_MONEY: Wishes = (("province", MANY), ("gold", MANY), ("silver", MANY))


class _Seat(Struct, forbid_unknown_fields=True):
    """A seat in the file; its fields are those of `Plan` and `Style`."""

    tricks: str = ""
    handshake: str = ""
    stays: str = ""
    plays: str = ""
    buys: str = ""
    gains: str = ""
    cases: str = ""
    only: bool = False
    patient: bool = False
    idle: bool = False
    turns: int = 60

    def plan(self) -> Plan:
        style = Style(
            buys=_wishes(self.buys) + (() if self.only else _MONEY),
            plays=tuple(self.plays.split()),
            gains=_wishes(self.gains),
            only=self.only,
            patient=self.patient,
            turns=self.turns,
            idle=self.idle,
            cases=tuple(self.cases.split()),
        )
        return Plan(tuple(self.tricks.split()), self.handshake, self.stays, style)


class _Match(Struct, forbid_unknown_fields=True):
    """A match in the file; its fields are those of `ProbeMatch`."""

    id: str
    covers: str
    seats: list[_Seat]
    basic: bool = False
    control: str = ""
    mixed: bool = False

    def match(self) -> ProbeMatch:
        seats = tuple(seat.plan() for seat in self.seats)
        tricks = [TRICKS[name] for seat in seats for name in seat.tricks if name in TRICKS]
        words = " ".join([self.covers, *(trick.cases for trick in tricks)]).split()
        covers = tuple(case for case in dict.fromkeys(words) if case != ":")
        return ProbeMatch(self.id, covers, seats, self.basic, self.control, self.mixed)


def _wishes(text: str) -> Wishes:
    pairs = [word.partition(":") for word in text.split()]
    return tuple((card, int(count or MANY)) for card, _, count in pairs)


_FILE = Path(__file__).with_name("matches.json")
MATCHES = tuple(each.match() for each in msgspec.json.decode(_FILE.read_bytes(), type=list[_Match]))
