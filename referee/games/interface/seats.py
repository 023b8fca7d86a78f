"""Convert between seats (numbers from 0 in Python) and player numbers ("player1" in messages).

Player numbers are defined in section 1.6 of the protocol.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated

from msgspec import Struct

from referee.games.interface.data import about

SEAT_PATTERN = "^player[1-9][0-9]*$"

SeatId = Annotated[str, about("Player number of a seat (1.6).", schema={"pattern": SEAT_PATTERN})]


class OfPlayer(Struct, frozen=True):
    """Base class of messages about one player. Its field comes first in the JSON object."""

    player_number: SeatId


@cache
def seat_id(seat: int) -> str:
    """Return the player number of a seat, e.g. "player1" for seat 0."""
    return f"player{seat + 1}"


def seat_ids(seats: int) -> tuple[str, ...]:
    """Return the player numbers of all seats."""
    return tuple(map(seat_id, range(seats)))


def seat_index(player: str) -> int:
    """Convert a player number to a seat, e.g. "player1" to 0.

    Raises:
        ValueError: this isn't a player number.
    """
    if not re.fullmatch(SEAT_PATTERN, player):
        raise ValueError(player)
    return int(player.removeprefix("player")) - 1


def seat_of(player: str, seats: int) -> int | None:
    """Return the seat with this player number, or None if the match has no such seat."""
    names = seat_ids(seats)
    return names.index(player) if player in names else None
