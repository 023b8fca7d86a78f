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
    """The places of a seat's cards, and other information that only this seat has.

    In the seat's own view, cards drawn since its last request count as part of the deck, because
    the seat doesn't know them yet.
    """

    hand: list[str]  # in the order drawn
    in_play: list[str]  # in the order played
    discard_pile: list[str]  # sorted; only `ALL` sees the order, with the top card last
    deck: list[str]  # sorted; only `ALL` sees the order, with the top card first
    turns: int  # number of turns begun
    shuffles: int  # number of times its discard pile was shuffled into its deck


class SeatView(Struct, frozen=True):
    """A player, as it appears in a view.

    `cards` has the number of copies of each card, in the order of the supply. `own` is None unless
    the viewer may see this player's hand.
    """

    cards: dict[str, int]
    score: int
    own: OwnCards | None


class View(Struct, frozen=True):
    """A game as one viewer sees it. See `referee.games.interface.game.Game.view`."""

    supply: dict[str, int]  # card -> number of cards left
    seats: list[SeatView]  # in seat order
    asked: int | None  # the seat with a request; None if the viewer can't see the request
    request: PlayTurn | AttackRequest | None  # the request, if the viewer can see it


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
            # The same applies to cards that the referee has discarded at random. The seat doesn't
            # know yet which cards these are.
            if player.unseen:
                pile = list((Counter(pile) - Counter(player.unseen)).elements())
                deck += player.unseen
            pile.sort()
            deck.sort()
        own = OwnCards(hand, player.in_play.copy(), pile, deck, player.turns, player.shuffles)
    return SeatView(player.cards(), player.score(), own)
