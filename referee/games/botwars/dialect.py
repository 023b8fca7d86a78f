"""Support for classic bots, which read one JSON object per turn and write an array (protocol, 6).

We put the bot's array into `moves` of a `move-reply` unchanged, and the rules check it like any
other reply. If a bot writes an object instead, the rules reject it because it isn't an array.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Raw, Struct

from referee.games.botwars.rules.moves import BAD_FORMAT
from referee.games.interface.dialect import DialectKind
from referee.games.interface.faults import Fault


class _Asked(Struct):
    """The fields of a referee message that we need. The decoder skips all others."""

    type: str
    player: Any = ""
    player_number: Any = ""
    state: Raw = Raw(b"null")


class _Turn(Struct):
    """The JSON object that we send to a classic bot when it has to move."""

    player: Any
    state: Raw
    game_id: int = msgspec.field(name="gameId")


# Raw keeps the state as the bytes that the referee has written, so we don't decode a grid of 10,000
# cells only to encode it again.
_asked = msgspec.json.Decoder(_Asked)
_any_json = msgspec.json.Decoder(Raw)


class Classic:
    """Implements `referee.games.interface.dialect.Dialect`.

    We hardly have to remember anything, because each request contains everything that the bot
    needs.
    """

    def __init__(self, seat: int, seed: int, name: str) -> None:
        self._seed = seed
        self._name = name
        self._asked = _Asked("")

    def send(self, line: bytes) -> bytes:
        self._asked = asked = _asked.decode(line)
        if asked.type != "move-request":
            return b""
        return msgspec.json.encode(_Turn(asked.player, asked.state, self._seed)) + b"\n"

    def answer(self) -> bytes | None:
        if self._asked.type != "player-name-request":
            return None
        number = self._asked.player_number
        reply = {"type": "player-name-reply", "player_number": number, "name": self._name}
        return msgspec.json.encode(reply | {"version": 1})

    def reply(self, data: bytes) -> bytes:
        # If we wrapped text that isn't JSON, the fault would quote our `move-reply`. Pass it on
        # as it is, so that the author sees the bot's own output.
        if not _is_json(data):
            return data
        return b'{"type":"move-reply","moves":' + data.strip() + b"}"


def _is_json(data: bytes) -> bool:
    try:
        data.decode()
        _any_json.decode(data)
    # msgspec and text that isn't UTF-8 raise ValueError. Deep nesting raises RecursionError.
    except (ValueError, RecursionError):
        return False
    return True


def _wrong(fault: Fault, asked: Mapping[str, Any], answer: bytes) -> str:
    if fault.code != BAD_FORMAT:
        return f"is legal, but {fault.detail} (5.2)"
    problem = fault.detail if _is_json(answer) else "it is not JSON"
    return (
        f"has another format: {problem}; expected an array of moves, "
        'such as [{"from":21,"to":22}], or [] for none (6.1)'
    )


CLASSIC = DialectKind(Classic, over_http=True, wrong=_wrong)
CLASSIC_FORM = DialectKind(Classic, over_http=True, form_field="data", wrong=_wrong)
