"""A game of Dominion as data, for each viewer.

All viewers see who owns which cards. Only the places of a player's cards are private.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from referee.games.dominion.rules.messages import AttackRequest, PlayTurn
from referee.games.interface.game import ALL, Request, Viewer

if TYPE_CHECKING:
    from referee.games.dominion.rules.player import Player
    from referee.games.dominion.rules.table import Table


class OwnCards(Struct, frozen=True):
    """The places of a seat's cards, and other information that only this seat has.

    In the seat's own view, cards drawn since its last request count as part of the deck, because
    the seat doesn't know them yet.
    """

    hand: list[str]  # in the order drawn
    in_play: list[str]  # in the order played
    discard_pile: list[str]  # sorted; for `ALL` the last card is on top
    deck: list[str]  # sorted; for `ALL` the first card is on top
    turns: int  # number of turns begun
    shuffles: int  # number of times its discard pile was shuffled into its deck


class SeatView(Struct, frozen=True):
    """One seat in a view: card -> count, in supply order. `own` is None for other viewers."""

    cards: dict[str, int]
    score: int
    own: OwnCards | None


class View(Struct, frozen=True):
    """A view of a game (`referee.games.interface.game.Game.view`)."""

    supply: dict[str, int]  # card -> number of cards left
    seats: list[SeatView]  # in seat order
    asked: int | None  # the seat with a request, in its own view and for `ALL`; otherwise None
    request: PlayTurn | AttackRequest | None  # the request of that seat, otherwise None


def view_of(table: Table, requests: tuple[Request, ...], viewer: Viewer) -> View:
    """Return the view of a table for a viewer."""
    supply = table.supply.show()
    seats = [_seat(player, viewer) for player in table.players]
    for request in requests:
        if viewer is ALL or viewer == request.seat:
            return View(supply, seats, request.seat, request.message)  # type: ignore[arg-type]
    return View(supply, seats, None, None)


def _seat(player: Player, viewer: Viewer) -> SeatView:
    own = None
    if viewer is ALL or viewer == player.seat:
        hand, pile, deck = player.hand.copy(), player.discard_pile.copy(), player.deck[::-1]
        if viewer is not ALL:
            # Cards drawn since the last request are still unknown to the seat, so for its view
            # they're in the deck.
            if not player.is_shown:
                hand, deck = [], deck + hand
            # The same applies to cards that the referee has discarded from a hand that the seat
            # hadn't seen.
            if player.unseen:
                pile = list((Counter(pile) - Counter(player.unseen)).elements())
                deck += player.unseen
            pile.sort()
            deck.sort()
        own = OwnCards(hand, player.in_play.copy(), pile, deck, player.turns, player.shuffles)
    return SeatView(player.cards(), player.score(), own)
