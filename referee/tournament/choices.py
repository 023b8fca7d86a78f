"""Options of a tournament and their defaults. Cheap to import for the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

Pairing: TypeAlias = Literal["round-robin", "gauntlet", "swiss", "knockout", "sprt"]
Seats = Literal["rotate", "all", "fixed"]
Keep = Literal["all", "faulty", "none"]
SEATS: tuple[Seats, ...] = get_args(Seats)
KEEP: tuple[Keep, ...] = get_args(Keep)
FORMATS: Mapping[str, str] = {
    "round-robin": "round robin",
    "gauntlet": "gauntlet",
    "swiss": "Swiss",
    "knockout": "knockout",
    "sprt": "SPRT",
}
"""Name of a format -> its display name. The module in `schedule` has the name of the format."""
MAX_BOTS = 2_000
DEALS = 10
"""Number of deals per pairing or line-up."""
CHALLENGERS = 1
WITHDRAW_AFTER = 5
"""A bot is withdrawn after this many consecutive matches with the same disqualification."""
SPRT_DEALS = 50_000
"""Maximum number of deals of a sequential test. Without a decision by then, it is undecided."""
ELO0 = 0.0
ELO1 = 10.0
ALPHA = 0.05
BETA = 0.05
