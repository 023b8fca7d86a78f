"""The public messages of a turn as events, for the checker of logs and the reader of turns.

Where a turn ends (protocol-v1, 2.15): its clean-up sends `player-played` if a card was played, one
top discard of the active player, and `player-shuffled` if the new hand needed it. A top discard
that no `player-played` came before is a cellar's, or the clean-up's of a turn without a play; what
follows shows which. In between the others send nothing but their `ANSWERS` to a militia.

The checker follows both possibilities and knows how many cards everybody can hold, so it is sure,
and slow. The reader must go on through damaged logs, where nothing is known of hands. So each of
them decides for itself, from the same events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from typing import NamedTuple

from msgspec import Struct

from referee.games.dominion.rules.cards import POINTS
from referee.games.dominion.rules.messages import (
    PlayerGained,
    PlayerPlayed,
    PlayerReveal,
    PlayerTopDiscard,
    PlayerTrashed,
)
from referee.seam.seats import seat_id

GAINED, TRASHED, TOP, REVEALED, SHUFFLED, PLAYED, GONE = (
    "player-gained",
    "player-trashed",
    "player-top-discard",
    "player-reveal",
    "player-shuffled",
    "player-played",
    "player-disqualified",
)
ANSWERS = (TOP, REVEALED)
"""What a player who is attacked sends in another one's turn."""


class Event(NamedTuple):
    """A message of a turn."""

    line: int
    kind: str
    seat: int
    cards: tuple[str, ...] = ()
    supply: dict[str, int] | None = None  # before it, where it matters

    def __str__(self) -> str:
        cards = " " + ", ".join(self.cards) if self.cards else ""
        return f"{self.kind} {seat_id(self.seat)}{cards}"


def kind_of(message: Struct) -> str:
    """The message's type on the wire."""
    return str(message.__struct_config__.tag)


def cards_of(message: Struct) -> tuple[str, ...]:
    """The cards that a message of a turn is about."""
    match message:
        case PlayerGained(gained=card) | PlayerTopDiscard(card=card):
            return (card,)
        case PlayerPlayed(played=cards) | PlayerTrashed(trashed=cards) | PlayerReveal(cards=cards):
            return tuple(cards)
    return ()


def next_seat(seat: int, seats: int, gone: Container[int]) -> int:
    """Whose turn is next; the same seat's if nobody else is in the match."""
    for step in range(1, seats):
        following = (seat + step) % seats
        if following not in gone:
            return following
    return seat


def score(owned: Counter[str]) -> int:
    """The score of a player who owns these cards (4.5)."""
    return sum(POINTS.get(card, 0) * count for card, count in owned.items())
