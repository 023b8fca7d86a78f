"""Finds the replies that led to a spectator log of the toy card game."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from referee.games.interface.game import Request
from referee.games.interface.log_player import DifferenceError, End, Gone
from referee.games.interface.random_source import RandomSource, SeededRandomSource

from .messages import CardPlayed, GameInfo, PlayReply, TrickTaken
from .rules import ToyCards

SECTIONS = {GameInfo: "2.1", CardPlayed: "2.2", TrickTaken: "4", Gone: "2.3", End: "4"}


class ToyCardsLog:
    """Implements `referee.games.interface.log_player.LogPlayer`."""

    sections = SECTIONS

    def begin(self, names: Sequence[str]) -> RandomSource:
        return SeededRandomSource(0)

    def reply(self, game: ToyCards, asked: Request, ahead: Sequence[Struct]) -> PlayReply:
        """Return the card that was played next, after swapping it into the player's hand."""
        found = ahead[0]
        if not isinstance(found, CardPlayed):
            raise DifferenceError("the next card")
        hand = game.table.players[asked.seat].hand
        for place in (hand, game.table.deck, *(player.hand for player in game.table.players)):
            if found.card in place:
                place[place.index(found.card)], hand[-1] = hand[-1], found.card
                return PlayReply(found.card)
        raise DifferenceError("a card that was not played yet")

    def settle(self, game: ToyCards, expected: Struct, found: Struct) -> bool:
        return False
