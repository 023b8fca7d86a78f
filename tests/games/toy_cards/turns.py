"""A match of the toy card game turn by turn."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from referee.games.interface import turns

from .messages import CardPlayed, TrickTaken


class Turns(turns.TurnReader[turns.Turn]):
    """Reads turns from messages. Playing a card is a turn."""

    turn_type = turns.Turn
    styles: ClassVar[dict[str, str]] = {"takes": "green"}

    def read(self, message: Struct, to: int | None) -> list[turns.Turn]:
        match message:
            case CardPlayed(turn=turn, player_number=player, card=card):
                over = self.begin(turn, player)
                self.act("plays", str(card))
                return over
            case TrickTaken(player_number=player, scores=scores):
                self.act("takes", f"the trick: {player}")
                self.now.scores = scores
        return []
