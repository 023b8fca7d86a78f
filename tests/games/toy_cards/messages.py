"""The messages of the toy card game."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import UNSET, Struct


class GameInfo(Struct, frozen=True, tag="game-info"):
    hand_size: int
    game: str = "toy_cards"


class CardPlayed(Struct, frozen=True, tag="card-played"):
    turn: int
    player_number: str
    card: int


class TrickTaken(Struct, frozen=True, tag="trick-taken"):
    player_number: str
    scores: list[int]


class PlayRequest(Struct, frozen=True, tag="play-request"):
    """Asks for a card. Only `hand` is private; everybody knows the other fields."""

    turn: int
    hand: list[int]
    trick: dict[str, int]
    scores: list[int]
    hand_sizes: list[int]


class PlayReply(Struct, frozen=True, tag="play-reply"):
    legal_has: ClassVar[tuple[str, ...]] = ("card",)

    card: Any = UNSET


PUBLIC = (GameInfo, CardPlayed, TrickTaken)
