"""Seats: numbers from 0 in Python, "player1" and so on in messages (protocol, 1.6)."""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated

from msgspec import Meta, Struct

SEAT_PATTERN = "^player[1-9][0-9]*$"

SeatId = Annotated[
    str,
    Meta(
        description="Player number of a seat (1.6).",
        extra_json_schema={"pattern": SEAT_PATTERN},
    ),
]


class OfPlayer(Struct, frozen=True):
    """The first field of messages about one player."""

    player_number: SeatId


@cache
def seat_id(seat: int) -> str:
    """Return the player number of a seat (protocol, 1.6): 0 -> "player1"."""
    return f"player{seat + 1}"


def seat_ids(seats: int) -> tuple[str, ...]:
    """Return the player numbers of all seats."""
    return tuple(map(seat_id, range(seats)))


def seat_index(player: str) -> int:
    """Return the seat of a player number: "player1" -> 0.

    Raises:
        ValueError: it isn't a player number.
    """
    if not re.fullmatch(SEAT_PATTERN, player):
        raise ValueError(player)
    return int(player.removeprefix("player")) - 1


def seat_of(player: str, seats: int) -> int | None:
    """Return the seat of a player number, or None if the match has no such seat."""
    names = seat_ids(seats)
    return names.index(player) if player in names else None
