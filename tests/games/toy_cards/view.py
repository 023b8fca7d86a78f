"""The state of the toy card game as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from referee.games.interface.game import ALL, Request, Viewer
from referee.games.interface.seats import seat_id

from .messages import PlayRequest

if TYPE_CHECKING:
    from .rules import Player, Table


class View(Struct, frozen=True):
    """What a viewer sees. A seat sees its own hand during a request; all other hands are None."""

    turn: int
    trick: dict[str, int]
    scores: list[int]
    hand_sizes: list[int]
    hands: list[list[int] | None]
    deck: list[int] | None
    request: PlayRequest | None


def request_of(table: Table, player: Player) -> Request:
    """Ask the player for a card."""
    trick = {seat_id(seat): card for seat, card in table.trick.items()}
    scores = [other.score for other in table.players]
    sizes = [len(other.hand) for other in table.players]
    request = PlayRequest(table.turn, sorted(player.hand), trick, scores, sizes)
    return Request(player.seat, request)


def view_of(table: Table, requests: tuple[Request, ...], viewer: Viewer) -> View:
    """Build the view of the state for this viewer."""
    request = next((r for r in requests if viewer in (ALL, r.seat)), None)
    asked = None if request is None else request.seat
    hands = [
        sorted(player.hand) if viewer is ALL or player.seat == viewer == asked else None
        for player in table.players
    ]
    return View(
        table.turn,
        {seat_id(seat): card for seat, card in table.trick.items()},
        [player.score for player in table.players],
        [len(player.hand) for player in table.players],
        hands,
        table.deck.copy() if viewer is ALL else None,
        None if request is None else request.message,  # type: ignore[arg-type]
    )
