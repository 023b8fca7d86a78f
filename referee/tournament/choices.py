"""Options of a tournament and their defaults.

The command line imports this module whenever it starts, so keep its imports cheap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

Pairing: TypeAlias = Literal["round-robin", "gauntlet", "swiss", "knockout", "sprt"]
Seats = Literal["rotate", "all", "fixed"]
Keep = Literal["all", "faulty", "none"]
# A module in `schedule` has the same name as its format.
FORMATS: Mapping[str, str] = {
    "round-robin": "round robin",
    "gauntlet": "gauntlet",
    "swiss": "Swiss",
    "knockout": "knockout",
    "sprt": "SPRT",
}
MAX_BOTS = 2_000
# The number of deals that each pairing or line-up plays by default.
DEALS = 10
CHALLENGERS = 1
# After this many consecutive matches that end with the same disqualification, we withdraw the bot,
# because all other matches would probably end in the same way.
WITHDRAW_AFTER = 5
# If a sequential test hasn't decided by then, it ends undecided.
SPRT_DEALS = 50_000
ELO0 = 0.0
ELO1 = 10.0
ALPHA = 0.05
BETA = 0.05
