"""What a bot knows when it is asked, as the view of its seat: what bots made with the kit know."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from referee.games.dominion.kit import Memory
from referee.games.dominion.rules.cards import CARDS
from referee.games.dominion.rules.messages import (
    AttackRequest,
    PlayerShuffled,
    PlayReply,
    PlayTurn,
)
from referee.games.dominion.rules.view import OwnCards, SeatView, View
from referee.games.interface.seats import seat_id, seat_ids


class Follower:
    """Implements `referee.games.interface.environment.Follower` for Dominion."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        self._memory = Memory(seat_id(seat))
        for number in seat_ids(seats):
            self._memory.player(number)
        self._request: PlayTurn | AttackRequest | None = None
        self._shuffles = 0

    def hear(self, message: Struct) -> None:
        """Take a public message, a request to this seat, or its reply."""
        data = msgspec.json.decode(msgspec.json.encode(message))
        if isinstance(message, PlayTurn | AttackRequest):
            self._request = message
            self._memory.note(data)
        elif isinstance(message, PlayReply):
            self._memory.replied = data
        else:
            self._memory.hear(data)
            if isinstance(message, PlayerShuffled) and message.player_number == seat_id(self._seat):
                self._shuffles += 1

    def view(self) -> View:
        """What `Game.view` says to this seat when it is asked."""
        state = self._memory.state()
        pile, deck = (sorted(cards.elements()) for cards in (state.discard_pile, state.deck))
        own = OwnCards(state.hand, state.cards_played, pile, deck, state.turn, self._shuffles)
        seats = [
            SeatView(
                {card: player.cards[card] for card in CARDS if player.cards[card]},
                player.points,
                own if player is state.me else None,
            )
            for player in state.players
        ]
        return View(state.supply, seats, self._seat, self._request)
