"""What can be chosen for a tournament, with its defaults. Light: the command needs them early."""

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
"""Name of a format -> its name for people. Its module in `schedule` is called as it is."""
MAX_BOTS = 2_000
DEALS = 10
"""For each pairing or line-up."""
CHALLENGERS = 1
WITHDRAW_AFTER = 5
"""Consecutive matches in which a bot is disqualified with one code, after which it is withdrawn."""
SPRT_DEALS = 50_000
"""A sequential test that has not decided by then ends undecided."""
ELO0 = 0.0
ELO1 = 10.0
ALPHA = 0.05
BETA = 0.05
