"""A bot of the referee's own, for the seats of those that are not to play."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from referee.bots.in_process import InProcessBot
from referee.games import GAMES


def stand_in(game: str) -> InProcessBot:
    """A bot that gives the simplest reply to each request of a game that has one."""
    return InProcessBot(_StandIn(game))


class _StandIn:
    def __init__(self, game: str) -> None:
        self._simplest_reply = GAMES[game].simplest_reply

    def reply(self, lines: Sequence[bytes]) -> bytes:
        """The answer to the last of these lines."""
        asked = msgspec.json.decode(lines[-1])
        if asked["type"] == "player-name-request":
            number = asked["player_number"]
            return msgspec.json.encode(
                {"type": "player-name-reply", "player_number": number, "name": "Stand-in"}
            )
        assert self._simplest_reply is not None  # checked by whoever seats it
        return msgspec.json.encode(self._simplest_reply(asked))
