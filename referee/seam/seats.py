"""Seats: counted from 0 in all Python code, "player1" and up on the wire (protocol-v1, 1.6)."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from msgspec import Meta

SEAT_PATTERN = "^player[1-9][0-9]*$"

SEAT_IDS = ("player1", "player2", "player3", "player4")
"""All seats' names on the wire, in seat order (protocol-v1, 1.6)."""

SeatId = Annotated[
    str,
    Meta(
        description="A seat's name on the wire (1.6).",
        extra_json_schema={"pattern": SEAT_PATTERN},
    ),
]


@cache
def seat_id(seat: int) -> str:
    """The seat's name on the wire (protocol-v1, 1.6): 0 -> "player1"."""
    return f"player{seat + 1}"


def seat_of(player: str, seats: int) -> int | None:
    """The seat of such a name, among so many seats: "player1" -> 0; None if it is of none."""
    return next((seat for seat in range(seats) if seat_id(seat) == player), None)
