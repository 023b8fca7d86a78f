"""A game as data: the state in a request, and the view of any viewer (4.9)."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import astuple

from referee.games.interface.game import ALL, Request, Viewer
from referee.games.starrealms.rules import messages as say
from referee.games.starrealms.rules.player import Player, TurnState
from referee.games.starrealms.rules.table import Table


def state_of(table: Table, turn: TurnState) -> say.State:
    """Return the state, as far as the player whose turn it is knows it."""
    player, other = turn.player, turn.opponent
    opponent = say.Opponent(
        other.authority,
        len(other.hand),
        other.due,
        len(other.deck),
        other.shuffles,
        # The opponent's hand and deck are shown as one set, because the bot must not know which
        # cards are in which place.
        sorted(other.hand + other.deck),
        other.discard.copy(),
        [piece.card.name for piece in other.in_play],
    )
    return say.State(
        table.turn,
        player.authority,
        turn.trade,
        turn.combat,
        turn.next_ship_to_top,
        player.shuffles,
        player.hand.copy(),
        sorted(player.deck),
        player.discard.copy(),
        in_play(player),
        turn.played.copy(),
        turn.copied,
        opponent,
        table.row.copy(),
        len(table.trade_deck),
        table.explorers,
    )


def in_play(player: Player) -> list[say.InPlay]:
    """Return a player's cards in play, in the format of the messages."""
    return [say.InPlay(piece.card.name, piece.used, piece.ally_used) for piece in player.in_play]


class SeatView(Struct, frozen=True):
    """One seat in a view.

    Attributes:
        hand: in the order of drawing. None for viewers who don't know it. A seat knows it at its
            request.
        discard, in_play: oldest first for `ALL` and for the seat with a request. Otherwise sorted,
            because no message shows which of several equal cards was scrapped or destroyed.
    """

    authority: int
    hand_size: say.Count
    deck_size: say.Count
    hand: list[say.CardName] | None
    deck: list[say.CardName] | None  # sorted; for `ALL`, the top card first; None if `hand` is
    hidden: list[say.CardName]  # hand and deck together, sorted
    discard: list[say.CardName]
    in_play: list[say.InPlay]
    due: say.Count  # discards at the start of its next turn
    shuffles: say.Count
    turns: say.Count


class View(Struct, frozen=True):
    """A view of a game (`referee.games.interface.game.Game.view`)."""

    turn: say.Count  # from 1, over both players; 0 before the first
    player: int  # the seat whose turn it is
    trade: say.Count  # trade, combat, next_ship_to_top, played, copied: as in `State`
    combat: say.Count
    next_ship_to_top: bool
    played: list[say.CardName]
    copied: say.CardName | None
    trade_row: Annotated[list[say.CardName], Meta(description="Trade row, oldest card first.")]
    trade_deck: say.Count
    explorers: say.Count
    seats: list[SeatView]  # in seat order
    asked: int | None  # the seat with a request; None for other viewers, or without request
    request: say.PlayTurn | say.Choose | None  # the request of that seat, or None


def view_of(table: Table, turn: TurnState, requests: tuple[Request, ...], viewer: Viewer) -> View:
    """Return the view of a viewer."""
    request = next((r for r in requests if viewer is ALL or viewer == r.seat), None)
    asked = None if request is None else request.seat
    return View(
        table.turn,
        turn.player.seat,
        turn.trade,
        turn.combat,
        turn.next_ship_to_top,
        turn.played.copy(),
        turn.copied,
        table.row.copy(),
        len(table.trade_deck),
        table.explorers,
        [_seat(player, viewer, asked) for player in table.players],
        asked,
        None if request is None else request.message,  # type: ignore[arg-type]
    )


def _seat(player: Player, viewer: Viewer, asked: int | None) -> SeatView:
    hand, deck = None, None
    if viewer is ALL or viewer == player.seat == asked:
        hand = player.hand.copy()
        deck = player.deck[::-1] if viewer is ALL else sorted(player.deck)
    discard, pieces = player.discard.copy(), in_play(player)
    # No message shows which of several equal cards was scrapped or destroyed. The true order would
    # tell viewers without a request more than their messages do.
    if viewer is not ALL and asked is None:
        discard.sort()
        pieces.sort(key=astuple)
    return SeatView(
        player.authority,
        len(player.hand),
        len(player.deck),
        hand,
        deck,
        sorted(player.hand + player.deck),
        discard,
        pieces,
        player.due,
        player.shuffles,
        player.turns,
    )
