"""What can be chosen for a tournament, with its defaults. Light: the command needs them early."""

from __future__ import annotations

from typing import Literal, get_args

Format = Literal["round-robin", "gauntlet", "swiss", "sprt"]
Seats = Literal["rotate", "all"]
Keep = Literal["all", "faulty", "none"]
FORMATS: tuple[Format, ...] = get_args(Format)
SEATS: tuple[Seats, ...] = get_args(Seats)
KEEP: tuple[Keep, ...] = get_args(Keep)
MAX_BOTS = 2_000
DEALS = 10
"""For each pairing or line-up."""
CHALLENGERS = 1
ELO0 = 0.0
ELO1 = 10.0
ALPHA = 0.05
BETA = 0.05
