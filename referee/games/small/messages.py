"""The messages of all small games, and the struct of their views."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from referee.games.interface.data import about
from referee.games.interface.seats import SeatId

Json = Annotated[Any, about("Any JSON value; the game says which ones.")]
State = Annotated[dict[str, Any], about("As the game's `view` has it.")]
Scores = Annotated[list[int | float], about("After the moves, in seat order.")]


class GameInfo(Struct, frozen=True, tag="game-info"):
    """The game, its options, and the public state before the first move."""

    game: str
    options: Annotated[dict[str, Any], about("The options of the game.")]
    state: State


class MovesPlayed(Struct, frozen=True, tag="moves-played"):
    """The moves of one turn, and the public state after them."""

    turn: Annotated[int, Meta(ge=1)]
    moves: Annotated[dict[str, Any], about("Player number -> move; null if the move is secret.")]
    scores: Scores
    state: State


class PlayerLost(Struct, frozen=True, tag="player-lost"):
    """A player lost because of a wrong move, and won't get any more requests."""

    turn: Annotated[int, Meta(ge=1)]
    player_number: SeatId


class MoveRequest(Struct, frozen=True, tag="move-request"):
    """Asks a player for a move."""

    turn: Annotated[int, Meta(ge=1)]
    player_number: SeatId
    moves: Annotated[list[Any], about("All legal moves, or some if `more_moves`.")]
    scores: Annotated[list[int | float], about("Now, in seat order.")]
    state: Annotated[dict[str, Any], about("What this player may see.")]
    more_moves: Annotated[Literal[True] | UnsetType, about("There are other legal moves.")] = UNSET


class MoveReply(Struct, frozen=True, tag="move-reply"):
    """The move that the player chose from the request."""

    legal_has: ClassVar[tuple[str, ...]] = ("move",)

    move: Json = UNSET


PUBLIC_MESSAGES = (GameInfo, MovesPlayed, PlayerLost)


class Facts(Struct, frozen=True):
    """Empty, because small games only have a score and a number of turns for each seat."""


class View(Struct, frozen=True):
    """The state of a game as a viewer sees it.

    Attributes:
        moves: the legal moves, if the viewer is a seat that has to decide now.
        state: the result of the author's `Game.view`.
    """

    turn: int
    scores: list[int | float]
    moves: list[Any]
    state: dict[str, Any]
