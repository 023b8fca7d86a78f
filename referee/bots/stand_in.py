"""Provides bots for seats that nobody plays, e.g. if a test is about a bot in another seat."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from referee.bots.bot import Answer, Failure
from referee.bots.in_process import InProcessBot
from referee.errors import UsageError
from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Disqualification


def stand_in(game: str) -> InProcessBot:
    """Create a bot that always gives the simplest legal reply.

    The game has to define this reply (`GameDefinition.simplest_reply`).
    """
    return InProcessBot(StandIn(GAMES[game], "Stand-in"))


def leaver(game: str) -> InProcessBot:
    """Create a bot that leaves in the handshake, which ends the match there (protocol, 3.5)."""
    return InProcessBot(_Leaver())


class _Leaver:
    def reply(self, lines: Sequence[bytes]) -> Answer:
        return Failure(Disqualification.FAILED_TO_START, "it does not play")


class StandIn:
    """Sends the replies that you give it, and then the simplest legal replies.

    Args:
        name: the name that it sends in the handshake. If this is None, it doesn't reply to the
            handshake in time.
        replies: its first replies as JSON values. For {"leave": CODE}, it leaves the match and is
            disqualified with this code.
    """

    def __init__(
        self, definition: GameDefinition, name: str | None, replies: Iterable[Any] = ()
    ) -> None:
        self._definition = definition
        self._name = name
        self._replies = deque(replies)

    def reply(self, lines: Sequence[bytes]) -> Answer:
        """Return the reply to the last line. Earlier lines are ignored."""
        reply = self._next(msgspec.json.decode(lines[-1]))
        if isinstance(reply, dict) and reply.keys() == {"leave"}:
            return Failure(Disqualification(reply["leave"]), "as the case says")
        return msgspec.json.encode(reply)

    def _next(self, asked: dict[str, Any]) -> Any:
        if asked["type"] == "player-name-request":
            if self._name is None:
                return {"leave": Disqualification.STARTUP_TIMEOUT}
            number = asked["player_number"]
            return {"type": "player-name-reply", "player_number": number, "name": self._name}
        if self._replies:
            return self._replies.popleft()
        if self._definition.simplest_reply is None:
            raise UsageError(
                f"{self._definition.name} has no simplest reply: there are too few replies"
            )
        return self._definition.simplest_reply(asked)
