"""Support for bots that were written for the protocol's first server (protocol-v1, 11).

These bots reply as in our protocol, and name requests and attack requests are the same, too. We
only have to translate the other messages to the bot. They refer to players by number, show the
supply as an object, and lack a few fields.
"""

from __future__ import annotations

import json
from typing import Any

from referee.games.interface.dialect import DialectKind
from referee.games.interface.seats import seat_index

_AS_HERE = ("player-name-request", "play-turn", "attack-request")


class Original:
    """Implements `referee.games.interface.dialect.Dialect`.

    `reply` and `answer` have nothing to do, because these bots reply as in our protocol.
    """

    def __init__(self, seat: int, seed: int, name: str) -> None:
        self._supply = b""
        self._was_asked = False

    def send(self, line: bytes) -> bytes:
        """Translate a line for the bot.

        The result is empty for a `supply-info`. We add the supply to the first request of a turn.
        """
        message: dict[str, Any] = json.loads(line)
        before = b""
        match message["type"]:
            case "supply-info":
                piles = {pile["card"]: pile["count"] for pile in message["cards"]}
                self._supply = _line(message | {"cards": piles})
                return b""
            case "play-turn":
                # The first server sent the supply only once per turn, so we hold it back until
                # the bot's turn begins.
                begins = message["actions"] and not message["cards_played"]
                if begins or not self._was_asked:  # `conform` may begin in the middle of a turn
                    before = self._supply
                self._was_asked = True
                message.pop("cards_bought", None)
            case "player-gained":
                message["gained"] = [message["gained"]]
            case "player-reveal":
                message.pop("from", None)
                (message["cards"],) = message["cards"]
        if "player_number" in message and message["type"] not in _AS_HERE:
            message["player_number"] = 1 + seat_index(message["player_number"])
        return before + _line(message)

    def answer(self) -> bytes | None:
        return None

    def reply(self, data: bytes) -> bytes:
        return data


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


ORIGINAL = DialectKind(Original, greets=True)
