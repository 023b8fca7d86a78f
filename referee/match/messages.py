"""The messages that every game shares: handshake, disqualification, end (protocol, 2 and 3).

Each game's package has its own messages. A public message is encoded once; all bots and the
spectator log get the same bytes.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

from referee.games.interface.data import about
from referee.games.interface.game import Score
from referee.games.interface.seats import SeatId

PROTOCOL_VERSION = 1

Version = Annotated[int, Meta(extra_json_schema={"const": PROTOCOL_VERSION})]


class PlayerNameRequest(Struct, frozen=True, tag_field="type", tag="player-name-request"):
    """To one bot, its first message: the request for its name (3.1)."""

    player_number: SeatId
    version: Version = PROTOCOL_VERSION


class PlayerName(Struct, frozen=True, tag_field="type", tag="player-name"):
    """To all players: one message per player, in seat order, after the handshake (2)."""

    player_number: SeatId
    name: Annotated[str, Meta(max_length=64)]
    version: Version = PROTOCOL_VERSION


class PlayerDisqualified(Struct, frozen=True, tag_field="type", tag="player-disqualified"):
    """To all remaining players: a player left the match (8.3)."""

    player_number: SeatId
    reason: Annotated[str, about("A disqualification code (9).")]


class GameEnd(Struct, frozen=True, tag_field="type", tag="game-end"):
    """To all remaining players: the last message of the match (8.4)."""

    scores: Annotated[list[Score], about("Points, in seat order.")]
    winners: list[SeatId]
    reason: Annotated[str, about("An end reason (9).")]


SHARED_PUBLIC: tuple[type[Struct], ...] = (PlayerName, PlayerDisqualified, GameEnd)
"""The public messages of every game."""


class PlayerNameReply(Struct, frozen=True, tag_field="type", tag="player-name-reply"):
    """From a bot: the reply to `player-name-request` (3.1).

    The decoder accepts any type of value. `Match` checks the fields, because section 3 defines a
    different consequence for each mistake.
    """

    legal_has: ClassVar[tuple[str, ...]] = ("player_number", "name")

    player_number: Annotated[Any, about("As in the request.", schema={"type": "string"})] = None
    name: Annotated[Any, Meta(extra_json_schema={"type": "string"})] = None
    version: Annotated[Any, Meta(extra_json_schema={"const": 1})] | UnsetType = UNSET
    keep_alive: (
        Annotated[
            Any,
            about(
                "Whether the bot waits for another match after `game-end` (8.4).",
                schema={"type": "boolean"},
            ),
        ]
        | UnsetType
    ) = UNSET
