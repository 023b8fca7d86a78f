"""The messages that every game shares: handshake, disqualification, end (protocol, 2 and 3).

A game's own messages are in its package. A public struct is encoded once and its bytes go to every
bot and into the spectator log.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

from referee.games.interface.game import Score
from referee.games.interface.seats import SeatId

PROTOCOL_VERSION = 1

Version = Annotated[int, Meta(extra_json_schema={"const": PROTOCOL_VERSION})]


class PlayerNameRequest(Struct, frozen=True, tag_field="type", tag="player-name-request"):
    """To one bot, its first message: the wish for its name (3.1)."""

    player_number: SeatId
    version: Version = PROTOCOL_VERSION


class PlayerName(Struct, frozen=True, tag_field="type", tag="player-name"):
    """To all, once per player in seat order, after every handshake ended (2)."""

    player_number: SeatId
    name: Annotated[str, Meta(max_length=64)]
    version: Version = PROTOCOL_VERSION


class PlayerDisqualified(Struct, frozen=True, tag_field="type", tag="player-disqualified"):
    """To all that are left: a player left the match (8.3)."""

    player_number: SeatId
    reason: Annotated[str, Meta(description="A disqualification code (9).")]


class GameEnd(Struct, frozen=True, tag_field="type", tag="game-end"):
    """To all that are left, the last message (8.4)."""

    scores: Annotated[list[Score], Meta(description="Points, in seat order.")]
    winners: list[SeatId]
    reason: Annotated[str, Meta(description="An end reason (9).")]


SHARED_PUBLIC: tuple[type[Struct], ...] = (PlayerName, PlayerDisqualified, GameEnd)
"""The public messages that no game has to itself."""


class PlayerNameReply(Struct, frozen=True, tag_field="type", tag="player-name-reply"):
    """From a bot: the answer to `player-name-request` (3.1).

    The fields are decoded as loosely as section 3 treats them: each wrong kind of value has a
    consequence of its own there, which the match decides.
    """

    legal_has: ClassVar[tuple[str, ...]] = ("player_number", "name")

    player_number: Annotated[
        Any, Meta(description="As in the request.", extra_json_schema={"type": "string"})
    ] = None
    name: Annotated[Any, Meta(extra_json_schema={"type": "string"})] = None
    version: Annotated[Any, Meta(extra_json_schema={"const": 1})] | UnsetType = UNSET
    keep_alive: (
        Annotated[
            Any,
            Meta(
                description="Whether the bot waits for another match after `game-end` (8.4).",
                extra_json_schema={"type": "boolean"},
            ),
        ]
        | UnsetType
    ) = UNSET
