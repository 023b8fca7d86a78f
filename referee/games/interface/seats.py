"""Seats: counted from 0 in all Python code, "player1" and up on the wire (protocol, 1.6)."""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated

from msgspec import Meta, Struct

SEAT_PATTERN = "^player[1-9][0-9]*$"

SeatId = Annotated[
    str,
    Meta(
        description="A seat's name on the wire (1.6).",
        extra_json_schema={"pattern": SEAT_PATTERN},
    ),
]


class OfPlayer(Struct, frozen=True):
    """The first field of a message about one player."""

    player_number: SeatId


@cache
def seat_id(seat: int) -> str:
    """The seat's name on the wire (protocol, 1.6): 0 -> "player1"."""
    return f"player{seat + 1}"


def seat_ids(seats: int) -> tuple[str, ...]:
    """The names of so many seats on the wire, in seat order."""
    return tuple(map(seat_id, range(seats)))


def seat_index(player: str) -> int:
    """The seat of such a name: "player1" -> 0; `ValueError` if it is not a seat's name."""
    if not re.fullmatch(SEAT_PATTERN, player):
        raise ValueError(player)
    return int(player.removeprefix("player")) - 1


def seat_of(player: str, seats: int) -> int | None:
    """Return the seat of such a name, among so many seats; None if it is not a name of one."""
    names = seat_ids(seats)
    return names.index(player) if player in names else None
