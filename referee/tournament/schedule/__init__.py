"""Who plays whom. Pure: the same for ever, for stores that are gone on with.

format.py       the settings of a tournament, and the base of formats
pairing.py      the base of formats with a fixed list of line-ups; seeds of deals
round_robin.py  everybody against everybody
gauntlet.py     the first bots against all others
swiss.py        equals against equals, round by round
knockout.py     pairs, of which the loser is out
matching.py     pairs of bots, as many as possible
sprt.py         two bots, until one is known to be better
withdrawals.py  which bots fail again and again
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # the command needs the names early
if TYPE_CHECKING:
    from referee.tournament.schedule.format import Format


def format_of(name: str) -> Format:
    """A format, by its name in `choices.FORMATS`."""
    made: Format = import_module(f"{__name__}.{name.replace('-', '_')}").FORMAT
    return made
