"""The state that a bot gets in a request, and views of the game for anybody else (4.9)."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct
from msgspec.structs import astuple

from referee.games.interface.data import about
from referee.games.interface.game import ALL, Request, Viewer
from referee.games.starrealms.rules import messages as say
from referee.games.starrealms.rules.player import Player, TurnState
from referee.games.starrealms.rules.table import Table


def state_of(table: Table, turn: TurnState) -> say.State:
    """Return the state to send to the player whose turn it is, without hidden information."""
    player, other = turn.player, turn.opponent
    opponent = say.Opponent(
        other.authority,
        len(other.hand),
        other.due,
        len(other.deck),
        other.shuffles,
        # The bot may know which cards are in the opponent's hand and deck together, but not which
        # of them are in the hand.
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
    """Convert a player's cards in play to the structs used in messages."""
    return [say.InPlay(piece.card.name, piece.used, piece.ally_used) for piece in player.in_play]


class SeatView(Struct, frozen=True):
    """A seat as a viewer sees it.

    Attributes:
        hand: the cards in the order in which they were drawn, or None if the viewer can't see them.
            A bot can see its own hand while it has a request.
        deck: the cards in their real order for `ALL`, top card first, but sorted for a bot. None if
            `hand` is None.
        hidden: the cards of hand and deck together, sorted.
        discard, in_play: oldest first for `ALL` and for a bot that has a request. Other viewers get
            them sorted. They can't know the order, because messages don't tell them which of
            several copies was scrapped or destroyed.
    """

    authority: int
    hand_size: say.Count
    deck_size: say.Count
    hand: list[say.CardName] | None
    deck: list[say.CardName] | None
    hidden: list[say.CardName]
    discard: list[say.CardName]
    in_play: list[say.InPlay]
    due: say.Count  # number of cards to discard when the next turn starts
    shuffles: say.Count
    turns: say.Count


class View(Struct, frozen=True):
    """The game as a viewer sees it (see `referee.games.interface.game.Game.view`)."""

    turn: say.Count  # counts the turns of both players, and is 0 before the first one
    player: int  # the seat whose turn it is
    # The fields up to `copied` are the same as in `State`.
    trade: say.Count
    combat: say.Count
    next_ship_to_top: bool
    played: list[say.CardName]
    copied: say.CardName | None
    trade_row: Annotated[list[say.CardName], about("Trade row, oldest card first.")]
    trade_deck: say.Count
    explorers: say.Count
    seats: list[SeatView]  # in seat order
    asked: int | None  # the seat that has a request, or None if the viewer can't see one
    request: say.PlayTurn | say.Choose | None  # that request


def view_of(table: Table, turn: TurnState, requests: tuple[Request, ...], viewer: Viewer) -> View:
    """Return the game as `viewer` sees it."""
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
    # Messages don't tell which of several copies was scrapped or destroyed. The real order of the
    # cards would give that away, so sort them.
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
