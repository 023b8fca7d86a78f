"""Decides which bots meet, and in which order.

These are pure functions, and their results must be the same in all future versions. Otherwise,
nobody could continue an old store.

format.py       the settings of a tournament, and the base class of formats
pairing.py      the base class of formats with a fixed list of line-ups; seeds of deals
round_robin.py  every bot against every other
gauntlet.py     the first bots against all others
swiss.py        rounds that pair bots with equal points
knockout.py     rounds that eliminate the loser of each pair
matching.py     maximum matching of bots
sprt.py         two bots, until a sequential test decides
withdrawals.py  finds bots that fail repeatedly
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # the command line imports this module, and typing is slow to import
if TYPE_CHECKING:
    from referee.tournament.schedule.format import Format


def format_of(name: str) -> Format:
    """Return a format by its name in `choices.FORMATS`."""
    made: Format = import_module(f"{__name__}.{name.replace('-', '_')}").FORMAT
    return made
