"""A game of Dominion as each viewer sees it.

Everybody can see which cards a player owns. Only the player can see which of them are in hand.
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
    """Where a seat's cards are, and other information that only this seat has.

    In the seat's own view, cards drawn since its last request count as part of the deck, because
    the seat doesn't know them yet.
    """

    hand: list[str]  # in the order drawn
    in_play: list[str]  # in the order played
    # `ALL` gets the discard pile and the deck in their real order. The top card of the discard
    # pile is its last, and the top card of the deck is its first. Seats get both lists sorted.
    discard_pile: list[str]
    deck: list[str]
    turns: int  # how many turns the player has begun
    shuffles: int  # how often the discard pile was shuffled into the deck


class SeatView(Struct, frozen=True):
    """A player as a viewer sees it.

    `cards` has the number of copies of each card, in the order of the supply. `own` is None unless
    the viewer may see this player's hand.
    """

    cards: dict[str, int]
    score: int
    own: OwnCards | None


class View(Struct, frozen=True):
    """The game as a viewer sees it (see `referee.games.interface.game.Game.view`)."""

    supply: dict[str, int]  # card -> number of cards left
    seats: list[SeatView]  # in seat order
    asked: int | None  # the seat with a request, or None if the viewer can't see it
    request: PlayTurn | AttackRequest | None  # that request


def view_of(table: Table, requests: tuple[Request, ...], viewer: Viewer) -> View:
    """Return the game as `viewer` sees it."""
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
            # The seat hasn't seen the cards that were drawn since its last request, so we show
            # them as part of the deck.
            if not player.is_shown:
                hand, deck = [], deck + hand
            # The same applies to cards that the referee has discarded at random. The seat doesn't
            # know yet which cards these are.
            if player.unseen:
                pile = list((Counter(pile) - Counter(player.unseen)).elements())
                deck += player.unseen
            pile.sort()
            deck.sort()
        own = OwnCards(hand, player.in_play.copy(), pile, deck, player.turns, player.shuffles)
    return SeatView(player.cards(), player.score(), own)
