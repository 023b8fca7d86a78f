"""The messages of Bot Wars as structs (spec/botwars/protocol.md, 2).

Some names in `State` are in camel case, because classic bots knew them before this protocol
existed.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType, field

MIN_SIZE, MAX_SIZE = 4, 100
"""The smallest and the largest possible number of rows or columns."""
Size = Annotated[int, Meta(ge=MIN_SIZE, le=MAX_SIZE)]
Cell = Annotated[int, Meta(ge=0, description="Index of a cell: row * cols + column.")]
SideId = Annotated[
    str,
    Meta(description='"r" is player 1, "b" player 2.', extra_json_schema={"enum": ["r", "b"]}),
]


class Side(Struct, frozen=True, gc=False):
    """The state of a side, without its botlets."""

    energy: Annotated[int, Meta(ge=0, description="Number of botlets that it can still spawn.")]
    spawn: Annotated[Cell, Meta(description="Cell of its spawn point.")]
    spawn_disabled: Annotated[bool, Meta(description="True if the spawn point was razed.")] = field(
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
        Meta(
            description="A character per cell, by rows: r b botlets, * energy, x died, . empty.",
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
    energy_every: Annotated[int, Meta(ge=0, description="Number of turns; 0: never.")]
    player_bot_names: Annotated[list[str], Meta(description="In seat order.")]
    game: Annotated[str, Meta(extra_json_schema={"const": "botwars"})] = "botwars"


class TurnPlayed(Struct, frozen=True, tag_field="type", tag="turn-played"):
    """Sent after each turn."""

    turn: Annotated[int, Meta(ge=1, description="Number of the turn, from 1.")]
    moves: Moves
    died: Annotated[list[Cell], Meta(description="Cells where botlets died, ascending.")]
    state: Annotated[State, Meta(description="State after the turn.")]


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
            Meta(
                description="Any number of moves.",
                extra_json_schema={
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
