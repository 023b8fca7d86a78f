"""The messages of Bot Wars as structs (spec/botwars/protocol.md, 2).

Some names in `State` are in camel case, because classic bots knew them before this protocol
existed.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType, field

from referee.games.interface.data import about

MIN_SIZE, MAX_SIZE = 4, 100
"""The smallest and the largest possible number of rows or columns."""
Size = Annotated[int, Meta(ge=MIN_SIZE, le=MAX_SIZE)]
Cell = Annotated[int, about("Index of a cell: row * cols + column.", ge=0)]
SideId = Annotated[str, about('"r" is player 1, "b" player 2.', schema={"enum": ["r", "b"]})]


class Side(Struct, frozen=True, gc=False):
    """The state of a side, without its botlets."""

    energy: Annotated[int, about("Number of botlets that it can still spawn.", ge=0)]
    spawn: Annotated[Cell, about("Cell of its spawn point.")]
    spawn_disabled: Annotated[bool, about("True if the spawn point was razed.")] = field(
        name="spawnDisabled"
    )


class State(Struct, frozen=True, gc=False):
    """The complete state of the game."""

    rows: Size
    cols: Size
    p1: Side
    p2: Side
    grid: Annotated[
        str,
        about(
            "A character per cell, by rows: r b botlets, * energy, x died, . empty.",
            pattern="^[rbx*.]*$",
        ),
    ]
    max_turns: Annotated[int, Meta(ge=1)] = field(name="maxTurns")
    turns_elapsed: Annotated[int, Meta(ge=0)] = field(name="turnsElapsed")


class Move(Struct, frozen=True, gc=False):
    """The step of a botlet."""

    from_: Cell = field(name="from")
    to: Cell


class Moves(Struct, frozen=True, gc=False):
    """The moves of both sides that were carried out, in the given order."""

    r: list[Move]
    b: list[Move]


# --- to all -----------------------------------------------------------------------------------


class GameInfo(Struct, frozen=True, tag_field="type", tag="game-info"):
    """Sent once, after the names."""

    rows: Size
    cols: Size
    max_turns: Annotated[int, Meta(ge=1)]
    energy_every: Annotated[int, about("Number of turns; 0: never.", ge=0)]
    player_bot_names: Annotated[list[str], about("In seat order.")]
    game: Annotated[str, Meta(extra_json_schema={"const": "botwars"})] = "botwars"


class TurnPlayed(Struct, frozen=True, tag_field="type", tag="turn-played"):
    """Sent after each turn."""

    turn: Annotated[int, about("Number of the turn, from 1.", ge=1)]
    moves: Moves
    died: Annotated[list[Cell], about("Cells where botlets died, ascending.")]
    state: Annotated[State, about("State after the turn.")]


# --- to one bot -------------------------------------------------------------------------------


class MoveRequest(Struct, frozen=True, tag_field="type", tag="move-request"):
    """Requests the moves of a turn (5)."""

    player: SideId
    state: State


# --- from a bot -------------------------------------------------------------------------------


class MoveReply(Struct, frozen=True, tag_field="type", tag="move-reply"):
    """The reply to `move-request` (5).

    `moves.py` checks the content of `moves`.
    """

    legal_has: ClassVar[tuple[str, ...]] = ("moves",)
    moves: (
        Annotated[
            Any,
            about(
                "Any number of moves.",
                schema={
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"from": {"type": "number"}, "to": {"type": "number"}},
                        "required": ["from", "to"],
                    },
                },
            ),
        ]
        | UnsetType
    ) = UNSET


PUBLIC: tuple[type[Struct], ...] = (GameInfo, TurnPlayed)
REQUESTS: tuple[type[Struct], ...] = (MoveRequest,)
REPLIES: tuple[type[Struct], ...] = (MoveReply,)
